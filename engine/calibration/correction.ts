/** Turns the ratios of measured to estimated figures into a correction with an error band. */
import { type Factors, type ThroughputClass, throughputClassOf } from '../estimate/throughput/throughput-band.ts'
import type { Gpu } from '../gpus/catalogue.ts'
import type { TrainingSpec } from '../training/spec.ts'

/** The runs of one kind of training on one GPU, each as measured ÷ estimated. */
export interface RunRatios {
  /** By its id. */
  readonly gpu: string
  readonly class: ThroughputClass
  /** Of samples per second. */
  readonly speeds: readonly number[]
  /** Of peak bytes. */
  readonly peaks: readonly number[]
  /** Runs left out because another version of MemoryMark estimated them. */
  readonly otherVersions: number
}

export type Calibration = readonly RunRatios[]

export interface Correction {
  readonly runs: number
  /** Measured ÷ estimated. */
  readonly factor: number
  /** 90 % interval of a run like these, as factors of the corrected figure. */
  readonly band: Factors
}

export interface Corrections {
  readonly speed?: Correction | undefined
  readonly memory?: Correction | undefined
  readonly otherVersions: number
}

/** `published`: the interval of other people's published runs, used until a team has enough runs of its own. */
export function correctionsFor(
  calibration: Calibration,
  gpu: Pick<Gpu, 'id'>,
  spec: TrainingSpec,
  published: { readonly speed: Factors; readonly memory: Factors },
): Corrections | undefined {
  const name = throughputClassOf(spec)
  const found = calibration.find(one => one.gpu === gpu.id && one.class === name)
  if (found === undefined) return undefined
  const speed = correctionOf(found.speeds, published.speed)
  const memory = correctionOf(found.peaks, published.memory)
  return { ...(speed && { speed }), ...(memory && { memory }), otherVersions: found.otherVersions }
}

/** The published interval counts as this many runs. */
const PUBLISHED_WEIGHT = 2

/** 90 % of a normal distribution lies within this many standard deviations. */
const NINE_TENTHS = 1.645

/**
 * The factor is the geometric mean of the ratios. The band is that in which the next run lies, nine times in ten: its standard
 * deviation is that of the runs, pooled with the published one, which counts as two runs, and widened by √(1 + 1/n), since the
 * mean itself is only known from n runs. One run says nothing of how much runs differ, so in logarithms its band is √2 times as
 * wide as the published one; two that agree leave it as wide; from three on, runs that agree make it narrower, and runs that do
 * not agree make it wider.
 */
export function correctionOf(ratios: readonly number[], published: Factors): Correction | undefined {
  const runs = ratios.length
  if (runs === 0) return undefined
  const logs = ratios.map(ratio => Math.log(ratio))
  const mean = logs.reduce((sum, log) => sum + log, 0) / runs
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0)
  const publishedDeviation = Math.log(published.high / published.low) / 2 / NINE_TENTHS
  const variance = (PUBLISHED_WEIGHT * publishedDeviation ** 2 + squares) / (PUBLISHED_WEIGHT + runs - 1)
  const width = NINE_TENTHS * Math.sqrt(variance * (1 + 1 / runs))
  return { runs, factor: Math.exp(mean), band: { low: Math.exp(-width), high: Math.exp(width) } }
}
