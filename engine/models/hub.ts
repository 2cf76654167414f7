/** The config.json of a model on the Hugging Face Hub. The token never leaves the endpoint's origin, nor shows in any message. */
import { MemoryMarkError } from '../base/errors.ts'
import { MIB } from '../base/units.ts'
import type { HubCache } from './hub-cache.ts'

export type HubAnswer =
  | { readonly kind: 'found'; readonly text: string }
  /** No such model, or one without a config.json. */
  | { readonly kind: 'missing' }
  /** Gated or private, and the token (if any) does not open it. */
  | { readonly kind: 'refused' }
  /** `why`: a clause in lower case. */
  | { readonly kind: 'unreachable'; readonly why: string }

export interface Hub {
  /** `id`: owner and name. Never throws. */
  configJson(id: string): Promise<HubAnswer>
}

export interface HubSettings {
  /** An http or https URL. */
  readonly endpoint: URL
  readonly token?: string
  readonly cache?: HubCache
  readonly timeoutMillis?: number
}

const DEFAULT_ENDPOINT = 'https://huggingface.co'
const DEFAULT_TIMEOUT_MILLIS = 10_000
/** The largest known config.json has some 100 kB. */
const MAX_BYTES = MIB
/** A renamed model takes one, the Hub's cache another. */
const MAX_REDIRECTS = 4

const hubId = /^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9_][\w.-]{0,95}$/

export function isHubId(name: string): boolean {
  return hubId.test(name) && !name.includes('..')
}

/** The variables that Hugging Face's own tools read; undefined when they say that the Hub is not to be asked. */
export function hubSettings(env: Readonly<Record<string, string | undefined>>): HubSettings | undefined {
  if (/^(?:1|on|yes|true)$/i.test(env.HF_HUB_OFFLINE ?? '')) return undefined
  const token = env.HF_TOKEN?.trim()
  return { endpoint: endpointOf(env.HF_ENDPOINT || DEFAULT_ENDPOINT), ...(token && { token }) }
}

function endpointOf(text: string): URL {
  const url = URL.parse(text)
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url
  throw new MemoryMarkError({
    code: 'bad-setting',
    field: 'HF_ENDPOINT',
    message: 'HF_ENDPOINT is not a URL',
    fix: `Set it to one such as ${DEFAULT_ENDPOINT}, or unset it.`,
  })
}

export function createHub(settings: HubSettings): Hub {
  const asked = new Map<string, Promise<HubAnswer>>()
  return {
    configJson: id => {
      const answer = asked.get(id) ?? askOrRemember(settings, id)
      asked.set(id, answer)
      return answer
    },
  }
}

async function askOrRemember(settings: HubSettings, id: string): Promise<HubAnswer> {
  const url = new URL(
    `${settings.endpoint.pathname.replace(/\/$/, '')}/${id}/resolve/main/config.json`,
    settings.endpoint,
  )
  const remembered = await settings.cache?.read(url.href)
  if (remembered !== undefined) return { kind: 'found', text: remembered }
  const answer = await ask(settings, url)
  if (answer.kind === 'found') await settings.cache?.write(url.href, answer.text)
  return answer
}

async function ask(settings: HubSettings, url: URL): Promise<HubAnswer> {
  const signal = AbortSignal.timeout(settings.timeoutMillis ?? DEFAULT_TIMEOUT_MILLIS)
  try {
    return await follow(settings, url, signal, MAX_REDIRECTS)
  } catch (error) {
    return { kind: 'unreachable', why: reasonOf(error) }
  }
}

async function follow(settings: HubSettings, url: URL, signal: AbortSignal, redirects: number): Promise<HubAnswer> {
  const headers = { 'user-agent': 'memorymark', ...(settings.token && { authorization: `Bearer ${settings.token}` }) }
  const response = await fetch(url, { headers, redirect: 'manual', signal })
  const { status } = response
  if (status === 200) return readCapped(response)
  await response.body?.cancel()
  if (status >= 300 && status < 400) {
    const next = URL.parse(response.headers.get('location') ?? '', url.href)
    if (next?.origin !== url.origin) return { kind: 'unreachable', why: 'it redirects to another site' }
    if (redirects === 0) return { kind: 'unreachable', why: 'it redirects too often' }
    return follow(settings, next, signal, redirects - 1)
  }
  // To strangers the Hub answers 401 for what does not exist, so that nobody can tell it from what is private.
  const code = response.headers.get('x-error-code')
  if (status === 404 || code === 'RepoNotFound' || code === 'EntryNotFound') return { kind: 'missing' }
  if (status === 401 || status === 403) return { kind: 'refused' }
  return { kind: 'unreachable', why: `it answered with status ${status}` }
}

async function readCapped(response: Response): Promise<HubAnswer> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) return { kind: 'unreachable', why: 'its config.json is larger than 1 MiB' }
    text += decoder.decode(chunk, { stream: true })
  }
  return { kind: 'found', text: text + decoder.decode() }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed'
  if (error.name === 'TimeoutError') return 'it took too long to answer'
  const code = error.cause instanceof Error && 'code' in error.cause ? error.cause.code : undefined
  return typeof code === 'string' ? `the connection failed (${code})` : 'the connection failed'
}
