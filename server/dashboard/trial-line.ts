/** A trial in words: in the live log and in the table of sizes. */
import { formatGib } from '../../engine/base/units.ts'
import { peakOf, type Trial } from '../../engine/probes/trial.ts'
import { formatCount } from '../../engine/render/figures.ts'
import { plainText } from '../../engine/render/plain.ts'
import type { Outcome } from '../../engine/report/schema.ts'

/** `batch 288 fits: 21.3 GiB, 412 ms per step (measured)`. */
export function trialLine({ microBatch, accumulates, outcome, provenance }: Trial): string {
  const peak = peakOf(outcome)
  const figures = [
    ...(peak === undefined ? [] : [formatGib(peak)]),
    ...(outcome.kind === 'fits' && outcome.stepMillis !== undefined ? [stepText(outcome.stepMillis)] : []),
  ]
  const details = figures.length === 0 ? '' : `: ${figures.join(', ')}`
  const size = `${formatCount(microBatch)}${accumulates ? ' beside accumulated gradients' : ''}`
  return `batch ${size} ${outcomeText(outcome)}${details} (${provenance})`
}

export function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'fits':
      return 'fits'
    case 'out-of-memory':
      return 'runs out of memory'
    case 'timed-out':
      return `timed out after ${formatCount(Math.round(outcome.afterMillis / 1_000))} s`
    case 'failed':
      return `failed: ${plainText(outcome.problem.message, 200)}`
  }
}

function stepText(stepMillis: number): string {
  return `${formatCount(Math.round(stepMillis))} ms per step`
}
