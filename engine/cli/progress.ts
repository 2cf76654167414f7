/** A sweep as it goes on: one line a trial, on stderr so that stdout holds the report alone. */
import type { WriteStream } from 'node:tty'
import type { ProbedDevice } from '../probes/probe.ts'
import type { Trial } from '../probes/trial.ts'
import { trialLine } from '../render/trial-line.ts'

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
