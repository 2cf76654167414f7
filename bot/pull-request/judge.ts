/** A pull request as it stands: its configs read as data, judged, and laid over with what was measured of them. */
import type { Report, RepositorySettings, SourceFile, Sources } from '../../engine/index.ts'
import { type Candidates, candidatesOfPull, readChange } from '../candidates.ts'
import { readText } from '../file.ts'
import type { PullRequest, Work } from '../github.ts'
import { lookAtRun, planOf } from '../measurement/progress.ts'
import type { Measurement } from '../measurement/state.ts'
import { readTeamSettings } from '../repository-settings.ts'
import { lacksMeasurement, withReported } from './reported.ts'

export interface Judgement {
  /** Before anybody lets anything pass. */
  readonly report: Report
  /** The texts at the head, by which the report was made. */
  readonly files: readonly SourceFile[]
  readonly settings: RepositorySettings
  readonly sources: Sources
  readonly measurement: Measurement
  /** What was not looked at, and what is wrong with the settings; Markdown. */
  readonly gaps: readonly string[]
}

/** Writes nothing to GitHub. `onMany` is told when there is so much to read that people would wait for it. */
export async function judgePull(
  work: Work,
  pull: PullRequest,
  onMany: () => Promise<void> = async () => {},
): Promise<Judgement> {
  const { settings, remarks } = await readTeamSettings(work)
  const touched = await candidatesOfPull(work, pull, settings)
  if (touched.blobs.length > FEW_FILES) await onMany()
  const { candidates, files } = await readChange(work, pull.headSha, touched, settings)
  const sources = sourcesAt(work, pull.headSha)
  const estimate = await work.analyze(files, { settings, sources, base: baseOf(work, pull.baseSha, candidates) })
  const { report, measurement } = await measured(work, pull, { settings, candidates, estimate })
  const gaps = [...remarks, ...candidates.remarks]
  return { report, files, settings, sources, measurement, gaps }
}

/** Reading this many takes about a second. */
const FEW_FILES = 20

/** What configs name may stand in their own repository, or on the Hub where the operator lets us ask it. */
export function sourcesAt(work: Work, commit: string): Sources {
  return { readFile: path => readText(work, commit, path), ...(work.hub && { hub: work.hub }) }
}

/** What a file held before; undefined where there was none. */
export function baseOf(
  work: Work,
  baseSha: string,
  { formerPaths }: Pick<Candidates, 'formerPaths'>,
): (path: string) => Promise<string | undefined> {
  return path => readText(work, baseSha, formerPaths.get(path) ?? path)
}

interface Estimated {
  readonly settings: RepositorySettings
  readonly candidates: Candidates
  readonly estimate: Report
}

/** A measurement that another commit left of the very same configs is as good as one of this commit. */
async function measured(
  work: Work,
  pull: PullRequest,
  { settings, candidates, estimate }: Estimated,
): Promise<{ readonly report: Report; readonly measurement: Measurement }> {
  if (estimate.configs.length === 0) return { report: estimate, measurement: { kind: 'not-due' } }
  const known = await withReported(work, estimate, candidates, pull)
  const plan = planOf(settings, work.workflowPath)
  if (plan.isDue && !lacksMeasurement(known)) return { report: known, measurement: { kind: 'measured' } }
  const measurement = await lookAtRun(work, plan, { pull, candidates, estimate, now: new Date() })
  const report = await withReported(work, estimate, candidates, pull)
  const isLacking = measurement.kind === 'measured' && lacksMeasurement(report)
  return {
    report,
    measurement: isLacking ? { kind: 'ended', how: 'not-measured', workflow: plan.workflow } : measurement,
  }
}
