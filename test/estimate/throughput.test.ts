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

  test('are about as many with a fused loss as with logits and a loss', () => {
    const [fused = 0, plain = 0] = [true, false].map(fusedLoss => {
      const footprint = footprintOf('Qwen/Qwen2.5-7B', { precision: 'bf16', sequenceLength: 2_048, fusedLoss })
      return new ThroughputModel(footprint, defaultGpu).samplesPerSecond(2, 1)
    })
    expect(fused / plain).toBeGreaterThan(0.8)
    expect(fused / plain).toBeLessThan(1.25)
  })
})
