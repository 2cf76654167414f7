/** One row of a plan: a number of GPUs of one kind, how they share the training, and its memory, speed and cost. */
import type { MemoryBand, Range } from '../metrics/range.ts'
import type { BatchPlan } from '../metrics/recommend.ts'
import type { ReportedGpu } from '../report/schema.ts'
import type { TrainingSpec } from '../training/spec.ts'
import type { Strategy } from './strategy.ts'

export interface PlanRow extends BatchPlan {
  readonly gpu: ReportedGpu
  readonly gpus: number
  readonly strategy: Strategy
  readonly gradientCheckpointing: boolean
  /** Samples of one optimizer step over all GPUs. */
  readonly effectiveBatch: number
  /** Per GPU, with its error band in percent. */
  readonly peakBytes: number
  readonly errorBand: MemoryBand
  readonly provenance: 'estimated'
  /** Summed over all GPUs, with its 90 % interval. */
  readonly samplesPerSecond: number
  readonly samplesPerSecondRange: Range
  readonly throughputProvenance: 'modelled'
  readonly usdPerMillionSamples: number
  readonly usdPerMillionSamplesRange: Range
  /** Absent if the number of samples in a run is unknown. */
  readonly run?: PlannedRun
  /** The complete training spec of this row. */
  readonly spec: TrainingSpec
}

export interface PlannedRun {
  readonly hours: number
  readonly hoursRange: Range
  readonly costUsd: number
  readonly costRangeUsd: Range
}

const SECONDS_PER_HOUR = 3_600
const MILLION = 1e6

export interface Speed {
  readonly samplesPerSecond: number
  /** 90 % interval of the speed, as factors. */
  readonly band: Range
}

/** `pricePerHourUsd`: of all GPUs together. */
export function costsOf(
  { samplesPerSecond, band }: Speed,
  pricePerHourUsd: number,
  samplesPerRun: number | undefined,
): Pick<
  PlanRow,
  'samplesPerSecond' | 'samplesPerSecondRange' | 'usdPerMillionSamples' | 'usdPerMillionSamplesRange' | 'run'
> {
  const hoursFor = (samples: number) => samples / samplesPerSecond / SECONDS_PER_HOUR
  /** Time and cost fall as speed rises, so the ends of the band are swapped. */
  const around = (figure: number): Range => ({ low: figure / band.high, high: figure / band.low })
  const usdPerMillionSamples = hoursFor(MILLION) * pricePerHourUsd
  const hours = samplesPerRun === undefined ? undefined : hoursFor(samplesPerRun)
  return {
    samplesPerSecond,
    samplesPerSecondRange: { low: samplesPerSecond * band.low, high: samplesPerSecond * band.high },
    usdPerMillionSamples,
    usdPerMillionSamplesRange: around(usdPerMillionSamples),
    ...(hours !== undefined && {
      run: {
        hours,
        hoursRange: around(hours),
        costUsd: hours * pricePerHourUsd,
        costRangeUsd: around(hours * pricePerHourUsd),
      },
    }),
  }
}

/** Cheapest first; of rows that cost the same, the faster. */
export function byCost(one: PlanRow, other: PlanRow): number {
  return one.usdPerMillionSamples - other.usdPerMillionSamples || other.samplesPerSecond - one.samplesPerSecond
}

/** Drops a row if another with as many or fewer of the same GPU is neither dearer nor slower. */
export function undominated(rows: readonly PlanRow[]): PlanRow[] {
  return rows.filter(
    row =>
      !rows.some(
        other =>
          other !== row &&
          other.gpu.id === row.gpu.id &&
          other.gpus <= row.gpus &&
          other.usdPerMillionSamples <= row.usdPerMillionSamples &&
          other.samplesPerSecond >= row.samplesPerSecond &&
          !(isAsGood(other, row) && rows.indexOf(other) > rows.indexOf(row)),
      ),
  )
}

/** Of two equal rows, the earlier one stays. */
function isAsGood(one: PlanRow, other: PlanRow): boolean {
  return (
    one.gpus === other.gpus &&
    one.usdPerMillionSamples === other.usdPerMillionSamples &&
    one.samplesPerSecond === other.samplesPerSecond
  )
}
