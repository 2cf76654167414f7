/**
 * Publishes a report from the job: report file, job summary, annotations, comment and outputs, and fails the job if it
 * blocks.
 */
import * as core from '@actions/core'
import { type Annotation, escapeText, type Report, renderCheck, renderComment, verdictState } from '../engine/index.ts'
import { selectAnnotations } from './annotations.ts'
import { type CommentOutcome, keepComment } from './comment.ts'
import type { Job } from './job.ts'
import { nothingPublished, outputsOf } from './outputs.ts'
import { writeReport } from './report-file.ts'

export interface Publication {
  /** Sentences for the reader on how the figures were obtained. */
  readonly remarks: readonly string[]
  /** Markdown for the end of the job summary. */
  readonly appendix?: string
}

export async function publish(job: Job, report: Report, { remarks, appendix }: Publication): Promise<void> {
  await writeReport(report, job.reportPath)
  const told = inMarkdown(remarks)
  await writeSummary(report, told, appendix)
  annotate(renderCheck(report).annotations, remarks)
  const comment = await commentOn(job, report, told)
  logComment(comment)
  setOutputs(outputsOf({ report, reportPath: job.reportPath, comment }))
  failByPolicy(report)
}

/** For a run that finds nothing to check. */
export function publishNothing(): void {
  setOutputs(nothingPublished)
}

/** Further problems of the settings are in the log. */
const MAX_REMARKS = 10

function inMarkdown(remarks: readonly string[]): readonly string[] {
  return remarks.slice(0, MAX_REMARKS).map(remark => escapeText(remark))
}

async function commentOn(
  { github, run, subject, inputs }: Job,
  report: Report,
  remarks: readonly string[],
): Promise<CommentOutcome> {
  if (subject.kind !== 'pull-request' || inputs.comment === 'never') return { kind: 'not-wanted' }
  return keepComment(github, {
    repository: run.repository,
    pullNumber: subject.number,
    mode: inputs.comment,
    report,
    remarks,
  })
}

function annotate(annotations: readonly Annotation[], remarks: readonly string[]): void {
  for (const remark of remarks) core.warning(remark)
  // A blocked job adds one annotation for its own failure.
  const { shown, leftOut } = selectAnnotations(annotations, { failure: 1, warning: remarks.length, notice: 0 })
  for (const { path, line, title, message, level } of shown) {
    annotators[level](message, { file: path, startLine: line, title })
  }
  if (leftOut > 0)
    core.info(`GitHub shows at most ten annotations of a kind; ${leftOut} more are in the job summary only.`)
}

const annotators = { failure: core.error, warning: core.warning, notice: core.notice }

/** The Markdown is at most a comment and an appendix, far below the 1 MiB above which GitHub drops a summary. */
async function writeSummary(report: Report, remarks: readonly string[], appendix: string | undefined): Promise<void> {
  const main = renderComment(report, { remarks }) ?? renderCheck(report, { remarks }).summary
  const markdown = [main, ...(appendix ? [appendix] : [])].join('\n\n')
  if (process.env.GITHUB_STEP_SUMMARY) await core.summary.addRaw(markdown, true).write()
}

export function setOutputs(outputs: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(outputs)) core.setOutput(name, value)
}

function failByPolicy(report: Report): void {
  const { title } = renderCheck(report)
  if (verdictState(report) === 'blocked') core.setFailed(`${title}.`)
  else core.info(`${title}.`)
}

function logComment(outcome: CommentOutcome): void {
  switch (outcome.kind) {
    case 'created':
    case 'updated':
      core.info(`Comment ${outcome.kind}: ${outcome.url}`)
      break
    case 'unchanged':
      core.info(`The comment is already up to date: ${outcome.url}`)
      break
    case 'left-to-app':
      core.info(`The MemoryMark app comments on this pull request: ${outcome.url}`)
      break
    case 'nothing-to-say':
      core.info('No comment: no training config changed.')
      break
    case 'not-wanted':
      break
    case 'not-permitted':
      core.info(
        'No comment: the token is not allowed to write one. On a pull request from a fork it is read-only; otherwise, give the job `pull-requests: write`. The result is in the job summary.',
      )
      break
    case 'failed':
      core.warning(`The comment could not be written: ${outcome.message}. The result is in the job summary.`)
      break
    default:
      outcome satisfies never
  }
}
