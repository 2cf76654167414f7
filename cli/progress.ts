/** Progress on stderr, so that stdout holds only the result. */
import type { WriteStream } from 'node:tty'
import type { ProbedDevice } from '../engine/probes/probe.ts'
import type { Trial } from '../engine/probes/trial.ts'
import { trialLine } from '../engine/render/trial-line.ts'

const ERASE_LINE = '\r\u001b[2K'

/** Progress of a sweep: one line per trial. */
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

/** Shows nothing before this; most scans have finished by then. */
const QUIET_MILLIS = 1_000
const BETWEEN_MILLIS = 100

/** Progress of a search through folders: one line that is rewritten, only on a terminal. */
export class ScanProgress implements Disposable {
  readonly #stream: WriteStream
  #nextAt = Date.now() + QUIET_MILLIS
  #files = 0
  #configs = 0
  #isShown = false

  constructor(stream: WriteStream = process.stderr) {
    this.#stream = stream
  }

  async *counting<T>(files: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const file of files) {
      this.#files++
      this.#show()
      yield file
    }
  }

  found(configs: number): void {
    this.#configs = configs
    this.#show()
  }

  #show(): void {
    if (!this.#stream.isTTY || Date.now() < this.#nextAt) return
    this.#nextAt = Date.now() + BETWEEN_MILLIS
    this.#isShown = true
    const [files, configs] = [this.#files, this.#configs].map(count => count.toLocaleString('en-US'))
    this.#stream.write(
      `${ERASE_LINE}${files} files read, ${configs} training ${this.#configs === 1 ? 'config' : 'configs'} …`,
    )
  }

  /** Removes the line. */
  ended(): void {
    if (this.#isShown) this.#stream.write(ERASE_LINE)
    this.#isShown = false
  }

  [Symbol.dispose](): void {
    this.ended()
  }
}
