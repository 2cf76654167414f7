/** Encoders with decoders, which cache keys and values of a decoder's layers beside labels too, or only without them. */
import { expect, test } from 'vitest'
import { GIB, MIB } from '../../engine/base/units.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf } from './specs.ts'

const caches = (model: string, changes: Pick<TrainingSpec, 'step' | 'loop'>) =>
  footprintOf(model, changes).nodes.some(({ name }) => name === 'cat')

test.each(['facebook/bart-base', 'facebook/mbart-large-50', 'Helsinki-NLP/opus-mt-en-de', 'google/pegasus-large'])(
  '%s caches only without labels',
  model => {
    expect(caches(model, { step: 'training', loop: 'plain' })).toBe(false)
    expect(caches(model, { step: 'forward-backward', loop: 'plain' })).toBe(true)
  },
)

test('M2M100 caches beside labels too, but not in the Trainer', () => {
  const model = 'facebook/m2m100_418M'
  expect(caches(model, { step: 'training', loop: 'plain' })).toBe(true)
  expect(caches(model, { step: 'forward-backward', loop: 'plain' })).toBe(true)
  expect(caches(model, { step: 'training', loop: 'trainer' })).toBe(false)
})

test.each([
  ['facebook/bart-base', 1_893.22],
  ['google/pegasus-xsum', 5_737.88],
])('%s: the cache stays into the next forward pass, as traced', (model, traced) => {
  const { bytes } = footprintOf(model, { step: 'forward-backward' }).peak(8, 0)
  expect(bytes / MIB).toBeCloseTo(traced, 1)
})

test.each([
  ['Salesforce/codet5p-220m', 8, 1.964, { sequenceLength: 512, targetLength: 64, precision: 'amp-bf16' }],
  ['google/flan-t5-base', 2, 1.9, { sequenceLength: 777, targetLength: 30 }],
] as const)(
  '%s over padded batches: checkpoints make biases and casts again, as traced',
  (model, batch, traced, own) => {
    const step = {
      paddedBatches: true,
      gradientCheckpointing: true,
      loop: 'trainer',
      optimizer: 'sgd',
      ...own,
    } as const
    expect(footprintOf(model, step).peak(batch, 0).bytes / GIB).toBeCloseTo(traced, 2)
  },
)

test.each([
  ['facebook/bart-base', 4, 3.914, { precision: 'amp-fp16' }],
  ['google/flan-t5-base', 8, 10.043, { targetLength: 128 }],
] as const)('%s: a decoder of padded batches needs no mask of its own, as traced', (model, batch, traced, own) => {
  const step = { sequenceLength: 512, paddedBatches: true, loop: 'trainer', ...own } as const
  expect(footprintOf(model, step).peak(batch, 0).bytes / GIB).toBeCloseTo(traced, 2)
})
