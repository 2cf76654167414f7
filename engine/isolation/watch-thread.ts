/**
 * A thread beside the one that computes, which ends the process where an order passes its limits or the host is gone. A thread
 * of the process itself is told its CPU time and memory on every system, and a host that waits for its own turn on a busy
 * machine makes no order look long.
 */
import { Worker } from 'node:worker_threads'
import { MIB } from '../base/units.ts'

/** Heap of the thread, which keeps few numbers. */
const HEAP_MIB = 8

/** What it writes to stderr before it ends the process, from which the host knows why. */
export const PAST_CPU_LIMIT = 'Ended: the order took more CPU time than its limit.'
export const PAST_MEMORY_LIMIT = 'Ended: the order took more memory than its limit.'

export interface OrderLimits {
  /** Milliseconds of CPU time of all threads but the one that watches, for each step; absent for no limit. */
  readonly cpuMillis?: number
  /** Resident memory of the whole process. */
  readonly residentMib: number
}

/** The cells that both threads see; 0 in a limit means none. */
const ENDS_AT_CPU_MILLIS = 0
const MAX_RESIDENT_BYTES = 1
/** What the looks themselves took so far, which is not the order's: one that waits would seem to compute. */
const WATCHING_MILLIS = 2

const BUSY_LOOK_MILLIS = 100
/** Where no order runs, only the host is looked for. */
const IDLE_LOOK_MILLIS = 1_000

export class WatchThread {
  readonly #cells = new BigInt64Array(new SharedArrayBuffer(3 * BigInt64Array.BYTES_PER_ELEMENT))
  #cpuLimit: number | undefined
  #stepBeganAt = 0

  constructor() {
    const thread = new Worker(code, {
      eval: true,
      workerData: { host: process.ppid, cells: this.#cells },
      stdout: false,
      stderr: false,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB, maxYoungGenerationSizeMb: 1 },
    })
    thread.on('error', () => {})
    thread.unref()
  }

  begin({ cpuMillis, residentMib }: OrderLimits): void {
    this.#cpuLimit = cpuMillis
    Atomics.store(this.#cells, MAX_RESIDENT_BYTES, BigInt(Math.round(residentMib * MIB)))
    this.renew()
  }

  /** Gives the next step the whole time. @returns the CPU time of the last, in milliseconds. */
  renew(): number {
    const { user, system } = process.cpuUsage()
    const now = (user + system) / 1_000 - Number(Atomics.load(this.#cells, WATCHING_MILLIS))
    const used = now - this.#stepBeganAt
    this.#stepBeganAt = now
    if (this.#cpuLimit !== undefined)
      Atomics.store(this.#cells, ENDS_AT_CPU_MILLIS, BigInt(Math.ceil(now + this.#cpuLimit)))
    return used
  }

  end(): void {
    this.#cpuLimit = undefined
    Atomics.store(this.#cells, ENDS_AT_CPU_MILLIS, 0n)
    Atomics.store(this.#cells, MAX_RESIDENT_BYTES, 0n)
  }
}

/** Where a limit is set anew while its figure is read, the order has passed nothing. */
const code = `
  const { writeSync } = require('node:fs')
  const { host, cells } = require('node:worker_threads').workerData
  const end = why => {
    try { writeSync(2, why + '\\n') } catch {}
    process.kill(process.pid, 'SIGKILL')
  }
  const isPast = (cell, figure) => {
    const limit = Atomics.load(cells, cell)
    return limit > 0n && figure() > limit && Atomics.load(cells, cell) === limit
  }
  const millis = ({ user, system }) => (user + system) / 1_000
  // Not known before Node 23.9.
  const ownMillis = () => process.threadCpuUsage === undefined ? 0 : millis(process.threadCpuUsage())
  const startedAt = ownMillis()
  let watching = 0
  const usedMillis = () => millis(process.cpuUsage()) - watching
  const look = () => {
    if (process.ppid !== host) process.kill(process.pid, 'SIGKILL')
    try {
      watching = Math.floor(ownMillis() - startedAt)
      Atomics.store(cells, ${WATCHING_MILLIS}, BigInt(watching))
      if (isPast(${ENDS_AT_CPU_MILLIS}, usedMillis)) end(${JSON.stringify(PAST_CPU_LIMIT)})
      if (isPast(${MAX_RESIDENT_BYTES}, process.memoryUsage.rss)) end(${JSON.stringify(PAST_MEMORY_LIMIT)})
    } catch {}
    setTimeout(look, Atomics.load(cells, ${MAX_RESIDENT_BYTES}) > 0n ? ${BUSY_LOOK_MILLIS} : ${IDLE_LOOK_MILLIS})
  }
  look()`
