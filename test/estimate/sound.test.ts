import { describe, expect, it } from 'vitest'
import { footprintOf, specOf } from './specs.ts'

const base = 'facebook/wav2vec2-base'
const peak = (changes: Parameters<typeof specOf>[1]) => footprintOf(base, changes).peak(8, 0).bytes

const behindReader = ['.*feature_projection', '.*encoder', 'lm_head']

describe('what sound takes', () => {
  it('grows with its samples', () => {
    const ofSeconds = (seconds: number) => peak({ sequenceLength: 16_000 * seconds })
    // Weights, gradients and optimizer state aside, twice the frames take twice the memory.
    const resting = footprintOf(base).resting(0).bytes
    expect((ofSeconds(20) - resting) / (ofSeconds(10) - resting)).toBeCloseTo(2, 1)
  })

  it('is most where gradients go down to it', () => {
    const frozen = (inputGradients: boolean) =>
      peak({ trainable: { names: behindReader, inputGradients, keepsType: true } })
    const [freed, byHand] = [frozen(false), frozen(true)]
    expect(freed).toBeLessThan(0.7 * byHand)
    expect(byHand).toBeLessThan(peak({}))
  })

  it('is twenty seconds where nothing says how long it is', () => {
    expect(specOf(base)).toMatchObject({ task: 'ctc', sequenceLength: 320_000 })
  })
})
