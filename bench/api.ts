/**
 * Whether `memorymark serve` keeps its promises under load, against the real command in a process of its own.
 *
 * Readers: 1,000 at once follow one analysis while it runs (a linear sweep of some 800 sizes), every tenth cut off on the way and
 * back with Last-Event-ID; each must have every event once and in order.
 * Hostile requests: 10,000 over bare sockets (malformed JSON, bodies too large or too slow, wrong types, tricks with paths, hosts
 * and headers), every one of which must be answered, with a status from 400 to 499, in bounded memory.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { MIB } from '../engine/base/units.ts'
import { attack } from './api/hostile.ts'
import { followers } from './api/readers.ts'

const READERS = 1_000
const HOSTILE_REQUESTS = 10_000
/** Resident memory of the server, at most, at any time. */
const MAX_RESIDENT_BYTES = 768 * MIB
const MEMORY_READ_EVERY_MILLIS = 100

/** Some 800 sizes of some 10 ms each. */
const longAnalysis = {
  model: 'Qwen/Qwen2.5-3B',
  gpu: 'h200',
  engine: 'estimate',
  spec: { sequenceLength: 64, microBatch: 1, lora: { rank: 8 }, quantization: 'nf4', gradientCheckpointing: true },
  strategy: 'linear',
  stepSize: 1,
}

const cli = fileURLToPath(new URL('../cli/main.ts', import.meta.url))

const server = spawn(process.execPath, [cli, 'serve', '--port', '0', '--engine', 'estimate'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const url = await addressOf(server)
  const memory = watchMemory(server)
  const read = await followers({ url, count: READERS, request: longAnalysis })
  console.log(
    `readers: ${read.complete} of ${READERS} have all ${read.events} events in order, ${read.concurrent} at once while it ran, ` +
      `${read.resumed} of them after a cut; ${read.seconds.toFixed(1)} s, an event is there after ${read.medianLagMillis} ms ` +
      `(median), ${read.worstLagMillis} ms (worst)`,
  )
  const afterReaders = memory.peakBytes
  const attacked = await attack({ url, count: HOSTILE_REQUESTS })
  for (const { kind, statuses } of attacked.kinds) console.log(`  ${kind.padEnd(16)} ${statuses}`)
  const survived = await answersStill(url)
  const peakBytes = memory.end()
  console.log(
    `hostile: ${attacked.refused} of ${HOSTILE_REQUESTS} refused in ${attacked.seconds.toFixed(1)} s; resident at most ` +
      `${mib(afterReaders)} with the readers, ${mib(peakBytes)} in all; an analysis afterwards ${survived ? 'ends' : 'FAILS'}`,
  )
  const passed =
    read.complete === READERS &&
    read.concurrent === READERS &&
    attacked.refused === HOSTILE_REQUESTS &&
    peakBytes <= MAX_RESIDENT_BYTES &&
    survived
  console.log(
    `${passed ? 'ok' : 'FAILED'}: ${read.complete} readers of ${read.events} events without a gap (of ${READERS}), ` +
      `${attacked.refused} hostile requests refused (of ${HOSTILE_REQUESTS}), ${mib(peakBytes)} (at most ${mib(MAX_RESIDENT_BYTES)})`,
  )
  process.exitCode = passed ? 0 : 1
} finally {
  server.kill('SIGTERM')
  await once(server, 'exit')
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the server has no output')
  for await (const line of createInterface(stdout)) {
    const [, url] = /^MemoryMark is listening at (http:\S+?)(?:,|\. )/.exec(line) ?? []
    if (url !== undefined) return url
  }
  throw new Error('the server ended before it had an address')
}

/** Samples a process's resident memory, where the system reports it (Linux). */
function watchMemory({ pid }: ChildProcess) {
  const watch = { peakBytes: 0, end: () => 0 }
  const read = async () => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    const kib = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1])
    watch.peakBytes = Math.max(watch.peakBytes, kib * 1_024)
  }
  const timer = setInterval(() => void read(), MEMORY_READ_EVERY_MILLIS)
  watch.end = () => {
    clearInterval(timer)
    return watch.peakBytes
  }
  return watch
}

async function answersStill(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model_name: 'bert', gpu: 'a10' }),
  })
  return answer.status === 200
}

function mib(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`
}
