/** Judges a pull request: reads its configs as data, estimates them, and replaces estimates by measured results. */
import type { Report, RepositorySettings, SourceFile, Sources } from '../../engine/index.ts'
import type { ReadChange } from '../../github/change.ts'
import { changeOfPull, sourcesOf } from '../change.ts'
import type { PullRequest, Work } from '../github.ts'
import { lookAtRun, planOf } from '../measurement/progress.ts'
import type { Measurement } from '../measurement/state.ts'
import { readTeamSettings } from '../repository-settings.ts'
import { lacksMeasurement, withReported } from './reported.ts'

export interface Judgement {
  /** Before acceptances and snoozes. */
  readonly report: Report
  /** The files at the head from which the report was made. */
  readonly files: readonly SourceFile[]
  readonly settings: RepositorySettings
  readonly sources: Sources
  readonly read: ReadChange
  readonly measurement: Measurement
  /** What was not read and problems of the settings; Markdown. */
  readonly gaps: readonly string[]
}

/** Writes nothing to GitHub. `onMany` is called if there is so much to read that people would wait. */
export async function judgePull(
  work: Work,
  pull: PullRequest,
  onMany: () => Promise<void> = async () => {},
): Promise<Judgement> {
  const { settings, remarks } = await readTeamSettings(work)
  const read = await changeOfPull(work, pull).read(settings, async count => {
    if (count > FEW_FILES) await onMany()
  })
  const { files } = read
  const sources = sourcesOf(work, read)
  const estimate = await work.analyze(files, {
    settings,
    sources,
    base: read.base,
    formerVersions: read.formerVersions,
  })
  const { report: known, measurement } = await measured(work, pull, { settings, read, estimate })
  const report = await work.engine.withLevers(known, files, { settings, sources, now: new Date() })
  const gaps = [...remarks, ...read.remarks]
  return { report, files, settings, sources, read, measurement, gaps }
}

/** Reading and judging this many files takes about a second. */
const FEW_FILES = 20

interface Estimated {
  readonly settings: RepositorySettings
  readonly read: ReadChange
  readonly estimate: Report
}

/** A measurement of the same config on another commit counts as well. */
async function measured(
  work: Work,
  pull: PullRequest,
  { settings, read, estimate }: Estimated,
): Promise<{ readonly report: Report; readonly measurement: Measurement }> {
  if (estimate.configs.length === 0) return { report: estimate, measurement: { kind: 'not-due' } }
  const known = await withReported(work, estimate, read, pull.headSha)
  const plan = planOf(settings, work.workflowPath)
  if (plan.isDue && !lacksMeasurement(known)) return { report: known, measurement: { kind: 'measured' } }
  const measurement = await lookAtRun(work, plan, { pull, read, estimate, now: new Date() })
  const report = await withReported(work, estimate, read, pull.headSha)
  const isLacking = measurement.kind === 'measured' && lacksMeasurement(report)
  return {
    report,
    measurement: isLacking ? { kind: 'ended', how: 'not-measured', workflow: plan.workflow } : measurement,
  }
}
