/** One file of the repository, through the API as data; nothing is checked out. */
import * as z from 'zod'
import { MIB, type SourceFile } from '../engine/index.ts'
import type { Work } from './github.ts'
import { statusOf } from './installation.ts'

/** Far above any training config, so that the engine can tell a config that is too large from data that is not ours. */
const MAX_FILE_BYTES = 16 * MIB

export type FileReading =
  | { readonly kind: 'file'; readonly file: SourceFile; readonly blobSha: string }
  | { readonly kind: 'too-large' }
  /** A submodule, a symbolic link, or gone since. */
  | { readonly kind: 'no-file' }

/** Above 1 MB the contents API leaves `content` empty, and says "none" of its encoding. */
const contents = z.object({
  type: z.literal('file'),
  size: z.number(),
  sha: z.string(),
  encoding: z.string(),
  content: z.string(),
})

/** Without a `ref` on the default branch. */
export async function readFile(work: Work, ref: string | undefined, path: string): Promise<FileReading> {
  const { github, repository } = work
  const place = { ...repository, path, ...(ref !== undefined && { ref }) }
  const answer = await github.rest.repos.getContent(place).catch((error: unknown) => {
    if (statusOf(error) === 404) return undefined
    throw error
  })
  const parsed = contents.safeParse(answer?.data)
  if (!parsed.success) return { kind: 'no-file' }
  const { size, sha: blobSha, encoding, content } = parsed.data
  if (size > MAX_FILE_BYTES) return { kind: 'too-large' }
  const base64 = encoding === 'base64' ? content : await readBlob(work, blobSha)
  return { kind: 'file', file: { path, text: Buffer.from(base64, 'base64').toString('utf8') }, blobSha }
}

async function readBlob({ github, repository }: Work, blobSha: string): Promise<string> {
  const { data } = await github.rest.git.getBlob({ ...repository, file_sha: blobSha })
  return data.content
}

/** The text alone; undefined where there is no file, or one too large. */
export async function readText(work: Work, ref: string | undefined, path: string): Promise<string | undefined> {
  const reading = await readFile(work, ref, path)
  return reading.kind === 'file' ? reading.file.text : undefined
}
