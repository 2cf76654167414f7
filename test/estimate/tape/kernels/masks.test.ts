import { describe, expect, test } from 'vitest'
import { modelConfig } from '../../../../engine/models/model-config.ts'
import type { TrainingSpec } from '../../../../engine/training/spec.ts'
import { footprintOf, knownModel } from '../../specs.ts'

const BATCH = 4

/** Activations at the peak of a model of two layers whose large vocabulary puts that at the loss, between both passes. */
function activations(model: string, changes: Partial<TrainingSpec>, shape: object = {}, batch = BATCH): number {
  const { config } = knownModel(model)
  const small = modelConfig.parse({ ...config, num_hidden_layers: 2, vocab_size: 500_000, ...shape })
  const spec = { precision: 'bf16', loop: 'trainer', gradientCheckpointing: true, ...changes } as const
  return footprintOf(model, spec, small).peak(batch, 0).breakdown.activations
}

/** What one more token costs in a quadratic way: `f(3n) − 3 f(n)` of `a·n + c·n²`, for c·n². */
function quadratic(tokens: number, of: (sequenceLength: number) => number): number {
  return (of(3 * tokens) - 3 * of(tokens)) / 6 / tokens ** 2
}

describe('masks that checkpointed blocks keep', () => {
  const llama = (changes: Partial<TrainingSpec>) =>
    quadratic(512, sequenceLength => activations('meta-llama/Llama-3.2-1B', { ...changes, sequenceLength }))

  test('eager attention has a number for every pair of tokens of every sample, once for all layers', () => {
    expect(llama({ attention: 'eager' })).toBe(BATCH * 2)
    expect(llama({ attention: 'eager', precision: 'amp-bf16' })).toBe(BATCH * 4)
  })

  test('a fused kernel is passed none where no token is padded, and else a boolean a pair', () => {
    expect(llama({})).toBe(0)
    expect(llama({ paddedBatches: true })).toBe(BATCH)
    expect(llama({ paddedBatches: true, attention: 'flash' })).toBe(0)
  })

  test('sliding layers have another one than full layers, for all samples where none is padded', () => {
    const gemma = (changes: Partial<TrainingSpec>) =>
      quadratic(512, sequenceLength =>
        activations('google/gemma-2-2b', { ...changes, sequenceLength }, { sliding_window: 256 }),
      )
    expect(gemma({ attention: 'eager' })).toBeCloseTo(BATCH * 2 * 2, 1)
    expect(gemma({})).toBeCloseTo(1, 1)
    expect(gemma({ paddedBatches: true })).toBeCloseTo(BATCH * 2, 1)
  })
})

test('checkpointed blocks keep the table of positions that they are passed, cos and sin of a head for all samples', () => {
  const [tokens, headSize] = [1_024, 64]
  const at = (batch: number) => activations('meta-llama/Llama-3.2-1B', { sequenceLength: tokens }, {}, batch)
  expect(2 * at(16) - at(32)).toBe(2 * 2 * tokens * headSize)
})

test('the function that goes through the layers refers to a mask until it returns', () => {
  const step = { loop: 'trainer', sequenceLength: 384, paddedBatches: true, task: 'sentence-similarity' } as const
  const sentences = { columns: 3, loss: 'triplet' } as const
  const footprint = footprintOf('google-bert/bert-base-uncased', { ...step, sentences, precision: 'amp-bf16' })
  const of = footprint.nodes.findLastIndex(({ name }) => name === 'attention')
  const mask = footprint.nodes.findLast(({ name }) => name === 'mask')?.outputs[0]?.storage
  expect(footprint.nodes.slice(of + 1).some(({ reads }) => reads.some(read => read === mask))).toBe(true)
})
