/** The one check run on a commit, found by its App and name, and written only when its content changes. */
import { createHash } from 'node:crypto'
import type { RenderedCheck } from '../engine/index.ts'
import type { Work } from './github.ts'

export const CHECK_NAME = 'MemoryMark'

/** The identifier of our "Re-run" button in webhooks. */
export const RERUN_ACTION = 'rerun'

/**
 * GitHub's limit for one request. We use no more than one request, since more annotations would need further writes.
 */
const MAX_ANNOTATIONS = 50

/** GitHub's limits, in characters. */
const MAX_TITLE = 255
const MAX_SUMMARY = 65_535

export interface DesiredCheck extends Omit<RenderedCheck, 'conclusion'> {
  /** `measuring`: in progress. Every other state is the check's conclusion. */
  readonly state: 'measuring' | RenderedCheck['conclusion'] | 'cancelled'
  /** Whether our "Re-run" button stands on it. */
  readonly canRerun: boolean
}

export interface Check {
  readonly id: number
  readonly isCompleted: boolean
  readonly annotations: number
  /** The digest of what we last wrote, see `digestOf`. */
  readonly digest: string
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
  const run = data.check_runs.toSorted((a, b) => b.id - a.id).at(0)
  return (
    run && {
      id: run.id,
      isCompleted: run.status === 'completed',
      annotations: run.output.annotations_count,
      digest: run.external_id ?? '',
    }
  )
}

/** Creates a check in progress before a long read, so that people see it at once. */
export async function beginCheck(work: Work, headSha: string): Promise<Check> {
  const { github, repository } = work
  const { data } = await github.rest.checks.create({
    ...repository,
    name: CHECK_NAME,
    head_sha: headSha,
    status: 'in_progress',
    output: {
      title: 'Reading the training configs',
      summary: 'MemoryMark is reading the files that this commit changes.',
    },
  })
  return { id: data.id, isCompleted: false, annotations: 0, digest: '' }
}

/** `existing`: undefined to create a check, which replaces an older one of the same name. Makes at most one write. */
export async function keepCheck(
  { github, repository }: Work,
  headSha: string,
  existing: Check | undefined,
  desired: DesiredCheck,
): Promise<number> {
  const digest = digestOf(desired)
  if (existing?.digest === digest && existing.isCompleted === (desired.state !== 'measuring')) return existing.id
  // GitHub can add annotations but not remove them, so a check is reused only if its annotations stay the same.
  const hasSame = existing !== undefined && annotationsIn(existing.digest) === annotationsIn(digest)
  const content = { external_id: digest, ...statusOf(desired), ...(desired.canRerun && { actions: [rerunButton] }) }
  if (existing !== undefined && (hasSame || existing.annotations === 0)) {
    const output = outputOf(desired, hasSame ? [] : annotationsOf(desired))
    await github.rest.checks.update({ ...repository, check_run_id: existing.id, ...content, output })
    return existing.id
  }
  const output = outputOf(desired, annotationsOf(desired))
  const { data } = await github.rest.checks.create({
    ...repository,
    name: CHECK_NAME,
    head_sha: headSha,
    ...content,
    output,
  })
  return data.id
}

/** GitHub's limits: 20 characters of label and identifier, 40 of description. */
const rerunButton = { label: 'Re-run', description: 'Read, judge and measure again', identifier: RERUN_ACTION }

function statusOf({ state }: DesiredCheck) {
  return state === 'measuring'
    ? ({ status: 'in_progress' } as const)
    : ({ status: 'completed', conclusion: state } as const)
}

function outputOf({ title, summary, text }: DesiredCheck, annotations: ReturnType<typeof annotationsOf>) {
  return {
    title: title.slice(0, MAX_TITLE),
    summary: summary.slice(0, MAX_SUMMARY),
    text,
    ...(annotations.length > 0 && { annotations }),
  }
}

const gravity = { failure: 0, warning: 1, notice: 2 } as const

/** The gravest annotations, up to GitHub's limit; the others are in the text. */
function annotationsOf({ annotations }: DesiredCheck) {
  return annotations
    .toSorted((a, b) => gravity[a.level] - gravity[b.level])
    .slice(0, MAX_ANNOTATIONS)
    .map(({ path, line, level, title, message }) => ({
      path,
      start_line: line,
      end_line: line,
      annotation_level: level,
      title: title.slice(0, MAX_TITLE),
      message,
    }))
}

/** Stored as the check's `external_id`, which tells its content without a database. */
function digestOf(desired: DesiredCheck): string {
  return `${hash(annotationsOf(desired))}/${hash({ ...desired, annotations: [] })}`
}

function annotationsIn(digest: string): string {
  return digest.split('/', 1)[0] ?? ''
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)
}
