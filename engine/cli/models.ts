/** Where the command line looks for models besides the catalogue: the working directory and the Hub. */
import { readFile, stat } from 'node:fs/promises'
import { createHub, hubSettings } from '../models/hub.ts'
import { cacheFolder, folderCache } from '../models/hub-cache.ts'
import type { ModelSources } from '../models/resolve.ts'
import { MIB } from '../units.ts'

/** Far above any model's config.json. */
const MAX_CONFIG_BYTES = MIB

/** The Hub is left out when HF_HUB_OFFLINE says so. */
export function modelSources(env: Readonly<Record<string, string | undefined>> = process.env): ModelSources {
  const settings = hubSettings(env)
  const cache = folderCache(cacheFolder(env))
  return { readFile: readSmallFile, ...(settings && { hub: createHub({ ...settings, cache }) }) }
}

/** Undefined for what is not there, is no file, or is too large to be a config.json. */
async function readSmallFile(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() && found.size <= MAX_CONFIG_BYTES ? readFile(path, 'utf8') : undefined
}
