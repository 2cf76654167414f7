import { describe, expect, test } from 'vitest'
import { readAgain, readForm } from '../../../server/dashboard/form.ts'
import { type FormValues, formValues } from '../../../server/dashboard/form-fields.ts'

function requested(values: FormValues) {
  const reading = readForm(values)
  if (reading.kind === 'refused') throw new Error(JSON.stringify(reading.problems))
  return reading.request
}

function refusedFields(values: FormValues) {
  const reading = readForm(values)
  return reading.kind === 'refused' ? reading.problems.map(({ input }) => input) : []
}

describe('the form', () => {
  test('asks for a model with nothing changed when nothing else is filled in', () => {
    expect(requested({ source: 'model', model: ' bert ' })).toEqual({
      model: 'bert',
      spec: {},
      engine: 'auto',
      strategy: 'predict-verify',
    })
  })

  test('carries every field into the request', () => {
    const all = {
      source: 'model',
      model: 'gpt2',
      gpu: 'h100',
      engine: 'estimate',
      step: 'forward-backward',
      precision: 'bf16',
      optimizer: 'adamw-fused',
      sequenceLength: '1024',
      microBatch: '4',
      gradientAccumulation: '8',
      gradientCheckpointing: 'off',
      loraRank: '16',
      quantization: 'nf4',
      gpus: '2',
      stepSize: '4',
    }
    expect(requested(all)).toEqual({
      model: 'gpt2',
      gpu: 'h100',
      engine: 'estimate',
      strategy: 'predict-verify',
      stepSize: 4,
      spec: {
        step: 'forward-backward',
        precision: 'bf16',
        optimizer: 'adamw-fused',
        sequenceLength: 1024,
        microBatch: 4,
        gradientAccumulation: 8,
        gradientCheckpointing: false,
        lora: { rank: 16, targets: ['q_proj', 'v_proj'], dropout: 0 },
        quantization: 'nf4',
        gpus: 2,
      },
    })
  })

  test.each([
    ['memorymark:\r\n  batch_size: 1\r\n', { fileName: 'config.yaml', text: 'memorymark:\n  batch_size: 1\n' }],
    [' {"memorymark": {}}', { fileName: 'config.json', text: ' {"memorymark": {}}' }],
    ['{"nbformat": 4}', { fileName: 'notebook.ipynb', text: '{"nbformat": 4}' }],
    [
      '# Trains.\r\nfrom trl import SFTTrainer\r\n',
      { fileName: 'train.py', text: '# Trains.\nfrom trl import SFTTrainer\n' },
    ],
  ])('tells what %j is, with the line breaks of a file', (config, expected) => {
    expect(requested({ source: 'config', config }).config).toEqual(expected)
  })

  test('asks for the config alone, whatever stands in the model', () => {
    expect(requested({ source: 'config', model: 'bert', config: 'a: 1' }).model).toBeUndefined()
  })

  test.each<[string, FormValues]>([
    ['model', {}],
    ['model', { source: 'model', model: ' ' }],
    ['model', { source: 'model', model: 'm'.repeat(201) }],
    ['config', { source: 'config' }],
    ['config', { source: 'config', config: 'x'.repeat(100_001) }],
    ['gpu', { model: 'bert', gpu: 'abacus' }],
    ['precision', { model: 'bert', precision: 'fp7' }],
    ['sequenceLength', { model: 'bert', sequenceLength: '1e3' }],
    ['microBatch', { model: 'bert', microBatch: '0' }],
    ['loraRank', { model: 'bert', loraRank: '0' }],
    ['stepSize', { model: 'bert', stepSize: '1001' }],
  ])('is refused for its %s when it sends %j', (field, values) => {
    expect(refusedFields(values)).toEqual([field])
  })

  test('tells every field that is wrong, each once', () => {
    expect(refusedFields({ model: 'bert', gpu: 'abacus', gpus: 'many', step: 'back' })).toEqual(['gpu', 'step', 'gpus'])
  })

  test('keeps what was sent, and nothing but texts of its own fields', () => {
    expect(formValues({ model: 'bert', precision: '', gpus: ['1', '2'], __proto__: 'x', other: 'y' })).toEqual({
      model: 'bert',
    })
  })
})

describe('a question asked again', () => {
  test('is the same question', () => {
    const request = requested({ model: 'bert', microBatch: '4', gpu: 't4' })
    expect(readAgain(JSON.stringify(request))).toEqual(request)
  })

  test.each(['', '{', 'null', '{"model":"bert","config":{"fileName":"a.yaml","text":"a"}}', '{"model":7}'])(
    'is not taken from %j',
    text => {
      expect(readAgain(text)).toBeUndefined()
    },
  )
})

describe('the name of a pasted file', () => {
  const named = (config: string, fileName?: string) =>
    requested({ source: 'config', config, ...(fileName && { fileName }) }).config?.fileName

  test.each([
    ['model: gpt2', 'config.yaml'],
    ['{"train_batch_size": 8}', 'config.json'],
    ['import torch\n', 'train.py'],
    ['#!/usr/bin/env python3\nmodel = 1\n', 'train.py'],
    ['#!/bin/bash\nset -e\n', 'train.sh'],
    ['torchrun --nproc_per_node 8 train.py\n', 'train.sh'],
    ['accelerate: true\npython: 3\n', 'config.yaml'],
  ])('is guessed from the text %j', (text, name) => {
    expect(named(text)).toBe(name)
  })

  test('is the one that the reader gave', () => {
    expect(named('model: gpt2', ' runs/deepspeed.json ')).toBe('runs/deepspeed.json')
    expect(named('import torch', 'train.py:41')).toBe('train.py:41')
  })

  test('is refused beside its own field', () => {
    expect(refusedFields({ source: 'config', config: 'a: 1', fileName: 'notes.txt' })).toEqual(['fileName'])
  })
})
