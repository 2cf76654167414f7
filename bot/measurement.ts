/** From a finished workflow run to the same check and comment, by the report that the run uploaded. */
import { type ArchiveReading, readReportArchive } from './archive.ts'
import { downloadArtifact } from './artifact.ts'
import { beginCheck, findCheck, remarkOnCheck } from './check.ts'
import { finishing } from './finish.ts'
import { openPullRequest, type PullRequest, type Work } from './github.ts'
import { publish } from './publish.ts'
import { reviewPullRequest } from './review.ts'

export interface FinishedRun {
  readonly id: number
  readonly headSha: string
  /** Path of the workflow file in the repository. */
  readonly workflowPath: string
}

/** The pull request and its SHA are GitHub's word; the artifact has no say in where it is told. */
export async function takeMeasurement(work: Work, pullNumber: number, run: FinishedRun): Promise<void> {
  const pull = await openPullRequest(work, pullNumber)
  if (pull?.headSha !== run.headSha) return
  const reading = await readMeasurement(work, pull, run)
  switch (reading.kind) {
    case 'none':
      return
    case 'unusable':
      return refuse(work, pull, reading.why)
    case 'report': {
      // A run that looked at no config has nothing to put in an estimate's place.
      if (reading.report.configs.length === 0) return
      const checkRunId = await beginCheck(work, run.headSha, await findCheck(work, run.headSha))
      return finishing(work, checkRunId, () => publish(work, pull, checkRunId, reading.report, []))
    }
  }
}

async function readMeasurement(
  work: Work,
  pull: PullRequest,
  run: FinishedRun,
): Promise<ArchiveReading | { kind: 'none' }> {
  const download = await downloadArtifact(work, run.id)
  switch (download.kind) {
    case 'none':
      return download
    case 'too-large':
      return { kind: 'unusable', why: 'its archive is larger than 5 MiB' }
    case 'zip':
      // Whoever may edit the workflow may also make up its report, and with it a green check.
      if (await changesWorkflow(work, pull, run.workflowPath)) {
        return { kind: 'unusable', why: 'this pull request changes the workflow that made it' }
      }
      return readReportArchive(download.zip)
  }
}

/** A report that cannot be used turns nothing green: the estimate stands, and is made where a lost webhook left none. */
async function refuse(work: Work, { number: pullNumber, headSha }: PullRequest, why: string): Promise<void> {
  await reviewPullRequest(work, { pullNumber, headSha, afresh: false })
  const check = await findCheck(work, headSha)
  if (check !== undefined) await remarkOnCheck(work, check, `The report of the workflow run was not used: ${why}.`)
}

async function changesWorkflow(
  { github, repository }: Work,
  pull: PullRequest,
  workflowPath: string,
): Promise<boolean> {
  const files = await github.paginate(github.rest.pulls.listFiles, {
    ...repository,
    pull_number: pull.number,
    per_page: 100,
  })
  return files.length < pull.changedFiles || files.some(({ filename }) => filename === workflowPath)
}
