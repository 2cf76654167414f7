/** Reads all that a mode needs from the repository, as data: configs, files that they name, their base, settings. */
import * as core from '@actions/core'
import { type AnalyzeOptions, namedLine, type RepositorySettings, type SourceFile } from '../engine/index.ts'
import { openChange, type ReadChange } from '../github/change.ts'
import { type Subject, short } from './event.ts'
import { readGpu } from './inputs.ts'
import type { Job } from './job.ts'
import { refusedInput, shown } from './refused-input.ts'
import { readTeamSettings, remarksOnProposal } from './settings.ts'

export interface Gathered {
  readonly files: readonly SourceFile[]
  readonly options: AnalyzeOptions
  /** Sentences for the reader on how files were found. */
  readonly remarks: readonly string[]
}

export async function gather(job: Job): Promise<Gathered> {
  const { github, run, subject, inputs } = job
  const change = openChange(github, run.repository, subject, job)
  const { settings, remarks } = await readTeamSettings(job)
  const read = await change.read({ ...settings, ...(inputs.paths && { paths: inputs.paths }) })
  const proposal = await remarksOnProposal(job, change)
  core.info(`${read.changed.paths.length} files to look at, of which ${read.files.length} may be training configs.`)
  return {
    files: read.files,
    options: optionsOf(job, settings, read),
    remarks: [...remarks, ...proposal, ...read.remarks, ...missing(read.absent, subject)],
  }
}

/**
 * Reads one config by its path, or its training by `train.py:41`. Lists nothing before it is needed, because hundreds
 * of jobs share one hourly rate limit.
 */
export async function gatherOne(job: Job, config: string): Promise<Gathered> {
  const { github, run, subject } = job
  const { settings, remarks } = await readTeamSettings(job)
  const named = namedLine(config)
  const path = named?.path ?? config
  const read = await openChange(github, run.repository, subject, job).readOne(path)
  if (read.files.length === 0) {
    throw refusedInput(
      'config',
      `There is no file "${shown(path)}" to read at ${short(subject.headSha)}`,
      'Give the path as plan outputs it',
    )
  }
  const files = read.files.map(file => (named === undefined ? file : { ...file, training: { line: named.line } }))
  return { files, options: optionsOf(job, settings, read), remarks }
}

function optionsOf(
  { subject, inputs, run }: Job,
  settings: RepositorySettings,
  {
    readFile,
    listFolder,
    base,
    formerVersions,
  }: Pick<ReadChange, 'readFile' | 'listFolder' | 'base'> & Partial<Pick<ReadChange, 'formerVersions'>>,
): AnalyzeOptions {
  return {
    ...inputs.analysis,
    ...(inputs.gpu !== undefined && { gpu: readGpu('gpu', inputs.gpu, settings.gpus) }),
    settings: { ...settings, playground: settings.playground ?? run.playground },
    sources: { readFile, listFolder },
    ...(subject.kind !== 'tree' && { base }),
    ...(formerVersions && { formerVersions }),
    now: new Date(),
  }
}

/** Files that are missing because GitHub lists a pull request's current files, whichever commit the event is about. */
function missing(absent: readonly string[], { headSha }: Subject): string[] {
  if (absent.length === 0) return []
  return [
    `Of the files that GitHub lists, ${absent.length} do not exist at ${short(headSha)}: the pull request has moved on, and this result is for an older commit.`,
  ]
}
