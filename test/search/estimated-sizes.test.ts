import { expect, test } from 'vitest'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { findGpu } from '../../engine/gpus/catalogue.ts'
import { EstimateProbes } from '../../engine/probes/estimate.ts'
import { EstimatedSizes } from '../../engine/search/estimated-sizes.ts'
import { Grid } from '../../engine/search/grid.ts'
import { knownModel, specOf } from '../estimate/specs.ts'

test('what fits where gradients accumulate fits where they do not, also where the allocator’s fragments are worse', () => {
  const model = 'Qwen/Qwen3-0.6B'
  const sharded = { gpus: 8, sharding: 'zero3', precision: 'bf16', optimizer: 'sgd' } as const
  const spec = specOf(model, { ...sharded, microBatch: 1, sequenceLength: 1_008, loop: 'plain' })
  const gpu = findGpu('a10')
  if (gpu === undefined) throw new Error('the catalogue has no A10')
  const probes = new EstimateProbes(spec, knownModel(model).config, gpu, new FootprintCache())
  const terms = { grid: new Grid(), own: 1, margin: 0.05, safety: 0.07 }
  const accumulating = new EstimatedSizes(() => probes.of(true), terms)
  const alone = new EstimatedSizes(() => probes.of(false), terms, accumulating)

  // Otherwise this is no example: take another.
  expect(new EstimatedSizes(() => probes.of(false), terms).largest).toBeLessThan(accumulating.largest)
  expect(alone.largest).toBe(accumulating.largest)
  expect(alone.fits(accumulating.largest)).toBe(true)
  expect(alone.trial(accumulating.largest).outcome.kind).toBe('fits')
})
