/** The files of a change that may be training configs: listed first, then read as data. */
import { isCandidatePath, isCounted, type RepositorySettings, type SourceFile } from '../engine/index.ts'
import { type FileReading, readFile } from './file.ts'
import type { PullRequest, Work } from './github.ts'
import type { ConfigBlob } from './store/measured-configs.ts'
import { compareTrees, mergeBase, readTree } from './trees.ts'

/** One request each, of the 5,000 an hour that an installation has. */
const MAX_FILES = 500

const AT_ONCE = 8

export interface Candidates {
  readonly blobs: readonly ConfigBlob[]
  /** Former paths of renamed files, by their new ones, as far as GitHub tells. */
  readonly formerPaths: ReadonlyMap<string, string>
  /** Every file that is new or different, a training config or not. */
  readonly paths: readonly string[]
  /** Whether the workflow at a path is changed as well; true where that cannot be known. */
  readonly changes: (path: string) => boolean
  /** What was not looked at, one sentence each, without untrusted text. */
  readonly remarks: readonly string[]
}

export async function candidatesOfPull(
  work: Work,
  pull: PullRequest,
  settings: RepositorySettings,
): Promise<Candidates> {
  const { github, repository } = work
  const listed = await github.paginate(github.rest.pulls.listFiles, {
    ...repository,
    pull_number: pull.number,
    per_page: 100,
  })
  if (listed.length < pull.changedFiles) {
    const from = await mergeBase(work, pull.baseSha, pull.headSha)
    return candidatesBetween(work, from, pull.headSha, settings)
  }
  const paths = new Set(listed.flatMap(file => [file.filename, file.previous_filename ?? file.filename]))
  const present = listed.filter(({ status }) => status !== 'removed')
  const renamed = present.flatMap(({ filename, previous_filename: former }) =>
    former === undefined ? [] : [[filename, former] as const],
  )
  return {
    ...countedFiles(
      present.flatMap(({ filename: path, sha: blobSha }) => (blobSha === null ? [] : [{ path, blobSha }])),
      settings,
    ),
    formerPaths: new Map(renamed),
    paths: present.map(({ filename }) => filename),
    changes: path => paths.has(path),
  }
}

/** By their trees, which know no limit of 3,000 files but also no renames. */
export async function candidatesBetween(
  work: Work,
  baseSha: string,
  headSha: string,
  settings: RepositorySettings,
): Promise<Candidates> {
  const { files, isCut } = await compareTrees(work, baseSha, headSha)
  const { blobs, remarks } = countedFiles(files, settings)
  const paths = new Set(files.map(({ path }) => path))
  return {
    blobs,
    formerPaths: new Map(),
    paths: [...paths],
    changes: path => isCut || paths.has(path),
    remarks: [
      ...remarks,
      ...(isCut ? ['GitHub lists only part of this repository; configs beyond that were not read.'] : []),
    ],
  }
}

/** Those that the team wants looked at, and not more than can be read. */
export function countedFiles(
  files: readonly ConfigBlob[],
  settings: RepositorySettings,
): Pick<Candidates, 'blobs' | 'remarks'> {
  const blobs = files.filter(({ path }) => isCandidatePath(path) && isCounted(path, settings))
  if (blobs.length <= MAX_FILES) return { blobs, remarks: [] }
  return {
    blobs: blobs.slice(0, MAX_FILES),
    remarks: [`Only the first ${MAX_FILES} of ${blobs.length} possible training configs were read.`],
  }
}

/** What is to be judged of a change: candidates that it touches, and configs that name a file that it touches. */
export async function readChange(
  work: Work,
  headSha: string,
  touched: Candidates,
  settings: RepositorySettings,
): Promise<{ readonly candidates: Candidates; readonly files: readonly SourceFile[] }> {
  const read = await readCandidates(
    work,
    headSha,
    touched.blobs.map(({ path }) => path),
  )
  const shas = new Map<string, string>()
  const affected = await work.engine.affectedConfigs({ paths: touched.paths, files: read.files }, settings, {
    list: async () => {
      const { blobs } = await readTree(work, headSha)
      for (const [path, blobSha] of blobs) shas.set(path, blobSha)
      return [...blobs.keys()]
    },
    read: async paths => (await readCandidates(work, headSha, paths)).files,
  })
  const blobs = affected.files.flatMap(({ path }) => {
    const blobSha = shas.get(path)
    return blobSha === undefined ? [] : [{ path, blobSha }]
  })
  const remarks = [...touched.remarks, ...read.remarks, ...affected.remarks]
  return {
    candidates: { ...touched, blobs: [...touched.blobs, ...blobs], remarks },
    files: [...read.files, ...affected.files],
  }
}

export interface ReadFiles {
  readonly files: readonly SourceFile[]
  readonly remarks: readonly string[]
}

/** At one commit, in the order of `paths`. */
export async function readCandidates(work: Work, ref: string, paths: readonly string[]): Promise<ReadFiles> {
  const readings: FileReading[] = []
  for (let start = 0; start < paths.length; start += AT_ONCE) {
    const group = paths.slice(start, start + AT_ONCE)
    readings.push(...(await Promise.all(group.map(path => readFile(work, ref, path)))))
  }
  const tooLarge = readings.filter(({ kind }) => kind === 'too-large').length
  return {
    files: readings.flatMap(reading => (reading.kind === 'file' ? [reading.file] : [])),
    remarks: tooLarge > 0 ? [skipped(tooLarge)] : [],
  }
}

function skipped(count: number): string {
  return `${count === 1 ? 'One file' : `${count} files`} above 16 MiB ${count === 1 ? 'was' : 'were'} not read.`
}
