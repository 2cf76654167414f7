/** What is attacked, and how it answers. */
import type { HostileInput } from './input.ts'

export const LIMITS = {
  answerMillis: 3_000,
  /** Of CPU time, on a machine of any speed: what is not linear takes minutes. */
  cpuMillis: 10_000,
  peakMib: 400,
  honestMillis: 5_000,
  healthMillis: 250,
}

/** What has not answered by then is ended, and has not answered. By the clock, of which a busy machine takes most. */
export const GIVE_UP_MILLIS = 120_000

/** `cpu`: on a machine that others use too, the time for which processes compute; how long they wait says nothing. */
export type Clock = 'wall' | 'cpu'

export interface Answer {
  readonly millis: number
  /** Of all its processes together. */
  readonly cpuMillis: number
  /** Resident memory of all its processes together. */
  readonly peakMib: number
  /** What is wrong with the answer itself. */
  readonly fault?: string
}

export interface Surface extends AsyncDisposable {
  readonly name: string
  /** To one input, or to several at once that each bring files of their own. */
  readonly answer: (inputs: readonly HostileInput[]) => Promise<Answer>
}

/** Right, within the memory, and too late. */
export function isSlow(answer: Answer, clock: Clock): boolean {
  const inTime = { ...answer, millis: 0, cpuMillis: 0 }
  return missOf(answer, clock) !== undefined && missOf(inTime, clock) === undefined
}

/** Undefined where the answer is as it must be. */
export function missOf(answer: Answer, clock: Clock): string | undefined {
  const { peakMib, fault } = answer
  const millis = clock === 'wall' ? answer.millis : answer.cpuMillis
  const misses = [
    ...(fault === undefined ? [] : [fault]),
    ...(millis > (clock === 'wall' ? LIMITS.answerMillis : LIMITS.cpuMillis)
      ? [`answered after ${(millis / 1_000).toFixed(1)} s${clock === 'cpu' ? ' of CPU time' : ''}`]
      : []),
    ...(peakMib > LIMITS.peakMib ? [`${peakMib.toFixed(0)} MiB`] : []),
  ]
  return misses.length === 0 ? undefined : misses.join(', ')
}
