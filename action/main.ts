/** The Action: what changed → read it as data → analyse → report, comment and the rest of what people see → fail by policy. */
import path from 'node:path'
import * as core from '@actions/core'
import { context } from '@actions/github'
import { analyze, type Report, renderCheck } from '../engine/index.ts'
import { baseOf } from './base.ts'
import { selectCandidates } from './candidates.ts'
import { findChangedFiles } from './changed-files.ts'
import { type CommentMode, type CommentOutcome, keepComment } from './comment.ts'
import { fetchFiles, fetchText } from './contents.ts'
import { describeSubject, readSubject, type Subject } from './event.ts'
import { failureMessage } from './failure.ts'
import { connect, type GitHub } from './github.ts'
import { readInputs } from './inputs.ts'
import { outputsOf } from './outputs.ts'
import { annotate, failByPolicy, logComment, setOutputs, writeSummary } from './publish.ts'
import { removeStaleReport, writeReport } from './report-file.ts'
import { readTeamSettings, remarksOnProposal } from './settings.ts'

async function main(): Promise<void> {
  const subject = readSubject(context.eventName, context.payload, context.sha)
  core.info(`MemoryMark looks at ${describeSubject(subject)}.`)
  if (subject.kind === 'deleted-branch') return

  const inputs = readInputs(name => core.getInput(name))
  const reportPath = path.resolve(process.env.GITHUB_WORKSPACE ?? '.', inputs.reportPath)
  await removeStaleReport(reportPath)

  const github = connect(inputs.token)
  const changed = await findChangedFiles(github, context.repo, subject)
  const { settings, remarks } = await readTeamSettings(github, context.repo)
  const proposal = await remarksOnProposal(github, context.repo, subject, changed.paths)
  const candidates = selectCandidates(changed.paths, { ...settings, ...(inputs.paths && { paths: inputs.paths }) })
  const fetched = await fetchFiles(github, context.repo, subject.headSha, candidates.paths)
  core.info(`Of ${changed.paths.length} files, ${fetched.files.length} may be training configs.`)

  const models = {
    readFile: (file: string) => fetchText(github, context.repo, subject.headSha, file),
  }
  const base = baseOf(github, context.repo, subject, changed)
  const report = await analyze(fetched.files, {
    ...inputs.analysis,
    settings,
    models,
    ...(base && { base }),
    now: new Date(),
  })
  await writeReport(report, reportPath)
  await writeSummary(report)
  annotate(renderCheck(report).annotations, [
    ...remarks,
    ...proposal,
    ...changed.remarks,
    ...candidates.remarks,
    ...fetched.remarks,
  ])
  const comment = await commentOn(github, subject, inputs.comment, report)
  logComment(comment)
  setOutputs(outputsOf({ report, reportPath, comment }))
  failByPolicy(report)
}

async function commentOn(github: GitHub, subject: Subject, mode: CommentMode, report: Report): Promise<CommentOutcome> {
  if (subject.kind !== 'pull-request' || mode === 'never') return { kind: 'not-wanted' }
  return keepComment(github, { repository: context.repo, pullNumber: subject.number, mode, report })
}

try {
  await main()
} catch (error) {
  core.setFailed(failureMessage(error))
}
