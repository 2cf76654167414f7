import { describe, expect, test } from 'vitest'
import { analyze } from '../engine/analyze.ts'
import { proposeChange } from '../engine/propose.ts'
import type { AnalysedConfig } from '../engine/report/schema.ts'
import { readSettings } from '../engine/settings/read.ts'
import { noSettings, type RepositorySettings } from '../engine/settings/settings.ts'

const path = 'configs/bert.yaml'

async function analysed(text: string, name: string, settings: RepositorySettings): Promise<AnalysedConfig> {
  const report = await analyze([{ path: name, text }], { now: new Date('2026-11-20T00:00:00Z'), settings })
  const [config] = report.configs
  if (config?.status !== 'analysed') throw new Error('not analysed')
  return config
}

const bert = (batch: string) =>
  `model_name_or_path: google-bert/bert-base-uncased\ntask_name: mnli\nbf16: true\nmax_seq_length: 128\n${batch}`

async function proposalFor(text: string, name = path, settings = noSettings) {
  return proposeChange({ path: name, text }, await analysed(text, name, settings), { settings })
}

describe('a recommendation is offered as a change of the numbers', () => {
  test('of micro-batch and accumulation together', async () => {
    const text = bert('per_device_train_batch_size: 8 # small\ngradient_accumulation_steps: 4\n')
    expect(await proposalFor(text)).toEqual({
      kind: 'change',
      path,
      before: text,
      after: bert('per_device_train_batch_size: 32 # small\ngradient_accumulation_steps: 1\n'),
    })
  })

  test('of the batch alone, where Ultralytics accumulates up to its nominal batch by itself', async () => {
    const yolo = (batch: number) => `model: yolov8s.pt\ndata: coco.yaml\nepochs: 300\nbatch: ${batch}\nimgsz: 640\n`
    expect(await proposalFor(yolo(2))).toEqual({ kind: 'change', path, before: yolo(2), after: yolo(32) })
  })

  test('of the batch of evaluations, where it is written and would not fit', async () => {
    const qwen = (evaluations: string) =>
      `model_name_or_path: Qwen/Qwen2.5-0.5B\nper_device_train_batch_size: 1\ngradient_accumulation_steps: 16\nblock_size: 2048\nbf16: true\neval_strategy: steps\n${evaluations}`
    const settings = readSettings({ path: '.github/memorymark.yml', text: 'gpu: l4\n' })
    if (settings.kind !== 'settings') throw new Error(settings.kind)
    const text = qwen('per_device_eval_batch_size: 16\n')
    expect(await proposalFor(text, path, settings.settings)).toMatchObject({
      kind: 'change',
      after: qwen('per_device_eval_batch_size: 4\n'),
    })
    const byDefault = qwen('')
    expect(await proposalFor(byDefault, path, settings.settings)).toEqual({ kind: 'nothing-to-change' })
  })

  test('not where the config follows it already', async () => {
    const text = bert('per_device_train_batch_size: 32\ngradient_accumulation_steps: 1\n')
    const config = await analysed(text, path, noSettings)
    const followed = { ...config, recommended: config.current }
    expect(await proposeChange({ path, text }, followed)).toEqual({ kind: 'nothing-to-change' })
  })
})

describe('a change is left to a person', () => {
  test('where the batch size is the tool’s default', async () => {
    const text = bert('learning_rate: 1.0e-4\nnum_train_epochs: 3\n')
    expect(await proposalFor(text)).toEqual({
      kind: 'by-hand',
      why: { kind: 'not-in-file', setting: 'micro-batch' },
    })
  })

  test('where the number is an alias', async () => {
    const text = bert('size: &size 8\nper_device_train_batch_size: *size\n')
    expect(await proposalFor(text)).toEqual({
      kind: 'by-hand',
      why: { kind: 'not-plain', at: { line: 6, column: 30 } },
    })
  })

  test('where Ultralytics would accumulate another number of batches than is recommended', async () => {
    const text = 'model: yolov8s.pt\ndata: coco.yaml\nepochs: 300\nbatch: 5\nimgsz: 640\n'
    const config = await analysed(text, path, noSettings)
    const recommended = { ...config.current, microBatch: 10, gradientAccumulation: 5 }
    expect(await proposeChange({ path, text }, { ...config, recommended })).toEqual({
      kind: 'by-hand',
      why: { kind: 'tied-to-other-settings' },
    })
  })

  test('where another number of the file hangs on it: DeepSpeed’s total would no longer be the product', async () => {
    const settings = readSettings({
      path: '.github/memorymark.yml',
      text: 'overrides: [{ path: ds.json, model: gpt2, sequence_length: 128 }]\n',
    })
    if (settings.kind !== 'settings') throw new Error('the settings file cannot be read')
    const text = JSON.stringify({
      train_batch_size: 32,
      train_micro_batch_size_per_gpu: 8,
      gradient_accumulation_steps: 1,
      bf16: { enabled: true },
    })
    expect(await proposalFor(text, 'ds.json', settings.settings)).toEqual({
      kind: 'by-hand',
      why: { kind: 'tied-to-other-settings' },
    })
  })
})
