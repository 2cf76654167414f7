/** Why a config was blocked or remarked on, in the policy's words. */
import { formatCondition, type Reason, type Spared, type Verdict } from '../../engine/verdict/policy.ts'

export function verdictText({ reasons }: Verdict): string {
  return reasons.length === 0 ? 'within policy' : reasons.map(reasonText).join('; ')
}

const sparedText: Readonly<Record<Spared, string>> = {
  'within-error': 'within the error',
  assumed: 'rests on what is assumed',
  'below-floor': 'saves too little to block',
  'no-worse': 'no worse than before',
  accepted: 'accepted',
  snoozed: 'snoozed',
  'run-time': 'known in full only when it runs',
  never: 'fail-on is never',
}

function reasonText(reason: Reason): string {
  const spared = reason.spared === undefined ? '' : ` (does not block: ${sparedText[reason.spared]})`
  switch (reason.kind) {
    case 'does-not-fit':
      return `does not fit${spared}`
    case 'unread-settings':
      return 'settings of memory that were not understood'
    case 'loading-does-not-fit':
      return 'weights do not fit while they load'
    case 'evaluation-does-not-fit':
      return 'evaluation does not fit'
    case 'saving-does-not-fit':
      return 'weights do not fit while they are saved'
    case 'resuming-does-not-fit':
      return 'its checkpoint does not fit while it is loaded'
    case 'condition':
      return `${formatCondition(reason.condition)}: ${actual(reason)}${spared}`
  }
}

function actual({ condition, actual }: Extract<Reason, { kind: 'condition' }>): string {
  return condition.kind === 'annual-cost' ? `$${Math.round(actual)}` : `${Math.round(actual)} %`
}
