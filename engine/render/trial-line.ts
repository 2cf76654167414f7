/** A trial in a line of a log. */
import { formatGib } from '../base/units.ts'
import type { ProbedDevice } from '../probes/probe.ts'
import { type Outcome, peakOf, type Trial } from '../probes/trial.ts'
import { bar } from './figures.ts'
import { plainText } from './plain.ts'

const BAR_CELLS = 20

/** `trial  2  batch   288  21.3 GiB  ███████████████████▌  412 ms`. */
export function trialLine({ microBatch, accumulates, outcome }: Trial, device: ProbedDevice, count: number): string {
  const peak = peakOf(outcome)
  const filled = bar(peak === undefined ? 0 : peak / Math.max(1, device.usableBytes), BAR_CELLS)
  const memory = (peak === undefined ? 'no peak' : formatGib(peak)).padStart(9)
  const result = `${words(outcome)}${accumulates ? ', beside accumulated gradients' : ''}`
  return `trial ${String(count).padStart(2)}  batch ${String(microBatch).padStart(5)}  ${memory}  ${filled}  ${result}`
}

function words(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'fits':
      return outcome.stepMillis === undefined ? 'fits' : `${outcome.stepMillis.toFixed(0)} ms`
    case 'out-of-memory':
      return 'out of memory'
    case 'timed-out':
      return `timed out after ${Math.round(outcome.afterMillis / 1_000)} s`
    case 'failed':
      return `failed: ${plainText(outcome.problem.message, 200)}`
  }
}
