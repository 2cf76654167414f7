/** Compares a pull request's state on GitHub with what the engine says. */

import { defaultGpu } from '../../engine/gpus/catalogue.ts'
import {
  analyze,
  commentMarker,
  isCandidatePath,
  nothingToMeasure,
  type Report,
  renderCheck,
  renderComment,
  type SourceFile,
} from '../../engine/index.ts'
import { type CheckRunJson, memoryMarkApp, type Repository } from '../../test/github/index.ts'
import type { Ending } from './stories.ts'

export interface Told extends Ending {
  readonly story: string
  readonly repository: Repository
}

const CHECK = 'MemoryMark'

/** Nothing blocks if no GPU is named. */
export const trainedOn = defaultGpu

/** What is wrong with it, one clause each; empty if all is right. */
export async function faultsOf(told: Told): Promise<readonly string[]> {
  if (told.isHostile) return hostileFaults(told)
  const report = told.measured ?? (await independentReport(told))
  const faults = await Promise.all([
    checkFaults(told, report),
    groupFaults(told, report),
    hangingFaults(told),
    commentFaults(told, report),
  ])
  return faults.flat()
}

/**
 * For hostile pull requests the result is not compared, because the same files would stop the engine in this process.
 */
async function hostileFaults(told: Told): Promise<readonly string[]> {
  const runs = await ownChecks(told, told.pullRequest.headSha)
  const comments = await told.repository.comments(told.pullRequest)
  const own = comments.filter(({ performed_via_github_app: app }) => app?.id === memoryMarkApp.id)
  return [
    ...(runs.length === 1 ? [] : [`${runs.length} checks on the newest commit`]),
    ...(own.length <= 1 ? [] : [`${own.length} comments`]),
    ...(await hangingFaults(told)),
  ]
}

async function checkFaults(told: Told, report: Report): Promise<readonly string[]> {
  const expected = renderCheck(report)
  const runs = await ownChecks(told, told.pullRequest.headSha)
  // GitHub cannot remove annotations, so a measurement with fewer of them than the estimate needs a check of its own.
  const most = told.measured === undefined ? 1 : 2
  const newest = runs.at(-1)
  if (newest === undefined) return ['no check on the newest commit']
  return [
    ...(runs.length <= most ? [] : [`${runs.length} checks on the newest commit`]),
    ...conclusionFaults('its check', newest, expected.conclusion),
    ...(told.measured !== undefined || newest.output.title === expected.title
      ? []
      : [`its check is titled "${newest.output.title}", by the engine "${expected.title}"`]),
  ]
}

/** A merge queue waits forever for a missing check. */
async function groupFaults(told: Told, report: Report): Promise<readonly string[]> {
  if (told.group === undefined) return []
  const runs = await ownChecks(told, told.group.head_sha)
  const [only] = runs
  if (only === undefined || runs.length > 1) return [`${runs.length} checks on the commit of the merge queue`]
  return conclusionFaults('the check of the merge queue', only, renderCheck(report).conclusion)
}

function conclusionFaults(which: string, { status, conclusion }: CheckRunJson, expected: string): readonly string[] {
  return conclusion === expected ? [] : [`${which} is ${status} with ${conclusion}, the engine says ${expected}`]
}

/** A check that never ends would block the pull request for everybody who requires it. */
async function hangingFaults(told: Told): Promise<readonly string[]> {
  const { headSha, formerShas } = told.pullRequest
  const runs = await Promise.all([...formerShas, headSha].map(sha => ownChecks(told, sha)))
  const hanging = runs.flat().filter(({ status }) => status !== 'completed')
  return hanging.map(({ head_sha, status }) => `a check on ${head_sha.slice(0, 7)} is ${status}`)
}

async function ownChecks({ repository }: Told, sha: string): Promise<readonly CheckRunJson[]> {
  const runs = await repository.checkRuns(sha)
  return runs.filter(({ name, app }) => name === CHECK && app?.id === memoryMarkApp.id)
}

async function commentFaults(
  { repository, pullRequest, commands = 0 }: Told,
  report: Report,
): Promise<readonly string[]> {
  const all = await repository.comments(pullRequest)
  const own = all.filter(({ performed_via_github_app: app }) => app?.id === memoryMarkApp.id)
  const kept = own.filter(({ body }) => body.includes(commentMarker))
  const answers = own.length - kept.length
  return [
    ...(kept.length <= 1 ? [] : [`${kept.length} comments`]),
    ...(answers === commands ? [] : [`${answers} answers to ${commands} commands`]),
    ...verdictFaults(kept.at(0)?.body, renderComment(report)),
  ]
}

/** Compares headlines only, since other text may depend on the time. */
function verdictFaults(body: string | undefined, expected: string | undefined): readonly string[] {
  const headline = expected === undefined ? nothingToMeasure : headlineIn(expected)
  if (body === undefined) return expected === undefined ? [] : ['no comment']
  return body.includes(headline) ? [] : [`its comment says "${headlineIn(body)}", the engine "${headline}"`]
}

function headlineIn(comment: string): string {
  return comment.split('\n').find(line => line.startsWith('#')) ?? ''
}

/** The expected result, from the pull request's files, without the bot. */
async function independentReport({ repository, pullRequest }: Told): Promise<Report> {
  const { base } = await repository.pullRequest(pullRequest)
  const changed = await repository.changedFiles(pullRequest)
  const present = changed.filter(({ status, filename }) => status !== 'removed' && isCandidatePath(filename))
  const files = await Promise.all(
    present.map(async ({ filename }): Promise<SourceFile> => {
      const text = await repository.fileAt(filename, pullRequest.headSha)
      if (text === undefined) throw new Error(`${filename} is listed and cannot be read`)
      return { path: filename, text }
    }),
  )
  const formerPaths = new Map(present.map(file => [file.filename, file.previous_filename ?? file.filename]))
  return analyze(files, {
    now: new Date(0),
    // As in the repositories' settings.
    gpu: trainedOn,
    base: path => repository.fileAt(formerPaths.get(path) ?? path, base.sha),
  })
}
