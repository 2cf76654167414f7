/** One file of the repository, through the API as data; nothing is checked out. */
import * as z from 'zod'
import type { SourceFile } from '../engine/index.ts'
import type { Work } from './github.ts'

/** 1 MiB: above it the contents API sends no content. */
const MAX_FILE_BYTES = 2 ** 20

export type FileReading =
  | { readonly kind: 'file'; readonly file: SourceFile }
  | { readonly kind: 'too-large' }
  /** A submodule, a symbolic link, or gone since. */
  | { readonly kind: 'no-file' }

const contents = z.object({ type: z.literal('file'), size: z.number(), encoding: z.string(), content: z.string() })

/** Without a `ref` on the default branch. */
export async function readFile(
  { github, repository }: Work,
  ref: string | undefined,
  path: string,
): Promise<FileReading> {
  const place = { ...repository, path, ...(ref !== undefined && { ref }) }
  const answer = await github.rest.repos.getContent(place).catch((error: unknown) => {
    if (error instanceof Error && 'status' in error && error.status === 404) return undefined
    throw error
  })
  const parsed = contents.safeParse(answer?.data)
  if (!parsed.success) return { kind: 'no-file' }
  const { size, encoding, content } = parsed.data
  if (size > MAX_FILE_BYTES || encoding !== 'base64') return { kind: 'too-large' }
  return { kind: 'file', file: { path, text: Buffer.from(content, 'base64').toString('utf8') } }
}
