/** What workflow runs upload; handed out behind a redirect, piece by piece, so that a reader can stop. */
import { type Call, fullNameOf, type Gateway, notFound, numberOf, REPOSITORY, type Routes, refuse } from './gateway.ts'

export interface Artifact {
  readonly id: number
  readonly runId: number
  readonly name: string
  /** The bytes of its zip. */
  readonly pieces: () => Iterable<Uint8Array<ArrayBuffer>>
  /** What the listing says; the truth unless a test wants a liar. */
  readonly sizeInBytes: number
  readonly expired: boolean
}

const PIECE_BYTES = 64 * 2 ** 10

export class Artifacts {
  readonly #artifacts = new Map<number, Artifact>()
  /** Bytes handed out so far, over all artifacts. */
  servedBytes = 0

  attach(artifact: Omit<Artifact, 'id'>): Artifact {
    const added = { ...artifact, id: 7_000_000 + this.#artifacts.size }
    this.#artifacts.set(added.id, added)
    return added
  }

  get(id: number): Artifact | undefined {
    return this.#artifacts.get(id)
  }

  of(runId: number, name: string | undefined): readonly Artifact[] {
    return [...this.#artifacts.values()].filter(
      artifact => artifact.runId === runId && (name === undefined || artifact.name === name),
    )
  }

  /** Pulled, so that what nobody reads is not counted. */
  stream(artifact: Artifact): ReadableStream<Uint8Array> {
    const pieces = artifact.pieces()[Symbol.iterator]()
    return new ReadableStream({
      pull: controller => {
        const { value, done } = pieces.next()
        if (done) return controller.close()
        this.servedBytes += value.byteLength
        controller.enqueue(value)
      },
    })
  }
}

/** A zip in memory, as pieces. */
export function piecesOf(zip: Uint8Array): () => Iterable<Uint8Array<ArrayBuffer>> {
  return function* () {
    for (let start = 0; start < zip.byteLength; start += PIECE_BYTES)
      yield new Uint8Array(zip.subarray(start, start + PIECE_BYTES))
  }
}

/** As many zeros, without holding them. */
export function zeros(bytes: number): () => Iterable<Uint8Array<ArrayBuffer>> {
  return function* () {
    for (let left = bytes; left > 0; left -= PIECE_BYTES) yield new Uint8Array(Math.min(left, PIECE_BYTES))
  }
}

export function routeArtifacts(routes: Routes, gateway: Gateway, artifacts: Artifacts): void {
  routes.get(`${REPOSITORY}/actions/runs/:id/artifacts`, c => {
    const all = artifacts.of(numberOf(c, 'id'), c.req.query('name'))
    return gateway.page(c, all, items => ({
      total_count: all.length,
      artifacts: items.map(artifact => artifactJson(artifact, gateway.repositoryUrl(c))),
    }))
  })
  routes.get(`${REPOSITORY}/actions/artifacts/:id/zip`, c => handOut(c, gateway, artifacts))
  routes.get('/artifact-storage/:id', c => {
    // The storage takes its permission from the address and answers 4xx to a second one.
    if (c.req.header('authorization') !== undefined) return refuse(403, 'AuthenticationFailed')
    const artifact = artifacts.get(numberOf(c, 'id'))
    if (artifact === undefined) return notFound()
    return new Response(artifacts.stream(artifact), { headers: { 'content-type': 'application/zip' } })
  })
}

function handOut(c: Call, gateway: Gateway, artifacts: Artifacts): Response {
  if (gateway.tokens.callerOf(c.req.header('authorization')) === undefined)
    return refuse(401, 'Requires authentication')
  const artifact = artifacts.get(numberOf(c, 'id'))
  if (artifact === undefined) return notFound()
  if (artifact.expired) return refuse(410, `Artifact has expired in ${fullNameOf(c)}`)
  return c.redirect(`${gateway.publicUrl}/artifact-storage/${artifact.id}`, 302)
}

function artifactJson(artifact: Artifact, repositoryUrl: string): Record<string, unknown> {
  const url = `${repositoryUrl}/actions/artifacts/${artifact.id}`
  return {
    id: artifact.id,
    name: artifact.name,
    size_in_bytes: artifact.sizeInBytes,
    url,
    archive_download_url: `${url}/zip`,
    expired: artifact.expired,
    workflow_run: { id: artifact.runId },
  }
}
