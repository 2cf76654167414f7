/** Everything that a mode reads of the repository, as data: the configs in question, what they name, their base, the settings. */
import * as core from '@actions/core'
import type { AffectedConfigs, AnalyzeOptions, Change, RepositorySettings, SourceFile } from '../engine/index.ts'
import { baseOf } from './base.ts'
import { selectCandidates } from './candidates.ts'
import { type ChangedFiles, findChangedFiles } from './changed-files.ts'
import { fetchFiles, fetchText } from './contents.ts'
import { type Subject, short } from './event.ts'
import type { Job } from './job.ts'
import { refusedInput, shown } from './refused-input.ts'
import { readTeamSettings, remarksOnProposal } from './settings.ts'
import { readTree } from './tree.ts'

export interface Gathered {
  readonly files: readonly SourceFile[]
  readonly options: AnalyzeOptions
  /** What the reader must know of how the files were found, one sentence each. */
  readonly remarks: readonly string[]
}

export async function gather(job: Job): Promise<Gathered> {
  const { github, run, subject, inputs } = job
  const changed = await findChangedFiles(github, run.repository, subject)
  const { settings, remarks } = await readTeamSettings(job)
  const proposal = await remarksOnProposal(job, changed.paths)
  const wanted = { ...settings, ...(inputs.paths && { paths: inputs.paths }) }
  const candidates = selectCandidates(changed.paths, wanted)
  const fetched = await fetchFiles(github, run.repository, subject.headSha, candidates.paths)
  core.info(`Of ${changed.paths.length} files, ${fetched.files.length} may be training configs.`)
  const affected = await findAffected(job, { paths: changed.paths, files: fetched.files }, wanted)
  return {
    files: [...fetched.files, ...affected.files],
    options: optionsOf(job, settings, async () => changed),
    remarks: [
      ...remarks,
      ...proposal,
      ...changed.remarks,
      ...candidates.remarks,
      ...fetched.remarks,
      ...affected.remarks,
      ...missing(fetched.absent, subject),
    ],
  }
}

/** Where every file is looked at, no config is left to be found. */
async function findAffected(
  { github, run: { repository }, subject, engine }: Job,
  change: Change,
  settings: RepositorySettings,
): Promise<AffectedConfigs> {
  if (subject.kind === 'tree') return { files: [], remarks: [] }
  const { headSha } = subject
  return engine.affectedConfigs(change, settings, {
    list: async () => [...(await readTree(github, repository, headSha)).blobs.keys()],
    read: async paths => (await fetchFiles(github, repository, headSha, paths)).files,
  })
}

/**
 * The same for one config, by its path. A fleet of hundreds shares the hourly requests of one repository, so nothing is listed
 * before it is needed.
 */
export async function gatherOne(job: Job, path: string): Promise<Gathered> {
  const { github, run, subject } = job
  const { settings, remarks } = await readTeamSettings(job)
  const fetched = await fetchFiles(github, run.repository, subject.headSha, [path])
  if (fetched.files.length === 0) {
    throw refusedInput(
      'config',
      `There is no file "${shown(path)}" to read at ${short(subject.headSha)}`,
      'Give the path as plan outputs it',
    )
  }
  let changed: Promise<ChangedFiles> | undefined
  const changedOnce = () => (changed ??= findChangedFiles(github, run.repository, subject))
  return { files: fetched.files, options: optionsOf(job, settings, changedOnce), remarks }
}

function optionsOf(
  { github, run: { repository }, subject, inputs }: Job,
  settings: RepositorySettings,
  changed: () => Promise<ChangedFiles>,
): AnalyzeOptions {
  const base = baseOf(github, repository, subject, changed)
  return {
    ...inputs.analysis,
    settings,
    sources: { readFile: file => fetchText(github, repository, subject.headSha, file) },
    ...(base && { base }),
    now: new Date(),
  }
}

/** GitHub lists the files of a pull request as it is now, whichever commit the event is about. */
function missing(absent: readonly string[], { headSha }: Subject): string[] {
  if (absent.length === 0) return []
  return [
    `Of the files that GitHub lists, ${absent.length} do not exist at ${short(headSha)}: the pull request has moved on, and this result is for an older commit.`,
  ]
}
