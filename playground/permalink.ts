/**
 * A question in the part of an address after `#`, which browsers send to nobody: `#1.`, then the question as JSON, compressed by
 * deflate, in base64url. Whoever made the link is not trusted: its length is bounded, compressed and not.
 */
import type { Problem } from '../engine/errors.ts'
import { type Question, questionOf } from './question.ts'

/** Of the format. */
const PREFIX = '#1.'

/** Characters. A config of the largest size that the form takes needs less, unless it is noise. */
export const MAX_FRAGMENT = 200_000

/** Bytes of JSON: the largest config in an alphabet of three bytes each, twice over. */
const MAX_INFLATED = 600_000

export type FragmentReading =
  | { readonly kind: 'question'; readonly question: Question }
  /** The address asks nothing. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly problem: Problem }

/** Undefined for a question that is too long for an address. */
export async function fragmentOf(question: Question): Promise<string | undefined> {
  const json = new TextEncoder().encode(JSON.stringify(question))
  const deflated = await all(streamOf(json).pipeThrough(new CompressionStream('deflate-raw')), MAX_FRAGMENT)
  const fragment = deflated && `${PREFIX}${base64Url(deflated)}`
  return fragment === undefined || fragment.length > MAX_FRAGMENT ? undefined : fragment
}

/** `fragment`: as `location.hash` has it. */
export async function readFragment(fragment: string): Promise<FragmentReading> {
  if (!/^#\d+\./.test(fragment)) return { kind: 'nothing' }
  if (!fragment.startsWith(PREFIX)) return refused('it is of a newer version of this page', 'Reload the page.')
  if (fragment.length > MAX_FRAGMENT) return refused(`it is longer than ${MAX_FRAGMENT} characters`)
  const deflated = bytesOf(fragment.slice(PREFIX.length))
  if (deflated === undefined) return refused('it holds characters that no link of this page has')
  try {
    const json = await all(streamOf(deflated).pipeThrough(new DecompressionStream('deflate-raw')), MAX_INFLATED)
    if (json === undefined) return refused(`it holds more than ${MAX_INFLATED} bytes`)
    const told: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json))
    return { kind: 'question', question: questionOf(told) }
  } catch {
    return refused('a part of it is missing or changed')
  }
}

function refused(why: string, fix = 'Copy the whole link again, or paste the config below.'): FragmentReading {
  return { kind: 'refused', problem: { code: 'link', message: `the link cannot be read: ${why}`, fix } }
}

function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })
}

/** Undefined, and read no further, where it is more than `max` bytes. */
async function all(stream: ReadableStream<Uint8Array>, max: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  // Not `for await`: Safari cannot iterate over a stream.
  const reader = stream.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    length += read.value.byteLength
    if (length > max) {
      await reader.cancel()
      return undefined
    }
    chunks.push(read.value)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}

function base64Url(bytes: Uint8Array): string {
  const text = Array.from(bytes, byte => String.fromCharCode(byte)).join('')
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), character => character.charCodeAt(0))
}
