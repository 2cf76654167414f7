/** A sweep as it goes on: one line a trial, on stderr so that stdout holds the report alone. */
import type { WriteStream } from 'node:tty'
import type { ProbedDevice } from '../probes/probe.ts'
import { type Outcome, peakOf, type Trial } from '../probes/trial.ts'
import { bar } from '../render/figures.ts'
import { plainText } from '../render/plain.ts'
import { formatGib } from '../units.ts'

const BAR_CELLS = 20
const ERASE_LINE = '\r\u001b[2K'

export class SweepProgress {
  readonly #stream: WriteStream
  #count = 0

  constructor(stream: WriteStream = process.stderr) {
    this.#stream = stream
  }

  readonly started = (microBatch: number): void => {
    this.#count++
    // A line that is rewritten is noise in a log.
    if (this.#stream.isTTY) this.#stream.write(`trial ${this.#count}: batch ${microBatch} …`)
  }

  readonly tried = (trial: Trial, device: ProbedDevice): void => {
    if (this.#stream.isTTY) this.#stream.write(ERASE_LINE)
    this.#stream.write(`${trialLine(trial, device, this.#count)}\n`)
  }

  /** Takes the unfinished line away. */
  readonly ended = (): void => {
    if (this.#stream.isTTY) this.#stream.write(ERASE_LINE)
  }
}

/** `trial  2  batch   288  21.3 GiB  ███████████████████▌  412 ms`. */
export function trialLine({ microBatch, outcome }: Trial, device: ProbedDevice, count: number): string {
  const peak = peakOf(outcome)
  const filled = bar(peak === undefined ? 0 : peak / Math.max(1, device.usableBytes), BAR_CELLS)
  const memory = (peak === undefined ? 'no peak' : formatGib(peak)).padStart(9)
  return `trial ${String(count).padStart(2)}  batch ${String(microBatch).padStart(5)}  ${memory}  ${filled}  ${words(outcome)}`.trimEnd()
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
