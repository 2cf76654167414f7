import { describe, expect, test } from 'vitest'
import { beyondTorch } from '../../engine/estimate/error-band.ts'
import { defaultGpu, usableBytes } from '../../engine/gpus/catalogue.ts'
import { EstimateProbe } from '../../engine/probes/estimate.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf, onlineMethod, specOf } from './specs.ts'

const MODEL = 'HuggingFaceTB/SmolLM2-135M'

function changes(share: number, sleeps: boolean): Partial<TrainingSpec> {
  const method = onlineMethod({ kind: 'vllm', share, sleeps })
  return { method, sequenceLength: 512, precision: 'bf16', loop: 'trainer' }
}

const probe = (share: number, sleeps: boolean) =>
  new EstimateProbe(footprintOf(MODEL, changes(share, sleeps)), defaultGpu)

describe('vLLM on the GPU that trains', () => {
  test('leaves less of it, always', () => {
    expect(probe(0.25, false).usableBytes).toBe(usableBytes(defaultGpu) - Math.floor(0.25 * defaultGpu.totalBytes))
    expect(probe(0.25, false).peak(2)).toEqual(probe(0, false).peak(2))
    expect(probe(0.25, false).fits(1)).toBe(true)
    expect(probe(0.98, false).fits(1)).toBe(false)
    expect(probe(1, false).usableBytes).toBe(0)
  })

  test('that sleeps while the model trains is there beside what stays between steps', () => {
    const { bytes, breakdown, moment } = probe(0.5, true).peak(1)
    expect(probe(0.5, true).usableBytes).toBe(usableBytes(defaultGpu))
    expect(moment).toBe('generation in vLLM')
    expect(bytes).toBe(Object.values(breakdown).reduce((sum, part) => sum + part, 0))
    expect(bytes - probe(0.4, true).peak(1).bytes).toBeCloseTo(0.1 * defaultGpu.totalBytes, -1)
    expect(breakdown.activations).toBe(0)
  })

  test('has what waits on the host meanwhile to itself', () => {
    const method = onlineMethod({ kind: 'vllm', share: 0.5, sleeps: true, movedOut: ['weights', 'optimizerState'] })
    const moved = new EstimateProbe(footprintOf(MODEL, { ...changes(0.5, true), method }), defaultGpu).peak(1)
    const { breakdown, bytes } = probe(0.5, true).peak(1)
    expect(moved.breakdown).toEqual({ ...breakdown, weights: 0, optimizerState: 0 })
    expect(moved.bytes).toBe(bytes - breakdown.weights - breakdown.optimizerState)
  })

  test('is the first point of the step then, and the highest where it is the peak', () => {
    const { bytes, moment } = probe(0.5, true).peak(1)
    const [first, ...others] = probe(0.5, true).overStep(1, 50)
    expect(first).toMatchObject({ phase: 'generation', bytes, moment })
    expect(Math.max(...others.map(point => point.bytes))).toBeLessThan(bytes)
    expect(probe(0, true).overStep(1, 50)).toEqual(others)
  })

  test('does not show where the step itself takes more', () => {
    expect(probe(0.01, true).peak(16)).toEqual(probe(0, true).peak(16))
  })

  test('is nothing that the Python worker runs', () => {
    expect(beyondTorch(specOf(MODEL, changes(0.3, false)))).toBe('vLLM on the training GPU')
  })
})
