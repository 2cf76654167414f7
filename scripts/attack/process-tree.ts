/** A process and all that it starts: how much memory they hold, and an end to them all. */
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { read } from './proc.ts'

const LOOK_MILLIS = 25
/** A process whose parent is gone looks for it once a second. */
const SURVIVORS_MILLIS = 5_000

export class ProcessTree implements AsyncDisposable {
  readonly #root: number
  readonly #timer: NodeJS.Timeout
  /** When each started, by its id, since ids are given again. */
  readonly #seen = new Map<number, string>()
  readonly #measure: (root: number) => number
  #peakMib = 0
  #cpuMillis = 0
  #takenCpuMillis = 0

  /** `measure`: the MiB of a look; those of all processes together unless told. */
  constructor(root: number, measure: (root: number) => number = residentMibOfAll) {
    this.#root = root
    this.#measure = measure
    this.#look()
    this.#timer = setInterval(() => this.#look(), LOOK_MILLIS)
  }

  /** Of all looks since the last call. */
  takePeakMib(): number {
    this.#look()
    const mib = this.#peakMib
    this.#peakMib = 0
    return mib
  }

  /** CPU time since the last call. */
  takeCpuMillis(): number {
    this.#look()
    const millis = this.#cpuMillis - this.#takenCpuMillis
    this.#takenCpuMillis = this.#cpuMillis
    return millis
  }

  kill(): void {
    this.#look()
    for (const [pid, started] of this.#seen) if (startOf(pid) === started) kill(pid)
  }

  /** To be called when the first process has ended: how many of the others had not, and had to be killed. */
  async survivors(waitMillis = SURVIVORS_MILLIS): Promise<number> {
    const until = performance.now() + waitMillis
    while (this.#alive().length > 0 && performance.now() < until) await sleep(LOOK_MILLIS)
    const left = this.#alive()
    this.kill()
    return left.length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    this.kill()
  }

  #alive(): readonly number[] {
    return [...this.#seen].flatMap(([pid, started]) => (startOf(pid) === started ? [pid] : []))
  }

  #look(): void {
    const pids = withDescendants(this.#root)
    for (const pid of pids) {
      const started = startOf(pid)
      if (started !== undefined) this.#seen.set(pid, started)
    }
    this.#peakMib = Math.max(this.#peakMib, this.#measure(this.#root))
    // It seems to fall where a process has ended and nobody has asked how.
    this.#cpuMillis = Math.max(
      this.#cpuMillis,
      pids.reduce((sum, pid) => sum + cpuMillis(pid), 0),
    )
  }
}

/** Of a process and all that it has started. */
export function residentMibOfAll(root: number): number {
  return withDescendants(root).reduce((sum, pid) => sum + residentMib(pid), 0)
}

/** Of the largest process that this one has started. */
export function residentMibOfLargestChild(root: number): number {
  return Math.max(0, ...withDescendants(root).slice(1).map(residentMib))
}

export function residentMib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1_024
}

function withDescendants(root: number): readonly number[] {
  const found = [root]
  for (const pid of found) found.push(...childrenOf(pid))
  return found
}

/** Any thread of a process may have started children. */
function childrenOf(pid: number): readonly number[] {
  return threadsOf(pid).flatMap(thread =>
    read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** Undefined where it has ended, even if nobody has asked how. */
function startOf(pid: number): string | undefined {
  const fields = statOf(pid)
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
}

/** USER_HZ is 100 on every architecture that Node runs on. */
const MILLIS_PER_TICK = 10

/** Its own, and that of children that have ended. */
function cpuMillis(pid: number): number {
  const ticks = statOf(pid).slice(11, 15).map(Number)
  return MILLIS_PER_TICK * ticks.reduce((sum, count) => sum + count, 0)
}

/** From the state on; empty where there is no such process. */
function statOf(pid: number): readonly string[] {
  // The name, in parentheses, may itself contain spaces and parentheses.
  return read(`/proc/${pid}/stat`).split(')').at(-1)?.trim().split(' ') ?? []
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
