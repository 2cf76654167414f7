/** Explains why something that would block does not. */
import type { AnalysedConfig, Report } from '../report/schema.ts'
import { formatCondition, type Reason, type Spared } from '../verdict/policy.ts'

/** `It does not block: …`; empty if nothing is spared or something else blocks. */
export function sparedSentences({ verdict }: AnalysedConfig): string[] {
  const [reason] = sparedIn(verdict.reasons)
  return reason === undefined ? [] : [`This does not block: ${because(reason.spared)}.`]
}

/** The conditions of `fail-on` that would block if they were not spared, each once. */
export function sparedConditions({ configs }: Report): string[] {
  const reasons = configs.flatMap(config => (config.status === 'analysed' ? sparedIn(config.verdict.reasons) : []))
  const conditions = reasons.flatMap(reason => (reason.kind === 'condition' ? [formatCondition(reason.condition)] : []))
  return [...new Set(conditions)]
}

function sparedIn(reasons: readonly Reason[]) {
  return reasons.flatMap(reason => (reason.spared === undefined ? [] : [{ ...reason, spared: reason.spared }]))
}

/** A clause: `it was accepted`. */
export function because(spared: Spared): string {
  switch (spared) {
    case 'within-error':
      return 'it is within the error of the figures'
    case 'assumed':
      return 'it rests on what was assumed, not on what the repository says'
    case 'below-floor':
      return 'too little would be gained'
    case 'no-worse':
      return 'the base branch was no better'
    case 'accepted':
      return 'it was accepted'
    case 'snoozed':
      return 'it is snoozed'
    case 'run-time':
      return 'what a launcher starts is known in full only when it runs'
    case 'never':
      return 'fail-on is never'
  }
}
