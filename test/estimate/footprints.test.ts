import { expect, test } from 'vitest'
import { Footprints } from '../../engine/estimate/footprints.ts'
import { knownModel, specOf } from './specs.ts'

const { config } = knownModel('bert')
const kept = new Footprints()
const first = kept.of(specOf('bert'), config)

test.each([
  ['the batch', { microBatch: 99 }],
  ['the precision written out again', { precision: 'fp32' }],
] as const)('%s makes no new footprint', (_, changes) => {
  expect(kept.of(specOf('bert', changes), config)).toBe(first)
})

test.each([
  ['the sequence', { sequenceLength: 64 }],
  ['the optimizer', { optimizer: 'sgd' }],
  ['accumulation at all', { gradientAccumulation: 2 }],
  ['the number of GPUs, over which a step may be sharded', { gpus: 8 }],
] as const)('%s makes another footprint', (_, changes) => {
  expect(kept.of(specOf('bert', changes), config)).not.toBe(first)
})

test('how often gradients are accumulated makes none', () => {
  const twice = kept.of(specOf('bert', { gradientAccumulation: 2 }), config)
  expect(kept.of(specOf('bert', { gradientAccumulation: 64 }), config)).toBe(twice)
})

test('a model of other dimensions makes another footprint, whatever its name', () => {
  expect(kept.of(specOf('bert'), knownModel('bert-base-cased').config)).not.toBe(first)
})
