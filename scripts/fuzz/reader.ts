/** A thread that reads mutated configs and reports after each batch; the main thread ends it if it hangs. */
import { parentPort, workerData } from 'node:worker_threads'
import fc from 'fast-check'
import * as z from 'zod'
import { problem } from '../../engine/base/errors.ts'
import { explainConfigAsync, readConfigAsync } from '../../engine/config/read.ts'
import type { TrainingPlace } from '../../engine/config/training-place.ts'
import { readSettings, type SourceFile } from '../../engine/index.ts'
import { mutatedConfig } from './mutations.ts'

export const readerOrder = z.object({
  seed: z.int(),
  count: z.int(),
  /** The SharedArrayBuffer with the config being read, so that one that hangs is known. */
  current: z.instanceof(SharedArrayBuffer),
})

export interface ReaderReport {
  readonly read: number
  /** Milliseconds of this thread's CPU time so far. */
  readonly slowestMillis: number
  readonly trainingConfigs: number
  readonly unreadable: number
}

const BATCH = 500

const { seed, count, current } = readerOrder.parse(workerData)
const currentBytes = new Uint8Array(current)
const progress = { read: 0, slowestMillis: 0, trainingConfigs: 0, unreadable: 0 }

for (let start = 0; start < count; start += BATCH) {
  const options = { seed: seed + start, numRuns: Math.min(BATCH, count - start) }
  await fc.assert(fc.asyncProperty(mutatedConfig, read), options)
  parentPort?.postMessage(progress satisfies ReaderReport)
}

async function read(file: SourceFile): Promise<void> {
  tell(file)
  const begun = process.threadCpuUsage()
  const reading = await readConfigAsync(file, {})
  await explainConfigAsync(file, {})
  if (reading.kind === 'several-trainings') await readEach(file, reading.trainings)
  const settings = readSettings(file)
  const { user, system } = process.threadCpuUsage(begun)

  if (reading.kind === 'unreadable') problem.array().min(1).parse(reading.problems)
  if (settings.kind === 'unreadable') problem.array().min(1).parse(settings.problems)
  progress.read += 1
  progress.slowestMillis = Math.max(progress.slowestMillis, (user + system) / 1_000)
  if (reading.kind === 'training-config') progress.trainingConfigs += 1
  if (reading.kind === 'unreadable') progress.unreadable += 1
}

async function readEach(file: SourceFile, trainings: readonly TrainingPlace[]): Promise<void> {
  for (const { name } of trainings) {
    const reading = await readConfigAsync({ ...file, training: { name } }, {})
    if (reading.kind === 'several-trainings') throw new Error(`${name} is not told from the others`)
  }
}

function tell({ path, text }: SourceFile): void {
  const { written } = new TextEncoder().encodeInto(`${path}\n${text}`, currentBytes)
  currentBytes[written] = 0
}
