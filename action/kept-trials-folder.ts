/** Keeps trials as files in a folder that the workflow restores and saves with actions/cache. */
import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { TrialStore } from '../engine/probes/kept-trials.ts'
import { readRegularFile } from './regular-file.ts'

/** Far above the size of a sweep's trials. */
const MAX_FILE_BYTES = 1_000_000

export class KeptTrialsFolder implements TrialStore {
  readonly #folder: string

  /** `folder`: an absolute path. Created at the first write. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** Undefined if there is no file; empty for anything but a regular file of ours, so that it is reported. */
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

  /** Writes atomically, since a job may be killed at any moment. */
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
