/** Waits with a time limit. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Of one wait. On a busy machine the bot has taken more than half a minute to start. */
export const LIMIT_MILLIS = 120_000
const PAUSE_MILLIS = 50

export interface WaitOptions {
  readonly signal: AbortSignal
  /** The output so far of the process that is waited for. */
  readonly log: () => string
}

/** What `look` finds, as soon as it finds something. @throws Error after two minutes, naming `what` and the log. */
export async function until<T>(
  what: string,
  { signal, log }: WaitOptions,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const deadline = performance.now() + LIMIT_MILLIS
  while (performance.now() < deadline) {
    const found = await look()
    if (found !== undefined) return found
    await sleep(PAUSE_MILLIS, undefined, { signal })
  }
  throw new Error(`Waited ${LIMIT_MILLIS / 1000} s for ${what}, in vain. The log:\n${log() || '(empty)'}`)
}
