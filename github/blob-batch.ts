/** Reads many files at one commit with one GraphQL query. */
import * as z from 'zod'
import type { GitHubClient, Repository } from './client.ts'
import { ask } from './graphql.ts'

/** GitHub's answer for one path. */
export type Blob =
  | { readonly kind: 'text'; readonly text: string; readonly sha: string }
  /** GraphQL returns only the first 512,000 bytes. */
  | { readonly kind: 'beginning'; readonly text: string; readonly sha: string; readonly sizeBytes: number }
  /** `target`: the link's text, relative to its folder. */
  | { readonly kind: 'link'; readonly target: string; readonly sha: string }
  /** Binary, a submodule or a folder. */
  | { readonly kind: 'no-text'; readonly sha: string }
  | { readonly kind: 'absent' }

/** Paths are query variables and never part of its text, because they are untrusted. */
export async function queryBlobs(
  client: GitHubClient,
  { owner, repo }: Repository,
  commitSha: string,
  paths: readonly string[],
): Promise<readonly Blob[]> {
  const variables = Object.fromEntries(paths.map((path, index) => [`path${index}`, path]))
  const { repository } = await ask(
    client,
    queryFor(paths.length),
    { owner, name: repo, commit: commitSha, ...variables },
    answer,
  )
  return paths.map((_, index) => blobIn(repository?.object?.[`file${index}`]))
}

function queryFor(count: number): string {
  const indices = Array.from({ length: count }, (_, index) => index)
  const declared = indices.map(index => `$path${index}: String!`).join(', ')
  const files = indices.map(index => `file${index}: file(path: $path${index}) { ...entry }`).join(' ')
  return `query ($owner: String!, $name: String!, $commit: GitObjectID!, ${declared}) {
    repository(owner: $owner, name: $name) { object(oid: $commit) { ... on Commit { ${files} } } }
  }
  fragment entry on TreeEntry {
    mode
    type
    oid
    object { ... on Blob { byteSize isBinary isTruncated text } }
  }`
}

const entry = z.object({
  mode: z.number().int(),
  type: z.string(),
  oid: z.string(),
  object: z
    .object({
      byteSize: z.number().int().min(0),
      isBinary: z.boolean().nullable(),
      isTruncated: z.boolean(),
      text: z.string().nullable(),
    })
    // Objects other than blobs have none of these fields.
    .or(z.object({}).transform(() => undefined))
    .nullish(),
})

const answer = z.object({
  repository: z.object({ object: z.record(z.string(), entry.nullable()).nullable() }).nullable(),
})

const LINK_MODE = 0o120000

function blobIn(found: z.infer<typeof entry> | null | undefined): Blob {
  if (found === null || found === undefined) return { kind: 'absent' }
  const { mode, type, oid: sha, object } = found
  if (type !== 'blob') return { kind: 'no-text', sha }
  const text = object?.text
  if (object === null || object === undefined || object.isBinary === true || typeof text !== 'string')
    return { kind: 'no-text', sha }
  if (mode === LINK_MODE) return { kind: 'link', target: text, sha }
  return object.isTruncated ? { kind: 'beginning', text, sha, sizeBytes: object.byteSize } : { kind: 'text', text, sha }
}
