/** What many test files start in processes of its own: built by the first that needs it, for all of them. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { inject } from 'vitest'
import { analysisBundle, type Bundle, buildBundle, root } from '../scripts/bundles.ts'
import { buildCommands, scriptIn } from '../scripts/installed-commands.ts'
import { buildAction } from './action/run-action.ts'

/** What Node starts for a command as npm installs it. */
export async function sharedCommand(command: 'memorymark' | 'memorymark-bot'): Promise<string> {
  return scriptIn(await once('commands', buildCommands), command)
}

/** A folder with the Action, as `buildAction` makes it. Nothing may be written there. */
export function sharedAction(): Promise<string> {
  return once('action', buildAction)
}

/** What Node starts of hostile-serve.ts. */
export async function sharedHostileScript(): Promise<string> {
  return path.join(await once('hostile', buildHostileScript), hostileBundle.outfile)
}

const hostileBundle: Bundle = { ...analysisBundle, entry: 'test/isolated/hostile-serve.ts' }

async function buildHostileScript(folder: string): Promise<void> {
  await mkdir(path.join(folder, 'dist'))
  for (const { name, contents } of await buildBundle(hostileBundle)) await writeFile(path.join(folder, name), contents)
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}')
}

const begun = new Map<string, Promise<string>>()

function once(name: string, build: (folder: string) => Promise<void>): Promise<string> {
  const made = begun.get(name) ?? make(path.join(inject('buildsFolder'), name), build)
  begun.set(name, made)
  return made
}

async function make(folder: string, build: (folder: string) => Promise<void>): Promise<string> {
  if (existsSync(folder)) return folder
  const own = await mkdtemp(`${folder}-`)
  await build(own)
  // Where another worker's build stands there by now, that one is as good.
  await rename(own, folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
  return folder
}
