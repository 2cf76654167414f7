/** Texts of blobs in memory, so that the next push of the same files reads less. */
import { MIB } from '../engine/units.ts'

/** What is kept for one repository. A blob's SHA names its text, so nothing in here can be outdated. */
export interface KeptTexts {
  get(sha: string): string | undefined
  set(sha: string, text: string): void
}

const MAX_BYTES = 32 * MIB
/** A map's row, and the key. */
const ROW_BYTES = 200

/**
 * The texts used last. Each repository of each installation has its own: what one may read is nothing that another one could come
 * to by guessing a SHA.
 */
export class KeptTextsOfAll {
  readonly #maxBytes: number
  /** From the one that was used longest ago to the latest. */
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

/** V8 keeps two bytes a character where one is not enough. */
function bytesOf(text: string): number {
  return 2 * text.length + ROW_BYTES
}

/** Of one change, whose head and base hold mostly the same: what they may read is capped, and so is this. */
export function keptForOneChange(): KeptTexts {
  const texts = new Map<string, string>()
  return { get: sha => texts.get(sha), set: (sha, text) => texts.set(sha, text) }
}
