/** Whether a pull request stands as it should, by the engine itself and GitHub's own word. */
import {
  analyze,
  commentMarker,
  isCandidatePath,
  type Report,
  renderCheck,
  type SourceFile,
} from '../../engine/index.ts'
import { type CheckRunJson, memoryMarkApp, type Repository } from '../../test/github/index.ts'
import type { Ending } from './stories.ts'

export interface Told extends Ending {
  readonly story: string
  readonly repository: Repository
}

const CHECK = 'MemoryMark'

/** What is wrong with it, one clause each; nothing where all is as it should be. */
export async function faultsOf(told: Told): Promise<readonly string[]> {
  return [...(await checkFaults(told)), ...(await hangingFaults(told)), ...(await commentFaults(told))]
}

async function checkFaults(told: Told): Promise<readonly string[]> {
  const expected = renderCheck(told.measured ?? (await independentReport(told)))
  const runs = await ownChecks(told, told.pullRequest.headSha)
  // GitHub can only add annotations: a measurement that says less than the estimate takes a check run of its own.
  const most = told.measured === undefined ? 1 : 2
  const newest = runs.at(-1)
  if (newest === undefined) return ['no check on the newest commit']
  return [
    ...(runs.length <= most ? [] : [`${runs.length} checks on the newest commit`]),
    ...(newest.conclusion === expected.conclusion
      ? []
      : [`its check is ${newest.status} with ${newest.conclusion}, the engine says ${expected.conclusion}`]),
    ...(told.measured !== undefined || newest.output.title === expected.title
      ? []
      : [`its check is titled "${newest.output.title}", by the engine "${expected.title}"`]),
  ]
}

/** A check that never ends would hold up whoever requires it, whatever stands on newer commits. */
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

async function commentFaults({ repository, pullRequest }: Told): Promise<readonly string[]> {
  const comments = (await repository.comments(pullRequest)).filter(
    ({ body, performed_via_github_app: app }) => app?.id === memoryMarkApp.id && body.includes(commentMarker),
  )
  return comments.length <= 1 ? [] : [`${comments.length} comments`]
}

/** From the files of the pull request as a person would read them, without the bot's help. */
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
    base: path => repository.fileAt(formerPaths.get(path) ?? path, base.sha),
  })
}
