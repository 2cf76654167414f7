import { describe, expect, it } from 'vitest'
import { MIB } from '../../engine/base/units.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf } from './specs.ts'

const base = { microBatch: 1, sequenceLength: 512, precision: 'bf16', loop: 'trainer' } as const
const lastBlock = { names: [String.raw`model\.layers\.15\.`], inputGradients: false }

const peakOf = (changes: Partial<TrainingSpec>) =>
  footprintOf('meta-llama/Llama-3.2-1B', { ...base, ...changes }).peak(1, 0)

/** Two attention projections of 2048², two of 2048·512, three matrices of 2048·8192 and two norms. */
const BLOCK = 2 * 2048 ** 2 + 2 * 2048 * 512 + 3 * 2048 * 8192 + 2 * 2048

it('the optimizer keeps two moments in bf16 of the block that trains alone', () => {
  expect(peakOf({ trainable: lastBlock }).breakdown.optimizerState).toBe(4 * BLOCK)
})

it('below the lowest block that trains nothing is kept for the backward pass', () => {
  const kept = (changes: Partial<TrainingSpec>) =>
    footprintOf('meta-llama/Llama-3.2-1B', { ...base, optimizer: 'sgd', ...changes }).peak(8, 0).breakdown.activations
  const keptByAll = kept({})
  expect(kept({ trainable: lastBlock })).toBeLessThan(keptByAll / 8)
  expect(kept({ trainable: { ...lastBlock, inputGradients: true } })).toBeGreaterThan(keptByAll / 2)
})

it('blocks that train in turns leave the state of all behind', () => {
  const inTurns = { ...lastBlock, inTurns: true }
  expect(peakOf({ trainable: inTurns }).breakdown.optimizerState).toBe(peakOf({}).breakdown.optimizerState)
})

it('patterns that no parameter matches are told with what would', () => {
  const misnamed = { names: [String.raw`transformer\.h\.`], inputGradients: false }
  expect(() => peakOf({ trainable: misnamed })).toThrow('No parameter of meta-llama/Llama-3.2-1B matches')
})

describe('a frozen model under a head that trains, against the trace of torch 2.13 and transformers 5.18', () => {
  const names = [String.raw`classifier\.`, String.raw`head\.`]
  const trainable = { names, inputGradients: false, keepsType: true } as const
  const ofText = { sequenceLength: 512, task: 'sequence-classification', paddedBatches: true } as const
  it.each<readonly [string, number, Partial<TrainingSpec>, mib: number]>([
    ['google-bert/bert-base-uncased', 32, ofText, 953.9],
    ['google-bert/bert-base-uncased', 32, { ...ofText, precision: 'amp-bf16' }, 786],
    ['answerdotai/ModernBERT-base', 16, ofText, 847.9],
    ['microsoft/resnet-50', 64, {}, 812.7],
  ])('%s at %i, %j', (model, microBatch, changes, mib) => {
    const footprint = footprintOf(model, { loop: 'trainer', trainable, microBatch, ...changes })
    expect(Math.abs(footprint.peak(microBatch, 0).bytes / MIB / mib - 1)).toBeLessThan(0.02)
  })

  it("holds the frozen weights in autocast's type only where a tool casts them", () => {
    const weights = (keepsType: true | undefined) =>
      footprintOf('bert', { ...ofText, precision: 'amp-bf16', trainable: { ...trainable, keepsType } }).resting(0)
        .breakdown.weights
    expect(weights(undefined) / weights(true)).toBeCloseTo(0.5, 2)
  })
})
