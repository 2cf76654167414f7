/** Reads untrusted files: only regular ones, up to a size limit. */
import { constants, open } from 'node:fs/promises'

export type FileReading =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'none' }
  /** A link, a pipe, a folder, or a file above the limit. */
  | { readonly kind: 'refused' }

/** Follows no link and does not wait for a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

export async function readRegularFile(file: string, maxBytes: number): Promise<FileReading> {
  try {
    await using opened = await open(file, FLAGS)
    const stats = await opened.stat()
    if (!stats.isFile() || stats.size > maxBytes) return { kind: 'refused' }
    return { kind: 'text', text: await opened.readFile('utf8') }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return { kind: error.code === 'ENOENT' ? 'none' : 'refused' }
  }
}
