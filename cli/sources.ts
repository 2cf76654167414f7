/** Where the command line looks up what a config names: files in the working directory, and models on the Hub. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { MIB } from '../engine/base/units.ts'
import type { Sources } from '../engine/config/sources.ts'
import { createHub, hubSettings } from '../engine/models/hub.ts'
import { cacheFolder, folderCache } from '../engine/models/hub-cache.ts'

/** Far above any file that a config names, so that too large a file can be reported as such. */
const MAX_FILE_BYTES = 16 * MIB

/** The Hub is left out when HF_HUB_OFFLINE says so. */
export function sources(env: Readonly<Record<string, string | undefined>> = process.env): Sources {
  const settings = hubSettings(env)
  const cache = folderCache(cacheFolder(env))
  return { readFile: readSmallFile, listFolder, ...(settings && { hub: createHub({ ...settings, cache }) }) }
}

/** Undefined for a missing file, a folder, or a file above the limit. */
async function readSmallFile(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() && found.size <= MAX_FILE_BYTES ? readFile(path, 'utf8') : undefined
}

async function listFolder(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
  return entries.filter(entry => entry.isFile()).map(({ name }) => name)
}
