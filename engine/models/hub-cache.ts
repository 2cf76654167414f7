/** Caches the Hub's answers in the user's cache folder. Errors of the cache count as misses. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'

export interface HubCache {
  read(url: string): Promise<string | undefined>
  write(url: string, text: string): Promise<void>
}

/** A model's config.json hardly ever changes after its release. */
const MAX_AGE_MILLIS = 30 * 24 * 60 * 60 * 1_000

export function folderCache(folder: string, now: () => number = Date.now): HubCache {
  const fileOf = (url: string) => path.join(folder, `${createHash('sha256').update(url).digest('hex')}.json`)
  return {
    async read(url) {
      try {
        const { mtimeMs } = await stat(fileOf(url))
        return now() - mtimeMs > MAX_AGE_MILLIS ? undefined : await readFile(fileOf(url), 'utf8')
      } catch {
        return undefined
      }
    },
    async write(url, text) {
      const unfinished = path.join(folder, `${randomUUID()}.part`)
      try {
        // Only the user may read it, because the models may be private.
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await writeFile(unfinished, text, { mode: 0o600 })
        await rename(unfinished, fileOf(url))
      } catch {
        await rm(unfinished, { force: true }).catch(() => {})
      }
    },
  }
}

/** `memorymark/hub` in the folder that the platform sets aside for caches. */
export function cacheFolder(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  return path.join(userCaches(env, platform, home), 'memorymark', 'hub')
}

function userCaches(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
  home: string,
): string {
  if (env.XDG_CACHE_HOME) return env.XDG_CACHE_HOME
  if (platform === 'darwin') return path.join(home, 'Library', 'Caches')
  if (platform === 'win32') return env.LOCALAPPDATA || path.join(home, 'AppData', 'Local')
  return path.join(home, '.cache')
}
