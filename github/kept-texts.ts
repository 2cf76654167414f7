/** Caches blobs' texts in memory, so that the next push reads less. */
import { MIB } from '../engine/base/units.ts'

/** The cache of one repository. A blob's SHA determines its text, so entries never expire. */
export interface KeptTexts {
  get(sha: string): string | undefined
  set(sha: string, text: string): void
}

const MAX_BYTES = 32 * MIB
/** Overhead of a map entry with its key. */
const ROW_BYTES = 200

/**
 * The most recently used texts. Each repository of each installation has its own cache, so that none can read another's
 * text by guessing a SHA.
 */
export class KeptTextsOfAll {
  readonly #maxBytes: number
  /** From the least to the most recently used. */
  readonly #texts = new Map<string, string>()
  #bytes = 0

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  of({ installationId, repositoryId }: { installationId: number; repositoryId: number }): KeptTexts {
    const keyOf = (sha: string) => `${installationId}/${repositoryId}/${sha}`
    return { get: sha => this.#get(keyOf(sha)), set: (sha, text) => this.#set(keyOf(sha), text) }
  }

  #get(key: string): string | undefined {
    const text = this.#texts.get(key)
    if (text === undefined) return undefined
    this.#texts.delete(key)
    this.#texts.set(key, text)
    return text
  }

  #set(key: string, text: string): void {
    this.#remove(key)
    this.#texts.set(key, text)
    this.#bytes += bytesOf(text)
    for (const oldest of this.#texts.keys()) {
      if (this.#bytes <= this.#maxBytes) break
      this.#remove(oldest)
    }
  }

  #remove(key: string): void {
    const text = this.#texts.get(key)
    if (text === undefined) return
    this.#texts.delete(key)
    this.#bytes -= bytesOf(text)
  }
}

/** V8 stores two bytes per character unless all fit in one. */
function bytesOf(text: string): number {
  return 2 * text.length + ROW_BYTES
}

/** The cache for one change. Its size is bounded, because what a change may read is. */
export function keptForOneChange(): KeptTexts {
  const texts = new Map<string, string>()
  return { get: sha => texts.get(sha), set: (sha, text) => texts.set(sha, text) }
}
