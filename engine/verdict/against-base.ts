/** Problems that the base branch already had and that did not get worse do not block. */
import { verdictOf } from './judge.ts'
import type { Reason, Verdict } from './policy.ts'

export interface Judged {
  readonly verdict: Verdict
  readonly current: { readonly peakBytes: number }
}

/** `base`: the config before the change, judged by the same policy on the same GPU. */
export function againstBase(config: Judged, base: Judged): Verdict {
  const { verdict } = config
  if (verdict.state !== 'blocked') return verdict
  const reasons = verdict.reasons.map(
    (reason): Reason => (wasNoBetter(reason, config, base) ? { ...reason, spared: 'no-worse' } : reason),
  )
  return verdictOf(reasons, [])
}

function wasNoBetter(reason: Reason, config: Judged, base: Judged): boolean {
  switch (reason.kind) {
    case 'does-not-fit':
      return (
        base.verdict.reasons.some(({ kind }) => kind === 'does-not-fit') &&
        base.current.peakBytes >= config.current.peakBytes
      )
    case 'unread-settings':
    case 'evaluation-does-not-fit':
    case 'loading-does-not-fit':
    case 'saving-does-not-fit':
    case 'resuming-does-not-fit':
      return false
    case 'condition':
      return base.verdict.reasons.some(
        before =>
          before.kind === 'condition' &&
          before.condition.kind === reason.condition.kind &&
          before.actual >= reason.actual,
      )
  }
}
