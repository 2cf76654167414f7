/** Compares the clock with GitHub's: an App signs its tokens with the time, and GitHub refuses one that is off. */
import type { Finding } from './finding.ts'

/** GitHub refuses a token from the future, and one that lasts more than ten minutes; Octokit allows half a minute. */
const MAX_SKEW_SECONDS = 30

/** `theirs`: the `Date` header of an answer from GitHub. */
export function examineClock(ours: Date, theirs: string | undefined): Finding {
  const at = theirs === undefined ? Number.NaN : Date.parse(theirs)
  if (Number.isNaN(at)) {
    return { kind: 'remark', what: 'GitHub did not send the time', todo: 'Keep the clock in sync with NTP.' }
  }
  const skewSeconds = Math.round((ours.getTime() - at) / 1_000)
  if (Math.abs(skewSeconds) <= MAX_SKEW_SECONDS) return { kind: 'well', what: 'the clock agrees with GitHub’s' }
  const direction = skewSeconds > 0 ? 'ahead of' : 'behind'
  return {
    kind: 'fault',
    what: `the clock is ${Math.abs(skewSeconds)} s ${direction} GitHub’s`,
    todo: `Synchronise it with NTP: above ${MAX_SKEW_SECONDS} s GitHub may not let the App sign in.`,
  }
}
