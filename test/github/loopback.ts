/**
 * Requests over connections that are used once: one that is kept may be closed by the other side just as it is used again,
 * and on a busy machine that happens. GitHub's webhooks come over new connections too.
 */
import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** emulate calls itself localhost, and to look a name up takes a thread. */
const agent = new Agent({
  keepAlive: false,
  family: 4,
  lookup: (_host, _options, found) => found(null, '127.0.0.1', 4),
})

export interface LoopbackRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
}

/** Whatever is answered, redirects included. Rejects where nobody answers. */
export function loopback(url: string, { method, headers, body }: LoopbackRequest): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const sent = request(url, { method, headers, agent }, answer => {
    buffer(answer).then(bytes => {
      const status = answer.statusCode ?? 0
      const isEmpty = status === 204 || status === 304
      const pairs = Object.entries(answer.headers).flatMap(([name, value]) =>
        [value ?? []].flat().map(one => [name, one]),
      )
      resolve(new Response(isEmpty ? null : new Uint8Array(bytes), { status, headers: pairs as [string, string][] }))
    }, reject)
  })
  sent.on('error', reject)
  sent.end(body)
  return promise
}
