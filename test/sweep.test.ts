/** Sweeps on a device whose answers are given. */
import { describe, expect, test } from 'vitest'
import { Footprints } from '../engine/estimate/footprints.ts'
import { defaultGpu, usableBytes } from '../engine/gpus/catalogue.ts'
import type { Probe } from '../engine/probes/probe.ts'
import type { Trial } from '../engine/probes/trial.ts'
import { strategies } from '../engine/search/strategy.ts'
import { sweep } from '../engine/sweep.ts'
import { GIB } from '../engine/units.ts'
import { defaultPolicy } from '../engine/verdict/policy.ts'
import { tinyConfig, tinySpec } from './probes/tiny-spec.ts'

const BYTES_A_SAMPLE = GIB / 4
const MILLIS_A_STEP = 20
const MILLIS_A_SAMPLE = 1

interface Noise {
  readonly peakBytes: number
  /** Of the largest size; smaller ones are steadier. */
  readonly stepShare: number
}

/** A card on which a sample takes a quarter of a GiB and a millisecond. */
function cardWith(noise: Noise): Probe {
  const usable = usableBytes(defaultGpu)
  return {
    engine: 'torch',
    provenance: 'measured',
    device: { name: 'NVIDIA A10', totalBytes: defaultGpu.totalBytes, usableBytes: usable, software: 'torch 2.13.0' },
    async trial(microBatch, { steps = 0 } = {}): Promise<Trial> {
      const trial = { microBatch, provenance: 'measured' } as const
      const peakBytes = microBatch * BYTES_A_SAMPLE
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

function swept(noise: Noise) {
  return sweep({ ...tinySpec, microBatch: 8 }, tinyConfig, {
    probe: cardWith(noise),
    strategy: strategies['predict-verify'],
    stepSize: 8,
    gpu: defaultGpu,
    policy: defaultPolicy,
    footprints: new Footprints(),
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
