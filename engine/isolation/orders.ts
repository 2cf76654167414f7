/** The child side of a limited process: performs its host's orders one at a time, and exits with the host. */
import { setFlagsFromString } from 'node:v8'
import { MemoryMarkError } from '../base/errors.ts'
import type { Ending, FromProcess, ToProcess } from './protocol.ts'
import { type OrderLimits, WatchThread } from './watch-thread.ts'

/** The host process, as an order sees it. */
export interface Host {
  /** Sends a part of the result, which restarts the time limit. Resolves once it is on its way, whatever follows. */
  readonly step: (step: unknown) => Promise<void>
  /** Waiting for the answer does not count as time. Rejects if the host has none. */
  readonly ask: (question: unknown) => Promise<unknown>
  /** Aborts when the host cancels the order. */
  readonly signal: AbortSignal
}

export type PerformOrder = (order: unknown, host: Host) => Promise<unknown>

/**
 * By how much V8's heap may grow beyond what is in use before all of it is searched for garbage. The small limit makes V8 choose far less.
 * Over 1,000 configs that differ, 100 is no faster and takes 8 MiB more, and 50 takes a tenth more of the CPU time.
 */
const HEAP_GROWING_PERCENT = 70

/** To be called once, by the file that the process starts with. */
export function takeOrders(perform: PerformOrder): void {
  if (process.send === undefined) throw new Error('this file is the start of a child process')
  // Not an argument of the process: a Node that had lost the flag would not start, and here it only complains.
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`)
  const tell = (message: FromProcess) => void process.send?.(message)
  const asked = new Map<number, PromiseWithResolvers<unknown>>()
  let questions = 0
  let running = new AbortController()
  const watch = new WatchThread()

  const ask = (question: unknown) => {
    const id = ++questions
    const answer = Promise.withResolvers<unknown>()
    asked.set(id, answer)
    tell({ kind: 'ask', id, question })
    return answer.promise
  }
  const step = async (step: unknown) => {
    const isSent = Promise.withResolvers<void>()
    const told: FromProcess = { kind: 'step', step, cpuMillis: watch.renew() }
    process.send?.(told, () => isSent.resolve())
    await isSent.promise
  }
  const run = async (order: unknown, limits: OrderLimits) => {
    running = new AbortController()
    watch.begin(limits)
    const ending = await endingOf(perform(order, { step, ask, signal: running.signal }))
    watch.end()
    tell(ending)
  }
  const hear = (message: ToProcess) => {
    switch (message.kind) {
      case 'run':
        void run(message.order, message.limits)
        return
      case 'answer':
        asked.get(message.id)?.resolve(message.value)
        asked.delete(message.id)
        return
      case 'no-answer':
        asked.get(message.id)?.reject(new Error('the host has no answer'))
        asked.delete(message.id)
        return
      case 'cancel':
        running.abort()
        return
    }
  }
  // Ctrl-C and supervisors signal the whole process group, but the host decides what runs to its end.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit(0))
  process.on('message', hear)
  tell({ kind: 'ready' })
}

async function endingOf(result: Promise<unknown>): Promise<Ending> {
  try {
    return { kind: 'done', result: await result }
  } catch (error) {
    if (error instanceof MemoryMarkError) return { kind: 'refused', problem: error.problem }
    if (isExhaustion(error)) return { kind: 'exhausted' }
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { kind: 'threw', stack }
  }
}

/** Recognises V8's messages; any other RangeError is a bug. */
function isExhaustion(error: unknown): boolean {
  return (
    error instanceof RangeError &&
    /^(?:Invalid (?:array|string|typed array) length|(?:Map|Set) maximum size exceeded|Maximum call stack size exceeded|Array buffer allocation failed|Invalid count value)/.test(
      error.message,
    )
  )
}
