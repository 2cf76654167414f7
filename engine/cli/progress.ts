/** Progress of a sweep: one line per trial, on stderr, so that stdout holds only the report. */
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
    // In a log, a rewritten line is noise.
    if (this.#stream.isTTY) this.#stream.write(`trial ${this.#count}: batch ${microBatch} …`)
  }

  readonly tried = (trial: Trial, device: ProbedDevice): void => {
    if (this.#stream.isTTY) this.#stream.write(ERASE_LINE)
    this.#stream.write(`${trialLine(trial, device, this.#count)}\n`)
  }

  /** Removes the unfinished line. */
  readonly ended = (): void => {
    if (this.#stream.isTTY) this.#stream.write(ERASE_LINE)
  }
}
