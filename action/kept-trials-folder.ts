/** Kept trials as files of a folder, which the workflow restores and saves with actions/cache. */
import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { TrialStore } from '../engine/probes/kept-trials.ts'
import { readRegularFile } from './regular-file.ts'

/** Far above what a sweep leaves. */
const MAX_FILE_BYTES = 1_000_000

export class KeptTrialsFolder implements TrialStore {
  readonly #folder: string

  /** An absolute path. The folder is made when there is something to keep. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** Empty for what is there but is not a file of ours, so that it is remarked on. */
  async read(key: string): Promise<string | undefined> {
    const reading = await readRegularFile(this.#fileOf(key), MAX_FILE_BYTES)
    switch (reading.kind) {
      case 'text':
        return reading.text
      case 'refused':
        return ''
      case 'none':
        return undefined
    }
  }

  /** Whole or not at all: a job may be ended at any moment. */
  async write(key: string, text: string): Promise<void> {
    const part = path.join(this.#folder, `${randomUUID()}.part`)
    await mkdir(this.#folder, { recursive: true })
    await writeFile(part, text, { flag: 'wx' })
    await rename(part, this.#fileOf(key))
  }

  #fileOf(key: string): string {
    return path.join(this.#folder, `${key}.json`)
  }
}
