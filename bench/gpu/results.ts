/** The results of the parts, and the verdict on them. */
import * as z from 'zod'
import { outcome, trial } from '../../engine/probes/trial.ts'
import type { Record } from './record.ts'

const bytes = z.number().min(0)

const cellResult = z.object({ measuredBytes: bytes, estimatedBytes: bytes, tracedBytes: bytes, outcome })
export type CellResult = z.infer<typeof cellResult>

const sweepResult = z.object({
  /** Trials of our search, without the sizes tried around its result. */
  trials: z.number().int(),
  seconds: z.number(),
  largest: z.number().nullable(),
  /** The largest of the sizes around it that fits. */
  linear: z.number().nullable(),
  predicted: z.number().nullable(),
  all: z.array(trial),
})
export type SweepResult = z.infer<typeof sweepResult>

const curvePoint = z.object({
  config: z.string(),
  microBatch: z.number().int(),
  /** Samples per second. */
  measured: z.number(),
  modelled: z.number(),
  outcome,
})
export type CurvePoint = z.infer<typeof curvePoint>

const LIMITS = { medianPercent: 2, worstPercent: 6 }

/** One line for each part that has results. */
export function summary(record: Record): string[] {
  const cells = record.done('cells', cellResult)
  const sweeps = record.done('sweeps', sweepResult)
  const points = record.done('curves', curvePoint)
  const ratios = points.map(({ measured, modelled }) => Math.abs(Math.log(modelled / measured)))
  return [
    ...(cells.length > 0
      ? [
          `${cells.length} cells: estimate ${words(errors(cells, 'estimatedBytes'))}, trace ${words(errors(cells, 'tracedBytes'))}`,
        ]
      : []),
    ...(sweeps.length > 0
      ? [
          `${sweeps.filter(agrees).length} of ${sweeps.length} sweeps agree with the sizes around their answer, in ${Math.max(...sweeps.map(({ trials }) => trials))} trials at most`,
        ]
      : []),
    ...(points.length > 0
      ? [`${points.length} points of throughput: median |log ratio| ${median(ratios).toFixed(3)}`]
      : []),
    ...record.failed.map(line => `failed: ${line.part}, ${line.item}: ${line.kind === 'failed' ? line.why : ''}`),
  ]
}

/** Whether all results are within the limits. */
export function holds(record: Record): boolean {
  const cells = record.done('cells', cellResult)
  return (
    record.failed.length === 0 &&
    record.done('sweeps', sweepResult).every(agrees) &&
    (cells.length === 0 ||
      (['estimatedBytes', 'tracedBytes'] as const).every(name => {
        const { medianPercent, worstPercent } = errors(cells, name)
        return medianPercent <= LIMITS.medianPercent && worstPercent <= LIMITS.worstPercent
      }))
  )
}

function agrees({ largest, linear }: SweepResult): boolean {
  return largest === linear
}

function errors(cells: readonly CellResult[], name: 'estimatedBytes' | 'tracedBytes') {
  const percents = cells.map(cell => Math.abs(100 * (cell[name] / cell.measuredBytes - 1)))
  return { medianPercent: median(percents), worstPercent: Math.max(...percents) }
}

function words({ medianPercent, worstPercent }: ReturnType<typeof errors>): string {
  return `median ${medianPercent.toFixed(2)} % worst ${worstPercent.toFixed(2)} %`
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
