/** What many test files start in processes of its own: built by the first that needs it, for all of them. */
import { existsSync } from 'node:fs'
import { mkdtemp, rename } from 'node:fs/promises'
import path from 'node:path'
import { inject } from 'vitest'
import { buildCli } from '../scripts/built-cli.ts'
import { buildAction } from './action/run-action.ts'

/** A folder with the command line, as `buildCli` makes it. Nothing may be written there. */
export function sharedCli(): Promise<string> {
  return once('cli', buildCli)
}

/** A folder with the Action, as `buildAction` makes it. Nothing may be written there. */
export function sharedAction(): Promise<string> {
  return once('action', buildAction)
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
