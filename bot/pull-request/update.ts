/**
 * Updates a pull request: reads its state from GitHub and the database, and writes only what differs. The event that
 * led here does not matter: at most three writes the first time, and none the second.
 */

import { findCheck } from '../check.ts'
import { explanationFor } from '../commands/explain.ts'
import { keepComment } from '../comment.ts'
import { type PullRequest, readPullRequest, type Work } from '../github.ts'
import { applyLeniency, readLeniency } from '../leniency/leniency.ts'
import type { Measurement } from '../measurement/state.ts'
import { failureOf } from '../queue/failure.ts'
import { noteDecision } from '../reports/decision.ts'
import { keepExplanation } from '../store/explanations.ts'
import { renewMeasurements } from '../store/measurements.ts'
import { answerRerun, openRerun } from '../store/reruns.ts'
import { keepSeen } from '../store/seen-pulls.ts'
import { suggestionsFor } from '../suggestions/suggest.ts'
import type { Suggestion } from '../suggestions/suggestion.ts'
import { CheckSlot } from './check-slot.ts'
import { desiredCheck, desiredComment, type Findings, failedCheck } from './desired.ts'
import { judgePull } from './judge.ts'
import { leaveSuperseded } from './superseded.ts'

export async function updatePullRequest(work: Work, number: number): Promise<void> {
  const pull = await readPullRequest(work, number)
  await leaveSuperseded(work, pull)
  if (!pull.isOpen) return
  const commit = { ...work.place, headSha: pull.headSha }
  const rerun = await openRerun(work.database, commit)
  if (rerun !== undefined) await renewMeasurements(work.database, work.place, pull.headSha)
  // A re-run needs a new check: GitHub has reset the old one to pending.
  const slot = new CheckSlot(work, pull, rerun === undefined ? await findCheck(work, pull.headSha) : undefined)
  try {
    await tell(work, pull, slot)
    await keepSeen(work.database, { ...work.place, pullNumber: number }, pull.headSha)
    work.log.info({ pull: number, head: pull.headSha }, 'A pull request is up to date')
  } catch (error) {
    if (failureOf(error, new Date()).kind !== 'fault') throw error
    await slot.keep(failedCheck(error), undefined)
    throw error
  } finally {
    if (rerun !== undefined && slot.isKept) await answerRerun(work.database, commit, rerun)
  }
}

/** Reports on a pull request whose job failed too often, unless an earlier check says something. */
export async function giveUpOn(work: Work, number: number): Promise<void> {
  const pull = await readPullRequest(work, number)
  if (!pull.isOpen) return
  const slot = new CheckSlot(work, pull, await findCheck(work, pull.headSha))
  if (!slot.isCompleted) await slot.keep(failedCheck(undefined), undefined)
}

async function tell(work: Work, pull: PullRequest, slot: CheckSlot): Promise<void> {
  const judgement = await judgePull(work, pull, () => slot.begin())
  const leniency = await readLeniency(work.database, { ...work.place, pullNumber: pull.number })
  const lenient = applyLeniency(judgement.report, leniency, new Date())
  const { report, remarks, isQuiet } = lenient
  const findings: Findings = { ...judgement, headSha: pull.headSha, report, remarks }
  await slot.keep(desiredCheck(findings), deadlineOf(judgement.measurement))
  await startMeasuring(work, pull, judgement.measurement)
  const markdown = await explanationFor(work, judgement)
  await keepExplanation(work.database, { ...work.place, pullNumber: pull.number }, { headSha: pull.headSha, markdown })
  await noteDecision(work, pull, judgement.report, lenient)
  if (isQuiet) return
  await comment(work, pull, findings)
  // A suggestion cannot be withdrawn, so it waits for measured figures.
  if (judgement.measurement.kind !== 'waiting')
    await startSuggesting(work, pull, await suggestionsFor(work, judgement, report))
}

function deadlineOf(measurement: Measurement): Date | undefined {
  return measurement.kind === 'waiting' ? measurement.deadline : undefined
}

/** Starts the measurement in a job of its own, to keep to three writes; the dispatch is idempotent. */
async function startMeasuring({ queue, place }: Work, pull: PullRequest, measurement: Measurement): Promise<void> {
  if (measurement.kind !== 'waiting' || measurement.for !== 'dispatch') return
  await queue.send([{ kind: 'dispatch', ...place, number: pull.number, headSha: pull.headSha }])
}

/** In a job of its own too: if GitHub refuses the review, nothing else is affected. */
async function startSuggesting(
  { queue, place }: Work,
  { number, headSha }: PullRequest,
  suggestions: readonly Suggestion[],
): Promise<void> {
  if (suggestions.length === 0) return
  await queue.send([{ kind: 'suggest', ...place, number, headSha, suggestions: [...suggestions] }])
}

/** Each commit has its check; the comment belongs to the newest commit, which may have changed meanwhile. */
async function comment(work: Work, pull: PullRequest, findings: Findings): Promise<void> {
  const current = await readPullRequest(work, pull.number)
  if (!current.isOpen || current.headSha !== pull.headSha) return
  const isOne = await keepComment(work, pull.number, desiredComment(findings))
  if (!isOne) await work.queue.send([{ kind: 'pull-request', ...work.place, number: pull.number }])
}
