/**
 * Reads one file with its own request: for files too large for a query, for link targets, and for the default branch.
 */
import * as z from 'zod'
import { MIB } from '../engine/base/units.ts'
import { type GitHubClient, type Repository, requestStatus } from './client.ts'

/** Far above any training config, so that the engine can report a config that is too large. */
export const MAX_FILE_BYTES = 16 * MIB

export type SingleFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too-large' }
  /** A submodule, a folder, a broken link, or no file. */
  | { readonly kind: 'no-file' }

/** For files above 1 MB the contents API returns an empty `content` with the encoding "none". */
const contents = z.object({
  type: z.literal('file'),
  size: z.number().int().min(0),
  sha: z.string(),
  encoding: z.string(),
  content: z.string(),
})

/** Follows links. Without `ref`, reads the default branch. */
export async function readFileAt(
  client: GitHubClient,
  repository: Repository,
  ref: string | undefined,
  path: string,
): Promise<SingleFile> {
  const parsed = contents.safeParse(await contentsOf(client, repository, ref, path))
  if (!parsed.success) return { kind: 'no-file' }
  const { size, sha, encoding, content } = parsed.data
  if (size > MAX_FILE_BYTES) return { kind: 'too-large' }
  return { kind: 'text', text: encoding === 'base64' ? decoded(content) : await readBlob(client, repository, sha) }
}

async function contentsOf(
  client: GitHubClient,
  repository: Repository,
  ref: string | undefined,
  path: string,
): Promise<unknown> {
  try {
    const place = { ...repository, path, ...(ref !== undefined && { ref }) }
    return (await client.request('GET /repos/{owner}/{repo}/contents/{path}', place)).data
  } catch (error) {
    if (requestStatus(error) === 404) return undefined
    throw error
  }
}

const blob = z.object({ content: z.string() })

async function readBlob(client: GitHubClient, repository: Repository, sha: string): Promise<string> {
  const place = { ...repository, file_sha: sha }
  return decoded(
    blob.parse((await client.request('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', place)).data).content,
  )
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8')
}
