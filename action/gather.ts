/** Everything that a mode reads of the repository, as data: the configs in question, their models, their base, the settings. */
import * as core from '@actions/core'
import type { AnalyzeOptions, SourceFile } from '../engine/index.ts'
import { baseOf } from './base.ts'
import { selectCandidates } from './candidates.ts'
import { findChangedFiles } from './changed-files.ts'
import { fetchFiles, fetchText } from './contents.ts'
import { type Subject, short } from './event.ts'
import type { Job } from './job.ts'
import { readTeamSettings, remarksOnProposal } from './settings.ts'

export interface Gathered {
  readonly files: readonly SourceFile[]
  readonly options: AnalyzeOptions
  /** What the reader must know of how the files were found, one sentence each. */
  readonly remarks: readonly string[]
}

/** `only`: the one path that is wanted of them. */
export async function gather({ github, run, subject, inputs }: Job, only?: string): Promise<Gathered> {
  const { repository } = run
  const changed = await findChangedFiles(github, repository, subject)
  const { settings, remarks } = await readTeamSettings(github, repository)
  const proposal = await remarksOnProposal(github, repository, subject, changed.paths)
  const candidates =
    only === undefined
      ? selectCandidates(changed.paths, { ...settings, ...(inputs.paths && { paths: inputs.paths }) })
      : { paths: [only], remarks: [] }
  const fetched = await fetchFiles(github, repository, subject.headSha, candidates.paths)
  core.info(`Of ${changed.paths.length} files, ${fetched.files.length} may be training configs.`)
  const base = baseOf(github, repository, subject, changed)
  return {
    files: fetched.files,
    options: {
      ...inputs.analysis,
      settings,
      models: { readFile: file => fetchText(github, repository, subject.headSha, file) },
      ...(base && { base }),
      now: new Date(),
    },
    remarks: [
      ...remarks,
      ...proposal,
      ...changed.remarks,
      ...candidates.remarks,
      ...fetched.remarks,
      ...missing(fetched.absent, subject),
    ],
  }
}

/** GitHub lists the files of a pull request as it is now, whichever commit the event is about. */
function missing(absent: readonly string[], { headSha }: Subject): string[] {
  if (absent.length === 0) return []
  return [
    `Of the files that GitHub lists, ${absent.length} are not at ${short(headSha)}: the pull request has moved on, and this result is of an older commit.`,
  ]
}
