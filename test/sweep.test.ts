/** Sweeps on a device whose answers are given. */
import { describe, expect, test } from 'vitest'
import { GIB } from '../engine/base/units.ts'
import { FootprintCache } from '../engine/estimate/footprint-cache.ts'
import { defaultGpu, usableBytes } from '../engine/gpus/catalogue.ts'
import type { Probe } from '../engine/probes/probe.ts'
import type { Trial } from '../engine/probes/trial.ts'
import { strategies } from '../engine/search/strategy.ts'
import { sweep } from '../engine/sweep.ts'
import type { TrainingSpec } from '../engine/training/spec.ts'
import { defaultPolicy } from '../engine/verdict/policy.ts'
import { tinyConfig, tinySpec } from './probes/tiny-spec.ts'

const BYTES_A_SAMPLE = GIB / 4
const MILLIS_A_STEP = 20
const MILLIS_A_SAMPLE = 1

function peakOn(microBatch: number, accumulates: boolean, gradientBytes = 5 * GIB): number {
  return microBatch * BYTES_A_SAMPLE + (accumulates ? gradientBytes : 0)
}

interface Noise {
  readonly peakBytes: number
  /** Of the largest size; smaller ones are steadier. */
  readonly stepShare: number
}

/** A card on which a sample takes a quarter of a GiB and a millisecond, and gradients that accumulate 5 GiB. */
function cardWith(noise: Noise, gradientBytes?: number): Probe {
  const usable = usableBytes(defaultGpu)
  return {
    engine: 'torch',
    provenance: 'measured',
    device: { name: 'NVIDIA A10', totalBytes: defaultGpu.totalBytes, usableBytes: usable, software: 'torch 2.13.0' },
    async trial(microBatch, { steps = 0, accumulates = false } = {}): Promise<Trial> {
      const trial = { microBatch, ...(accumulates && { accumulates }), provenance: 'measured' } as const
      const peakBytes = peakOn(microBatch, accumulates, gradientBytes)
      if (peakBytes > usable) return { ...trial, outcome: { kind: 'out-of-memory' } }
      const stepMillis = MILLIS_A_STEP + microBatch * MILLIS_A_SAMPLE
      const spreads = {
        peakBytesSpread: noise.peakBytes,
        stepMillisSpread: microBatch >= 80 ? stepMillis * noise.stepShare : 0,
      }
      return { ...trial, outcome: { kind: 'fits', peakBytes, stepMillis, ...(steps > 2 && spreads) } }
    },
    async [Symbol.asyncDispose]() {},
  }
}

function swept(
  noise: Noise,
  spec: Partial<TrainingSpec> = { microBatch: 8, gradientAccumulation: 1 },
  gradientBytes?: number,
) {
  return sweep({ ...tinySpec, ...spec }, tinyConfig, {
    probe: cardWith(noise, gradientBytes),
    strategy: strategies['predict-verify'],
    stepSize: 8,
    gpu: defaultGpu,
    policy: defaultPolicy,
    footprints: new FootprintCache(),
    hoursPerRun: 2,
    runsPerYear: 100,
  })
}

describe('a measured result', () => {
  test('carries the widest spread of its steps, in memory and in time', async () => {
    expect(await swept({ peakBytes: GIB / 50, stepShare: 0.0123 })).toMatchObject({
      kind: 'assessed',
      assessment: {
        provenance: 'measured',
        largest: { microBatch: 80 },
        // A fiftieth of a GiB is 1 % of the 2 GiB at micro-batch 8.
        errorBandPercent: 1,
        throughputProvenance: 'measured',
        throughputBandPercent: 1.3,
      },
    })
  })

  test('has no band where every step was like the other', async () => {
    expect(await swept({ peakBytes: 0, stepShare: 0 })).toMatchObject({
      assessment: { errorBandPercent: 0, throughputBandPercent: 0 },
    })
  })
})

describe('gradients that accumulate', () => {
  const steady = { peakBytes: 0, stepShare: 0 }

  test.each([
    ['a batch that is too large', { microBatch: 200, gradientAccumulation: 1 }],
    ['a batch that is too large only beside them', { microBatch: 72, gradientAccumulation: 2 }],
    ['a batch that fits beside them', { microBatch: 8, gradientAccumulation: 32 }],
    ['a small batch', { microBatch: 1, gradientAccumulation: 16 }],
  ])('%s: every plan that is told was tried as it is told', async (_, plan) => {
    const result = await swept(steady, plan)
    if (result.kind !== 'assessed') throw new Error(result.kind)
    const { current, recommended, largest, trials } = result.assessment
    expect(largest).toMatchObject({ microBatch: 80, gradientAccumulation: 1 })
    expect(recommended?.fits).toBe(true)
    for (const point of [current, recommended, largest]) {
      if (point === undefined) throw new Error('a plan is missing')
      const accumulates = point.gradientAccumulation > 1
      const tried = trials.find(
        trial => trial.microBatch === point.microBatch && (trial.accumulates ?? false) === accumulates,
      )
      const needed = peakOn(point.microBatch, accumulates)
      expect(tried?.outcome.kind).toBe(needed <= usableBytes(defaultGpu) ? 'fits' : 'out-of-memory')
      if (point.fits) expect(point.peakBytes).toBe(needed)
    }
  })

  test('for which there turns out to be no room are given up, after some trials', async () => {
    const result = await swept(steady, { microBatch: 160, gradientAccumulation: 1 }, 22 * GIB)
    if (result.kind !== 'assessed') throw new Error(result.kind)
    const { recommended, trials } = result.assessment
    expect(recommended).toMatchObject({ gradientAccumulation: 1, fits: true })
    const beside = trials.filter(({ accumulates }) => accumulates)
    expect(beside.length).toBeGreaterThan(0)
    expect(beside.every(({ outcome }) => outcome.kind === 'out-of-memory')).toBe(true)
  })

  test('are none where a step is forward and backward only', async () => {
    const result = await swept(steady, { microBatch: 160, gradientAccumulation: 4, step: 'forward-backward' })
    if (result.kind !== 'assessed') throw new Error(result.kind)
    const { recommended, largest, trials } = result.assessment
    expect(trials.some(({ accumulates }) => accumulates)).toBe(false)
    expect(recommended?.fits).toBe(true)
    expect(recommended?.microBatch).toBeLessThanOrEqual(largest?.microBatch ?? 0)
  })

  test('leave less room: what fits alone is not recommended with them', async () => {
    const result = await swept(steady, { microBatch: 160, gradientAccumulation: 1 })
    if (result.kind !== 'assessed') throw new Error(result.kind)
    const { recommended } = result.assessment
    expect(recommended?.gradientAccumulation).toBeGreaterThan(1)
    // (21.8 GiB less 5 % less 5 GiB) at a quarter of a GiB a sample.
    expect(recommended?.microBatch).toBeLessThanOrEqual(62)
  })
})
