/** Files as data at a commit, through the API: a pull request's code is never checked out, let alone run. */
import * as z from 'zod'
import type { SourceFile } from '../engine/index.ts'
import { MIB } from '../engine/units.ts'
import type { GitHub } from './github.ts'
import type { Repository } from './repository.ts'
import { requestStatus } from './request-status.ts'

/** Far above any training config, so that the engine can tell a config that is too large from data that is not ours. */
const MAX_FILE_BYTES = 16 * MIB

export interface FetchedFiles {
  readonly files: readonly SourceFile[]
  /** Paths at which there is nothing. */
  readonly absent: readonly string[]
  readonly remarks: readonly string[]
}

type Fetched =
  | { readonly kind: 'file'; readonly file: SourceFile }
  | { readonly kind: 'too-large' }
  /** A submodule or a directory. */
  | { readonly kind: 'no-file' }
  | { readonly kind: 'absent' }

/** What the contents API says of a file. Above 1 MB it leaves `content` empty, and `encoding` is "none". */
const fileContents = z.object({
  type: z.literal('file'),
  size: z.number().int().min(0),
  sha: z.string(),
  encoding: z.string(),
  content: z.string(),
})

const AT_ONCE = 8

/** In the order of `paths`; what is no file at `ref`, or else on the default branch, is left out. */
export async function fetchFiles(
  github: GitHub,
  repository: Repository,
  ref: string | undefined,
  paths: readonly string[],
): Promise<FetchedFiles> {
  const fetched: Fetched[] = []
  for (let start = 0; start < paths.length; start += AT_ONCE) {
    const group = paths.slice(start, start + AT_ONCE)
    fetched.push(...(await Promise.all(group.map(path => fetchFile(github, repository, ref, path)))))
  }
  const tooLarge = fetched.filter(({ kind }) => kind === 'too-large').length
  return {
    files: fetched.flatMap(each => (each.kind === 'file' ? [each.file] : [])),
    absent: paths.filter((_, index) => fetched[index]?.kind === 'absent'),
    remarks: tooLarge === 0 ? [] : [`Files larger than ${MAX_FILE_BYTES / MIB} MiB are not read: ${tooLarge} skipped.`],
  }
}

/** A repository's text file; undefined for what is no file there, or is none that the path may name. */
export async function fetchText(
  github: GitHub,
  repository: Repository,
  ref: string,
  path: string,
): Promise<string | undefined> {
  // The path may come from a config's model name, which is a stranger's text.
  if (path.startsWith('/') || path.split('/').includes('..')) return undefined
  const fetched = await fetchFile(github, repository, ref, path)
  return fetched.kind === 'file' ? fetched.file.text : undefined
}

async function fetchFile(
  github: GitHub,
  repository: Repository,
  ref: string | undefined,
  path: string,
): Promise<Fetched> {
  const answer = await getContent(github, repository, ref, path)
  if (answer === undefined) return { kind: 'absent' }
  const parsed = fileContents.safeParse(answer)
  if (!parsed.success) return { kind: 'no-file' }
  const { size: sizeBytes, sha, encoding, content } = parsed.data
  if (sizeBytes > MAX_FILE_BYTES) return { kind: 'too-large' }
  const base64 = encoding === 'base64' ? content : await getBlob(github, repository, sha)
  return { kind: 'file', file: { path, text: Buffer.from(base64, 'base64').toString('utf8') } }
}

async function getContent(
  github: GitHub,
  repository: Repository,
  ref: string | undefined,
  path: string,
): Promise<unknown> {
  try {
    const { data } = await github.rest.repos.getContent({ ...repository, path, ...(ref !== undefined && { ref }) })
    return data
  } catch (error) {
    if (requestStatus(error) === 404) return undefined
    throw error
  }
}

async function getBlob(github: GitHub, repository: Repository, sha: string): Promise<string> {
  const { data } = await github.rest.git.getBlob({ ...repository, file_sha: sha })
  return data.content
}
