/** The files of a pull request that may be training configs, read at its head as data; nothing is checked out. */
import { isCandidatePath, isCounted, type RepositorySettings, type SourceFile } from '../engine/index.ts'
import { type FileReading, readFile } from './file.ts'
import type { Circumstances, PullRequest, Work } from './github.ts'

/** One request each, of the 5,000 an hour that an installation has. */
const MAX_FILES = 500

const AT_ONCE = 8

export interface ChangedConfigs {
  readonly files: readonly SourceFile[]
  readonly base: Circumstances['base']
  /** What was not looked at, one sentence each, without untrusted text. */
  readonly remarks: readonly string[]
}

export async function readChangedConfigs(
  work: Work,
  pull: PullRequest,
  settings: RepositorySettings,
): Promise<ChangedConfigs> {
  const { github, repository } = work
  const listed = await github.paginate(github.rest.pulls.listFiles, {
    ...repository,
    pull_number: pull.number,
    per_page: 100,
  })
  const present = listed.filter(({ status }) => status !== 'removed')
  const formerPaths = new Map(present.map(file => [file.filename, file.previous_filename ?? file.filename]))
  const candidates = present
    .map(({ filename }) => filename)
    .filter(path => isCandidatePath(path) && isCounted(path, settings))
  const readings = await readFiles(work, pull.headSha, candidates.slice(0, MAX_FILES))
  const tooLarge = readings.filter(({ kind }) => kind === 'too-large').length
  return {
    files: readings.flatMap(reading => (reading.kind === 'file' ? [reading.file] : [])),
    base: async path => {
      const reading = await readFile(work, pull.baseSha, formerPaths.get(path) ?? path)
      return reading.kind === 'file' ? reading.file.text : undefined
    },
    remarks: [
      ...(listed.length < pull.changedFiles ? [unlisted(listed.length, pull.changedFiles)] : []),
      ...(candidates.length > MAX_FILES ? [unread(candidates.length)] : []),
      ...(tooLarge > 0 ? [skipped(tooLarge)] : []),
    ],
  }
}

async function readFiles(work: Work, ref: string, paths: readonly string[]): Promise<FileReading[]> {
  const readings: FileReading[] = []
  for (let start = 0; start < paths.length; start += AT_ONCE) {
    const group = paths.slice(start, start + AT_ONCE)
    readings.push(...(await Promise.all(group.map(path => readFile(work, ref, path)))))
  }
  return readings
}

function unlisted(listed: number, total: number): string {
  return `This pull request changes ${total} files and GitHub lists only ${listed} of them; configs among the rest were not looked at.`
}

function unread(candidates: number): string {
  return `Only the first ${MAX_FILES} of ${candidates} files that may be training configs were read.`
}

function skipped(count: number): string {
  return `${count === 1 ? 'One file' : `${count} files`} above 1 MiB ${count === 1 ? 'was' : 'were'} not read.`
}
