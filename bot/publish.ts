/** A report, told on the pull request: first the check, then the comment. */
import { type RenderedCheck, type Report, renderCheck, renderComment } from '../engine/index.ts'
import { completeCheck } from './check.ts'
import { keepComment } from './comment.ts'
import { openPullRequest, type PullRequest, type Work } from './github.ts'

/** `remarks`: what the reader must know about how the report came to be. */
export async function publish(
  work: Work,
  pull: PullRequest,
  checkRunId: number,
  report: Report,
  remarks: readonly string[],
): Promise<void> {
  await completeCheck(work, checkRunId, withRemarks(renderCheck(report), remarks, report.configs.length > 0))
  // The check belongs to its commit; the comment belongs to the newest one, which may have come meanwhile.
  const current = await openPullRequest(work, pull.number)
  if (current?.headSha !== pull.headSha) return
  const statusNote = remarks.join(' ')
  await keepComment(work, pull.number, renderComment(report, statusNote === '' ? {} : { statusNote }))
}

/** Nothing found where not everything was looked at is no success. */
function withRemarks(check: RenderedCheck, remarks: readonly string[], foundAny: boolean): RenderedCheck {
  if (remarks.length === 0) return check
  return {
    ...check,
    summary: `${remarks.join(' ')}\n\n${check.summary}`,
    conclusion: foundAny ? check.conclusion : 'neutral',
  }
}
