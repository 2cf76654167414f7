/**
 * Encodes a value in the fragment of a URL (the part after `#`, which browsers do not send): `#1.`, then the value as
 * JSON, deflated, in base64url. A link may come from anybody, so its length is bounded both compressed and inflated.
 */

/** The format's version. */
const PREFIX = '#1.'

/** Bytes of JSON: twice the largest config, at three bytes a character. */
const MAX_INFLATED = 600_000

export type FragmentReading =
  /** `value`: any JSON value. */
  | { readonly kind: 'value'; readonly value: unknown }
  /** The URL has no fragment of ours. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'newer-version' }
  | { readonly kind: 'unreadable'; readonly why: string }

/** Undefined if the fragment would exceed `maxCharacters`. */
export async function fragmentOf(value: unknown, maxCharacters: number): Promise<string | undefined> {
  const json = new TextEncoder().encode(JSON.stringify(value))
  const deflated = await all(streamOf(json).pipeThrough(new CompressionStream('deflate-raw')), maxCharacters)
  const fragment = deflated && `${PREFIX}${base64Url(deflated)}`
  return fragment === undefined || fragment.length > maxCharacters ? undefined : fragment
}

/** `fragment`: as `location.hash` has it. */
export async function readFragment(fragment: string, maxCharacters: number): Promise<FragmentReading> {
  if (!/^#\d+\./.test(fragment)) return { kind: 'nothing' }
  if (!fragment.startsWith(PREFIX)) return { kind: 'newer-version' }
  if (fragment.length > maxCharacters) return unreadable(`it is longer than ${maxCharacters} characters`)
  const deflated = bytesOf(fragment.slice(PREFIX.length))
  if (deflated === undefined) return unreadable('it holds characters that no link of this page has')
  try {
    const json = await all(streamOf(deflated).pipeThrough(new DecompressionStream('deflate-raw')), MAX_INFLATED)
    if (json === undefined) return unreadable(`it holds more than ${MAX_INFLATED} bytes`)
    return { kind: 'value', value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json)) }
  } catch {
    return unreadable('a part of it is missing or changed')
  }
}

function unreadable(why: string): FragmentReading {
  return { kind: 'unreadable', why }
}

function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })
}

/** The stream's bytes; undefined, without reading on, if there are more than `max`. */
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
