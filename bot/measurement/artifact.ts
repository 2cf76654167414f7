/** Downloads the report artifact of a workflow run, up to a size limit. */
import type { Work } from '../github.ts'

const ARTIFACT_NAME = 'memorymark-report'

const MAX_COMPRESSED_BYTES = 5 * 2 ** 20

export type Download =
  | { readonly kind: 'zip'; readonly zip: Uint8Array }
  | { readonly kind: 'none' }
  | { readonly kind: 'too-large' }

export async function downloadArtifact(work: Work, runId: number): Promise<Download> {
  const { github, repository } = work
  const { data } = await github.rest.actions.listWorkflowRunArtifacts({
    ...repository,
    run_id: runId,
    name: ARTIFACT_NAME,
  })
  const artifact = data.artifacts.find(({ name, expired }) => name === ARTIFACT_NAME && !expired)
  if (artifact === undefined) return { kind: 'none' }
  if (artifact.size_in_bytes > MAX_COMPRESSED_BYTES) return { kind: 'too-large' }
  // The redirect is followed by hand: the storage must not get the token, and Octokit has no size limit.
  const { headers } = await github.rest.actions.downloadArtifact({
    ...repository,
    artifact_id: artifact.id,
    archive_format: 'zip',
    request: { redirect: 'manual' },
  })
  if (headers.location === undefined) throw new Error('GitHub did not say where the artifact is stored')
  return readCapped(await fetch(headers.location))
}

async function readCapped(response: Response): Promise<Download> {
  if (!response.ok || response.body === null) throw new Error(`The artifact storage answered ${response.status}`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body) {
    size += chunk.byteLength
    if (size > MAX_COMPRESSED_BYTES) return { kind: 'too-large' }
    chunks.push(chunk)
  }
  return { kind: 'zip', zip: Buffer.concat(chunks) }
}
