/** What all routes of the emulated GitHub share: the way to emulate behind it, and the forms of its answers. */

import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import { parseJson } from '../../engine/base/json.ts'
import { IssuedTokens } from './authorship.ts'
import { loopback } from './loopback.ts'
import { paged } from './pages.ts'
import { Rest } from './rest.ts'

export interface Bindings {
  readonly Bindings: HttpBindings
}
export type Routes = Hono<Bindings>
export type Call = Context<Bindings>

export const REPOSITORY = '/repos/:owner/:repo'

export class Gateway {
  readonly tokens = new IssuedTokens()
  /** Straight to emulate, for what must not be seen, judged or struck. */
  readonly upstream: Rest
  readonly #upstreamUrl: string
  #publicUrl = ''

  constructor(upstreamUrl: string) {
    this.#upstreamUrl = upstreamUrl
    this.upstream = new Rest(upstreamUrl)
  }

  get publicUrl(): string {
    return this.#publicUrl
  }

  listensAt(publicUrl: string): void {
    this.#publicUrl = publicUrl
  }

  repositoryUrl(c: Call): string {
    return `${this.#publicUrl}/repos/${fullNameOf(c)}`
  }

  page<T>(c: Call, all: readonly T[], wrap: (items: readonly T[]) => object): Response {
    const { items, headers } = paged(all, c.req.url, this.#publicUrl)
    return c.json(wrap(items), 200, { ...headers })
  }

  /** Forwards, and changes a successful JSON answer on its way back. */
  async amended<T>(c: Call, amend: (json: T) => unknown): Promise<Response> {
    const response = await this.forward(c)
    if (!response.ok) return response
    const amended = await amend((await response.json()) as T)
    return new Response(JSON.stringify(amended), { status: response.status, headers: response.headers })
  }

  forward(c: Call): Promise<Response> {
    const url = new URL(c.req.url)
    return this.send(c, url.pathname + url.search)
  }

  /** As the caller, to another path. */
  async send(c: Call, path: string): Promise<Response> {
    const { method } = c.req
    const headers = new Headers(c.req.raw.headers)
    for (const name of ['host', 'connection', 'content-length', 'accept-encoding']) headers.delete(name)
    const body = method === 'GET' || method === 'HEAD' ? undefined : new Uint8Array(await c.req.arrayBuffer())
    const upstream = await loopback(this.#upstreamUrl + path, { method, headers: Object.fromEntries(headers), body })
    const empty = upstream.status === 204 || upstream.status === 304
    return new Response(empty ? null : await this.#readdressed(upstream), {
      status: upstream.status,
      headers: this.#answeredHeaders(upstream.headers),
    })
  }

  /** emulate writes its own address into links. */
  async #readdressed(upstream: Response): Promise<string | ArrayBuffer> {
    const json = upstream.headers.get('content-type')?.includes('json') ?? false
    return json ? (await upstream.text()).replaceAll(this.#upstreamUrl, this.#publicUrl) : upstream.arrayBuffer()
  }

  #answeredHeaders(upstream: Headers): Headers {
    const headers = new Headers(upstream)
    for (const name of ['content-length', 'transfer-encoding', 'connection', 'keep-alive']) headers.delete(name)
    const link = headers.get('link')
    if (link !== null) headers.set('link', link.replaceAll(this.#upstreamUrl, this.#publicUrl))
    return headers
  }
}

export function fullNameOf(c: Call): string {
  return `${c.req.param('owner')}/${c.req.param('repo')}`
}

export function numberOf(c: Call, name: string): number {
  return Number(c.req.param(name))
}

export async function bodyOf(c: Call): Promise<unknown> {
  return parseJson(await c.req.text())
}

export function refuse(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ message, documentation_url: 'https://docs.github.com/rest' }, { status, headers })
}

export function refuseFields(message: string, errors: readonly unknown[]): Response {
  return Response.json({ message, errors, documentation_url: 'https://docs.github.com/rest' }, { status: 422 })
}

export const notFound = () => refuse(404, 'Not Found')
