/** Whether a pull request stands as it should, by the engine itself and GitHub's own word. */
import {
  analyze,
  commentMarker,
  isCandidatePath,
  type Report,
  renderCheck,
  type SourceFile,
} from '../../engine/index.ts'
import { memoryMarkApp, type Repository } from '../../test/github/index.ts'
import type { Ending } from './stories.ts'

export interface Told extends Ending {
  readonly story: string
  readonly repository: Repository
}

const CHECK = 'MemoryMark'

/** What is wrong with it, one clause each; nothing where all is as it should be. */
export async function faultsOf(told: Told): Promise<readonly string[]> {
  const { repository, pullRequest } = told
  const expected = renderCheck(told.measured ?? (await independentReport(told)))
  const runs = (await repository.checkRuns(pullRequest.headSha)).filter(
    ({ name, app }) => name === CHECK && app?.id === memoryMarkApp.id,
  )
  const comments = (await repository.comments(pullRequest)).filter(
    ({ body, performed_via_github_app: app }) => app?.id === memoryMarkApp.id && body.includes(commentMarker),
  )
  const newest = runs.at(-1)
  return [
    ...(runs.length === 1 ? [] : [`${runs.length} checks on the newest commit`]),
    ...(newest === undefined || newest.status === 'completed' ? [] : [`its check is ${newest.status}`]),
    ...(newest === undefined || newest.conclusion === expected.conclusion
      ? []
      : [`its check concludes ${newest.conclusion}, the engine ${expected.conclusion}`]),
    ...(newest === undefined || newest.output.title === expected.title
      ? []
      : [`its check is titled "${newest.output.title}", by the engine "${expected.title}"`]),
    ...(comments.length <= 1 ? [] : [`${comments.length} comments`]),
  ]
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
