/** The name under which git stores a text. By Web Crypto, which browsers and Node share; it only answers later. */

/** The SHA-1 under which git stores the text. */
export async function gitBlobSha(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text)
  const header = new TextEncoder().encode(`blob ${bytes.byteLength}\0`)
  const digest = await crypto.subtle.digest('SHA-1', joined(header, bytes))
  return Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('')
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.byteLength + second.byteLength)
  both.set(first)
  both.set(second, first.byteLength)
  return both
}
