import { describe, expect, test } from 'vitest'
import { ThroughputModel } from '../../engine/estimate/throughput.ts'
import { defaultGpu } from '../../engine/gpus/catalogue.ts'
import { modelIds } from '../../engine/models/catalogue.ts'
import { footprintOf, knownModel } from './specs.ts'

/** The first id of every family. */
const representatives = [...new Map(modelIds.toReversed().map(id => [knownModel(id).family, id])).values()]

describe('samples a second', () => {
  test.each(representatives)('%s has a number of them', id => {
    const rate = new ThroughputModel(footprintOf(id), defaultGpu).samplesPerSecond(1, 1)
    expect(rate).toBeGreaterThan(0)
    expect(rate).toBeLessThan(1e5)
  })
})
