/** The one check on a commit: begun at once, always completed. */
import type { RenderedCheck } from '../engine/index.ts'
import type { Work } from './github.ts'

export const CHECK_NAME = 'MemoryMark'

/** GitHub's limit for one request; further ones append. */
const ANNOTATIONS_A_REQUEST = 50

/** GitHub's limit, in characters. */
const MAX_TITLE = 255

export interface Check {
  readonly id: number
  readonly completed: boolean
  readonly annotations: number
  readonly title: string
  readonly summary: string
  readonly text: string
}

/** The newest check of this App on the commit. */
export async function findCheck({ github, repository, appId }: Work, headSha: string): Promise<Check | undefined> {
  const { data } = await github.rest.checks.listForRef({
    ...repository,
    ref: headSha,
    check_name: CHECK_NAME,
    app_id: appId,
    filter: 'latest',
  })
  const run = data.check_runs.at(0)
  return (
    run && {
      id: run.id,
      completed: run.status === 'completed',
      annotations: run.output.annotations_count,
      title: run.output.title ?? '',
      summary: run.output.summary ?? '',
      text: run.output.text ?? '',
    }
  )
}

/**
 * The id of a check that is in progress. A check that has annotations is not used again: GitHub can only add to them.
 * A newer check of the same name takes its place.
 */
export async function beginCheck({ github, repository }: Work, headSha: string, existing?: Check): Promise<number> {
  const state = {
    status: 'in_progress',
    output: {
      title: 'Reading the training configs',
      summary: 'MemoryMark is looking at the files this commit changes.',
    },
  } as const
  if (existing !== undefined && existing.annotations === 0) {
    await github.rest.checks.update({ ...repository, check_run_id: existing.id, ...state })
    return existing.id
  }
  const { data } = await github.rest.checks.create({ ...repository, name: CHECK_NAME, head_sha: headSha, ...state })
  return data.id
}

/** Completed only with the last annotation, so that nobody reads half a verdict. */
export async function completeCheck(work: Work, checkRunId: number, rendered: RenderedCheck): Promise<void> {
  const { title, summary, text, conclusion } = rendered
  const annotations = rendered.annotations.map(({ path, line, level, title, message }) => ({
    path,
    start_line: line,
    end_line: line,
    annotation_level: level,
    title: title.slice(0, MAX_TITLE),
    message,
  }))
  const output = { title, summary, text }
  while (annotations.length > ANNOTATIONS_A_REQUEST) {
    const batch = annotations.splice(0, ANNOTATIONS_A_REQUEST)
    await updateCheck(work, checkRunId, { output: { ...output, annotations: batch } })
  }
  await updateCheck(work, checkRunId, { status: 'completed', conclusion, output: { ...output, annotations } })
}

/** Puts a remark above what the check says and leaves its conclusion alone. */
export async function remarkOnCheck(work: Work, { id, title, summary, text }: Check, remark: string): Promise<void> {
  if (summary.startsWith(remark)) return
  await updateCheck(work, id, { output: { title, summary: `${remark}\n\n${summary}`, text } })
}

type Update = Omit<
  NonNullable<Parameters<Work['github']['rest']['checks']['update']>[0]>,
  'owner' | 'repo' | 'check_run_id'
>

export async function updateCheck({ github, repository }: Work, checkRunId: number, change: Update): Promise<void> {
  await github.rest.checks.update({ ...repository, check_run_id: checkRunId, ...change })
}
