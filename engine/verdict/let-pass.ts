/** Turns a blocking verdict into a warning because a person accepted or snoozed it. */
import { verdictOf } from './judge.ts'
import type { Spared, Verdict } from './policy.ts'

export function letPass(verdict: Verdict, spared: Extract<Spared, 'accepted' | 'snoozed'>): Verdict {
  if (verdict.state !== 'blocked') return verdict
  return verdictOf(
    verdict.reasons.map(reason => ({ ...reason, spared })),
    [],
  )
}
