/** A thread that asks for /health ten times a second, so that what keeps the main thread from answering is not counted. */

import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

const EVERY_MILLIS = 100
const GIVE_UP_MILLIS = 10_000
/** The first ones open the connection and compile this file. */
const WARM_UP = 5

export interface HealthAnswers {
  count: number
  slowestMillis: number
  /** How many had another status than 200, or none. */
  failed: number
}

export class HealthPoll implements AsyncDisposable {
  readonly answers: HealthAnswers = { count: 0, slowestMillis: 0, failed: 0 }
  readonly #worker: Worker

  constructor(url: string) {
    this.#worker = new Worker(new URL(import.meta.url), { workerData: url })
    this.#worker.on('message', (answers: HealthAnswers) => Object.assign(this.answers, answers))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }
}

async function poll(url: string): Promise<void> {
  const answers: HealthAnswers = { count: 0, slowestMillis: 0, failed: 0 }
  for (let turn = 0; ; turn += 1) {
    const begun = performance.now()
    const isOk = await fetch(url, { signal: AbortSignal.timeout(GIVE_UP_MILLIS) }).then(
      async response => response.ok && (await response.text()) !== undefined,
      () => false,
    )
    const millis = performance.now() - begun
    if (turn >= WARM_UP) {
      answers.count += 1
      answers.slowestMillis = Math.max(answers.slowestMillis, millis)
      if (!isOk) answers.failed += 1
      parentPort?.postMessage(answers)
    }
    await sleep(EVERY_MILLIS)
  }
}

if (!isMainThread && typeof workerData === 'string') void poll(workerData)
