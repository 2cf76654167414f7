import { createHash } from 'node:crypto'

/** The SHA-1 under which git stores the text. */
export function gitBlobSha(text: string): string {
  const bytes = Buffer.from(text)
  return createHash('sha1').update(`blob ${bytes.byteLength}\0`).update(bytes).digest('hex')
}
