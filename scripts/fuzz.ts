/**
 * `npm run fuzz [-- --count 100000 --seed 1 --every 1]`: mutated configs through the readers, with no crash, none that takes above
 * a second and memory bounded; mutated memory snapshots of PyTorch and such as are meant to run code or never end; and every hostile
 * string of the list, in every field of a report and in every config (with `--every 4` each config gets one in four of them), through
 * comment, check, summary, annotations and terminal, with none alive. Fails when anything of it does not hold, and says which
 * config it was.
 */
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { z } from 'zod'
import { type HostileResult, type hostileShare, joined } from './fuzz/hostile.ts'
import { tryPickles } from './fuzz/pickles.ts'
import type { ReaderReport, readerOrder } from './fuzz/reader.ts'

const LIMITS = { slowestMillis: 1_000, heapMib: 256 }

/** No batch has taken a tenth of it on a busy machine. */
const HANGING_AFTER_MILLIS = 120_000

/** Larger than any config that mutations make. */
const LARGEST_CONFIG_BYTES = 4 * 2 ** 20

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    every: { type: 'string', default: '1' },
  },
})

const [read, hostile] = await Promise.all([
  readMutated(Number(values.count), Number(values.seed)),
  tryHostile(availableParallelism(), Number(values.every)),
])
const snapshots = tryPickles(Number(values.count), Number(values.seed))

const faults = [
  ...(read.fault === undefined ? [] : [read.fault]),
  ...(read.slowestMillis > LIMITS.slowestMillis ? [`one config took ${Math.round(read.slowestMillis)} ms`] : []),
  ...snapshots.faults,
  ...(snapshots.slowestMillis > LIMITS.slowestMillis
    ? [`one snapshot took ${Math.round(snapshots.slowestMillis)} ms`]
    : []),
  ...hostile.harmful,
]
for (const fault of faults) console.log(fault)
console.log(
  `mutated configs: ${read.read} read, of which ${read.trainingConfigs} are training configs and ${read.unreadable} are told what is wrong; slowest ${read.slowestMillis.toFixed(0)} ms (limit ${LIMITS.slowestMillis}), heap at most ${LIMITS.heapMib} MiB`,
)
console.log(
  `memory snapshots: ${snapshots.tried} read or refused, the slowest in ${snapshots.slowestMillis.toFixed(0)} ms`,
)
console.log(
  `${faults.length === 0 ? 'ok' : 'NOT OK'}: ${read.read} mutated configs, ${snapshots.tried} memory snapshots, ${hostile.reports} hostile strings in every field of a report and ${hostile.configs} times in a config (of ${hostile.compared} the page is held against that of a plain word): ${faults.length} faults`,
)
process.exitCode = faults.length === 0 ? 0 : 1

type Read = ReaderReport & { readonly fault?: string }

/** The heap is the thread's own, so that a leak ends it instead of filling the machine. */
function readMutated(count: number, seed: number): Promise<Read> {
  const current = new SharedArrayBuffer(LARGEST_CONFIG_BYTES)
  const worker = new Worker(new URL('./fuzz/reader.ts', import.meta.url), {
    workerData: { seed, count, current } satisfies z.infer<typeof readerOrder>,
    resourceLimits: { maxOldGenerationSizeMb: LIMITS.heapMib },
  })
  let latest: ReaderReport = { read: 0, slowestMillis: 0, trainingConfigs: 0, unreadable: 0 }
  return new Promise(resolve => {
    const failed = (why: string) => resolve({ ...latest, fault: `${why}\nwhile it read:\n${configIn(current)}` })
    let watch = setTimeout(hang, HANGING_AFTER_MILLIS)
    function hang(): void {
      failed('the reader hangs')
      void worker.terminate()
    }
    worker.on('message', (report: ReaderReport) => {
      latest = report
      clearTimeout(watch)
      watch = setTimeout(hang, HANGING_AFTER_MILLIS)
    })
    worker.on('error', error => failed(`the reader crashed: ${error.message}`))
    worker.on('exit', () => {
      clearTimeout(watch)
      resolve(latest)
    })
  })
}

/** In as many threads. */
async function tryHostile(threads: number, every: number): Promise<HostileResult> {
  const shares = Array.from({ length: threads }, async (_, thread): Promise<HostileResult> => {
    const workerData = { thread, threads, every } satisfies z.infer<typeof hostileShare>
    const [result] = await once(
      new Worker(new URL('./fuzz/hostile-thread.ts', import.meta.url), { workerData }),
      'message',
    )
    return result
  })
  return joined(await Promise.all(shares))
}

function configIn(current: SharedArrayBuffer): string {
  const bytes = new Uint8Array(current).slice()
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)))
}
