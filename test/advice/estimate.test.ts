import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { estimated } from '../../engine/advice/estimate.ts'
import type { Footprint } from '../../engine/estimate/footprint.ts'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { defaultGpu as a10 } from '../../engine/gpus/catalogue.ts'
import { knownModel, specOf } from '../estimate/specs.ts'

const { config } = knownModel('bert')
const spec = specOf('bert', { microBatch: 8 })

/** Keeps nothing, and knows what of its footprints is still held by others. */
class ForgetfulCache extends FootprintCache {
  readonly made: WeakRef<Footprint>[] = []

  override of(...asked: Parameters<FootprintCache['of']>): Footprint {
    const footprint = new FootprintCache().of(...asked)
    this.made.push(new WeakRef(footprint))
    return footprint
  }
}

test('an estimate holds no footprint, since hundreds of combinations wait for the end of a search', async () => {
  const footprints = new ForgetfulCache()
  const estimate = estimated(spec, { gpu: a10, config, footprints })
  await setImmediate()
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  expect(footprints.made.map(footprint => footprint.deref())).toEqual([undefined])
  expect(estimate.samplesPerSecond).toBeGreaterThan(0)
})

test('its speed is modelled once', () => {
  const footprints = new ForgetfulCache()
  const estimate = estimated(spec, { gpu: a10, config, footprints })
  expect(estimate.samplesPerSecond).toBe(estimate.samplesPerSecond)
  expect(footprints.made).toHaveLength(2)
})
