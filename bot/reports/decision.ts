/** Records for the history that a pull request was blocked or accepted. */
import { analysedIn, type Report } from '../../engine/index.ts'
import type { Decision } from '../../server/repositories.ts'
import type { PullRequest, Work } from '../github.ts'
import type { LenientReport } from '../leniency/leniency.ts'
import { keepDecision } from '../store/decisions.ts'

/**
 * `judged`: before acceptances and snoozes. If the pull request is neither blocked nor accepted, an earlier decision
 * stays.
 */
export async function noteDecision(
  { database, place }: Work,
  pull: PullRequest,
  judged: Report,
  lenient: Pick<LenientReport, 'report' | 'accepted'>,
): Promise<void> {
  const decision = decisionOn(pull, judged, lenient)
  if (decision !== undefined) await keepDecision(database, place, decision)
}

function decisionOn(
  { number, title, author }: PullRequest,
  judged: Report,
  { report, accepted }: Pick<LenientReport, 'report' | 'accepted'>,
): Decision | undefined {
  const common = {
    pullRequest: number,
    title: title.slice(0, 500),
    // GitHub's stand-in for an account that is gone.
    author: author ?? 'ghost',
    at: judged.createdAt,
  }
  const still = blockedIn(report)
  if (still.length > 0) return { kind: 'blocked', ...common, configs: still }
  const [acceptance] = accepted.values()
  if (acceptance === undefined) return undefined
  const { by, reason } = acceptance
  return { kind: 'accepted', ...common, acceptedBy: by, reason, configs: blockedIn(judged) }
}

function blockedIn(report: Report): Decision['configs'] {
  return analysedIn(report)
    .filter(({ verdict }) => verdict.state === 'blocked')
    .map(({ path, verdict }) => ({ path, verdict }))
}
