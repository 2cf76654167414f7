/**
 * Reads a finished run's report and stores its results. Which pull request and commit it belongs to is decided by
 * GitHub, not by the artifact.
 */
import { configKey, type Report, restingOn } from '../../engine/index.ts'
import type { ReadChange } from '../../github/change.ts'
import type { PullRequest, Work } from '../github.ts'
import { keepReported, type ReportedConfig } from '../store/measured-configs.ts'
import { keepTakenRun, type MeasurementKey, type TakenOutcome, takenRun } from '../store/measurements.ts'
import { type ArchiveReading, readReportArchive } from './archive.ts'
import { downloadArtifact } from './artifact.ts'
import type { Run } from './run.ts'

export interface TakingFrom {
  readonly pull: PullRequest
  readonly read: Pick<ReadChange, 'blobs' | 'baseBlobSha' | 'changed'>
  /** Our estimate of the same commit. */
  readonly estimate: Report
  readonly run: Run
  /** Path of the workflow, if the pull request could have changed it. */
  readonly ownWorkflow: string | undefined
}

/** Each run is read once, and the result is stored. */
export async function takeReport(work: Work, from: TakingFrom): Promise<TakenOutcome> {
  const { pull, run } = from
  const key: MeasurementKey = { ...work.place, pullNumber: pull.number, headSha: pull.headSha }
  const before = await takenRun(work.database, key, run)
  if (before !== undefined) return before
  const reading = await readMeasurement(work, from)
  const kept = reading.kind === 'report' ? await reportedFrom(from, reading.report) : []
  const outcome = outcomeOf(reading, kept)
  const foreign = reading.kind === 'report' ? reading.report.configs.length - kept.length : 0
  if (foreign > 0)
    work.log.warn({ pull: pull.number, run: run.id, foreign }, 'A report tells of configs that are not its own')
  if (outcome.kind === 'unusable')
    work.log.warn({ pull: pull.number, run: run.id, why: outcome.why }, 'A report was not used')
  await work.database.transaction(async sql => {
    await keepReported(sql, work.place, pull.headSha, kept)
    await keepTakenRun(sql, key, run, outcome)
  })
  return outcome
}

function outcomeOf(reading: ArchiveReading | { kind: 'none' }, kept: readonly ReportedConfig[]): TakenOutcome {
  switch (reading.kind) {
    case 'none':
      return { kind: 'none' }
    case 'unusable':
      return { kind: 'unusable', why: reading.why }
    case 'report':
      return kept.length === 0 && reading.report.configs.length > 0
        ? { kind: 'unusable', why: 'it is about no config that this pull request changes' }
        : { kind: kept.length > 0 ? 'report' : 'none' }
  }
}

async function readMeasurement(
  work: Work,
  { read, run, ownWorkflow }: TakingFrom,
): Promise<ArchiveReading | { kind: 'none' }> {
  const download = await downloadArtifact(work, run.id)
  switch (download.kind) {
    case 'none':
      return download
    case 'too-large':
      return { kind: 'unusable', why: 'its archive is larger than 5 MiB' }
    case 'zip':
      // Whoever can edit the workflow can forge its report, and so a green check.
      if (ownWorkflow !== undefined && read.changed.touches(ownWorkflow)) {
        return { kind: 'unusable', why: 'this pull request changes the workflow that made it' }
      }
      return readReportArchive(download.zip, work.engine)
  }
}

/**
 * Keeps only results for files that GitHub lists as changed; the other files that a config depends on are taken from
 * our own reading.
 */
async function reportedFrom(
  { pull, read, estimate, run }: TakingFrom,
  report: Report,
): Promise<readonly ReportedConfig[]> {
  const results = Map.groupBy(report.configs, ({ path }) => path)
  const estimates = new Map(estimate.configs.map(config => [configKey(config), config]))
  const reported: ReportedConfig[] = []
  for (const blob of read.blobs) {
    const ofFile = new Map((results.get(blob.path) ?? []).map(result => [configKey(result), result]))
    if (ofFile.size === 0) continue
    const baseBlobSha = (await read.baseBlobSha(blob.path)) ?? ''
    for (const [path, reportedResult] of ofFile) {
      if (path !== blob.path && !estimates.has(path)) continue
      const result = restingOn(reportedResult, estimates.get(path))
      const from = { policy: report.policy, runId: run.id, pullNumber: pull.number }
      reported.push({ blobSha: blob.blobSha, path, baseBlobSha, result, ...from })
    }
  }
  return reported
}
