/**
 * What published readings and the team's own runs say about an estimate on a GPU: correction factors and error bands.
 */
import { errorBand } from '../estimate/error-band.ts'
import { type Factors, throughputBand } from '../estimate/throughput/throughput-band.ts'
import type { Gpu } from '../gpus/catalogue.ts'
import type { ModelConfig } from '../models/architecture.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { type Calibration, type Correction, type Corrections, correctionsFor } from './correction.ts'

export interface Known {
  /** Factors for estimated bytes and modelled samples per second. */
  readonly memoryFactor: number
  readonly speedFactor: number
  /** Around the corrected figures. */
  readonly memoryBand: { readonly lowPercent: number; readonly highPercent: number }
  readonly speedBand: Factors
  /** Undefined if the team has no run like this one. */
  readonly corrections: Corrections | undefined
}

export function knownOf(spec: TrainingSpec, config: ModelConfig, gpu: Gpu, calibration: Calibration = []): Known {
  const { lowPercent, highPercent } = errorBand(spec, config)
  const published = {
    speed: throughputBand(spec, config, gpu).samplesPerSecond,
    memory: { low: 1 + lowPercent / 100, high: 1 + highPercent / 100 },
  }
  const corrections = correctionsFor(calibration, gpu, spec, published)
  const { speed, memory } = corrections ?? {}
  return {
    memoryFactor: memory?.factor ?? 1,
    speedFactor: speed?.factor ?? 1,
    memoryBand: memory ? percentsOf(memory) : { lowPercent, highPercent },
    speedBand: speed?.band ?? published.speed,
    corrections,
  }
}

/** Rounded outwards, to a tenth of a percent. */
function percentsOf({ band }: Correction): Known['memoryBand'] {
  return { lowPercent: Math.floor(1_000 * (band.low - 1)) / 10, highPercent: Math.ceil(1_000 * (band.high - 1)) / 10 }
}

/** Sentences for the report on how figures were corrected. */
export function sentencesOn({ speed, memory, otherVersions }: Corrections, gpu: Pick<Gpu, 'name'>): string[] {
  const runsOf = (count: number) => `${count} run${count === 1 ? '' : 's'}`
  const sentence = (what: string, { runs, factor, band }: Correction) =>
    `${what} is calibrated on ${runsOf(runs)} of this runner (${gpu.name}, this kind of training), which measured ${factor.toFixed(2)} times the estimate; nine in ten runs are expected within ${percent(band.low)} to ${percent(band.high)} of the figure.`
  return [
    ...(speed ? [sentence('Throughput', speed)] : []),
    ...(memory ? [sentence('Peak memory', memory)] : []),
    ...(otherVersions > 0
      ? [
          `The estimates of ${runsOf(otherVersions)} behind the calibration are of another version of MemoryMark: run \`memorymark calibrate\` to estimate them anew.`,
        ]
      : []),
  ]
}

function percent(factor: number): string {
  const off = Math.round(100 * (factor - 1))
  return `${off < 0 ? '−' : '+'}${Math.abs(off)} %`
}
