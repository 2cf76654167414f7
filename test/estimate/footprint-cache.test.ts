import { expect, test } from 'vitest'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { defaultGpu as a10, findGpu } from '../../engine/gpus/catalogue.ts'
import { knownModel, specOf } from './specs.ts'

const { config } = knownModel('bert')
const kept = new FootprintCache()
const first = kept.of(specOf('bert'), config, a10)

test.each([
  ['the batch', { microBatch: 99 }],
  ['the precision written out again', { precision: 'fp32' }],
] as const)('%s makes no new footprint', (_, changes) => {
  expect(kept.of(specOf('bert', changes), config, a10)).toBe(first)
})

test.each([
  ['the sequence', { sequenceLength: 64 }],
  ['the optimizer', { optimizer: 'sgd' }],
  ['accumulation at all', { gradientAccumulation: 2 }],
  ['the number of GPUs, over which a step may be sharded', { gpus: 8 }],
] as const)('%s makes another footprint', (_, changes) => {
  expect(kept.of(specOf('bert', changes), config, a10)).not.toBe(first)
})

test('how often gradients are accumulated makes none', () => {
  const twice = kept.of(specOf('bert', { gradientAccumulation: 2 }), config, a10)
  expect(kept.of(specOf('bert', { gradientAccumulation: 64 }), config, a10)).toBe(twice)
})

test('a model of other dimensions makes another footprint, whatever its name', () => {
  expect(kept.of(specOf('bert'), knownModel('bert-base-cased').config, a10)).not.toBe(first)
})

test('a GPU without the flash attention kernel makes another footprint, with s² scores under grouped queries', () => {
  const t4 = findGpu('t4') ?? a10
  const llama = knownModel('meta-llama/Llama-3.2-1B').config
  const spec = specOf('meta-llama/Llama-3.2-1B', {
    task: 'causal-lm',
    sequenceLength: 1_024,
    precision: 'amp-fp16',
    fusedLoss: true,
  })
  const [withFlash, without] = [a10, t4].map(gpu => kept.of(spec, llama, gpu).peak(16, 0).bytes)
  // 16 samples keep, in each of 16 layers, a softmax of 32 heads of 1,024 × 1,024 in 16 bits, less what flash keeps instead.
  expect((without ?? 0) - (withFlash ?? 0)).toBeGreaterThan(16 * 16 * 32 * 1_024 ** 2 * 2 * 0.9)
})
