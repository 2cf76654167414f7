/** Kept trials as files of a folder, which the workflow restores and saves with actions/cache. */
import { mkdir, open, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { TrialStore } from '../engine/probes/kept-trials.ts'

/** Far above what a sweep leaves; the rest of a larger file is not read, and so the file not believed. */
const MAX_FILE_BYTES = 1_000_000

export class KeptTrialsFolder implements TrialStore {
  readonly #folder: string

  /** An absolute path. The folder is made when there is something to keep. */
  constructor(folder: string) {
    this.#folder = folder
  }

  async read(key: string): Promise<string | undefined> {
    try {
      await using file = await open(this.#fileOf(key))
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MAX_FILE_BYTES) })
      return buffer.toString('utf8', 0, bytesRead)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
      throw error
    }
  }

  /** Whole or not at all: a job may be ended at any moment. */
  async write(key: string, text: string): Promise<void> {
    const file = this.#fileOf(key)
    await mkdir(this.#folder, { recursive: true })
    await writeFile(`${file}.part`, text)
    await rename(`${file}.part`, file)
  }

  #fileOf(key: string): string {
    return path.join(this.#folder, `${key}.json`)
  }
}
