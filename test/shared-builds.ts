/** What many test files start in processes of its own: built by the first that needs it, for all of them. */
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rename, rmdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Plugin } from 'esbuild'
import { inject } from 'vitest'
import { Queue } from '../bot/queue/queue.ts'
import { openDatabase } from '../bot/store/open.ts'
import {
  analysisBundle,
  type Bundle,
  buildBundle,
  cliBundle,
  dashboardBundle,
  root,
  tfjsBundle,
} from '../scripts/bundles.ts'
import { buildCommands, buildInstalled, scriptIn } from '../scripts/installed-commands.ts'
import { buildAction } from './action/run-action.ts'

/** What Node starts for a command as npm installs it. */
export async function sharedCommand(command: 'memorymark' | 'memorymark-bot'): Promise<string> {
  return scriptIn(await once('commands', buildCommands), command)
}

/** The script of `sharedCommand`, save that commands in one process share a process with limits. */
export async function sharedWarmCommand(): Promise<string> {
  return path.join(await once('warm-command', buildWarmCommand), cliBundle.outfile)
}

/** A folder with the Action, as `buildAction` makes it. Nothing may be written there. */
export function sharedAction(): Promise<string> {
  return once('action', buildAction)
}

/** What Node starts of hostile-serve.ts. */
export async function sharedHostileScript(): Promise<string> {
  return path.join(await once('hostile', buildHostileScript), hostileBundle.outfile)
}

/**
 * Of the embedded database, with all tables and nothing in them: its owner's until the run ends. PostgreSQL takes seconds of
 * CPU to make one, and to copy one next to nothing.
 */
export async function newDataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(inject('buildsFolder'), 'data-'))
  await cp(await once('data', makeDataFolder), folder, { recursive: true })
  return folder
}

async function makeDataFolder(folder: string): Promise<void> {
  await using database = await openDatabase({ kind: 'folder', folder }, onError)
  const queue = await Queue.start({ database, onError })
  await queue.stop()
}

function onError(error: Error): void {
  throw error
}

const hostileBundle: Bundle = { ...analysisBundle, entry: 'test/isolated/hostile-serve.ts' }

async function buildHostileScript(folder: string): Promise<void> {
  await mkdir(path.join(folder, 'dist'))
  for (const { name, contents } of await buildBundle(hostileBundle)) await writeFile(path.join(folder, name), contents)
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}')
}

const keptEngine: Plugin = {
  name: 'kept-engine',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/engine\.ts$/ }, ({ resolveDir }) =>
      resolveDir === path.join(root, 'cli') ? { path: path.join(root, 'test/cli/kept-engine.ts') } : undefined,
    )
  },
}

async function buildWarmCommand(folder: string): Promise<void> {
  const { options } = cliBundle
  const warm = { ...cliBundle, options: { ...options, plugins: [...(options.plugins ?? []), keptEngine] } }
  await buildInstalled(folder, [warm, analysisBundle, tfjsBundle, dashboardBundle])
  const kept = "process.chdir(import.meta.dirname); await import('./analysis.js')"
  await writeFile(path.join(folder, 'dist/kept-analysis.js'), kept)
}

const CLAIM_POLL_MILLIS = 50

const begun = new Map<string, Promise<string>>()

function once(name: string, build: (folder: string) => Promise<void>): Promise<string> {
  const made = begun.get(name) ?? make(path.join(inject('buildsFolder'), name), build)
  begun.set(name, made)
  return made
}

/** One worker builds, since others would only take the processor from it, and they wait. */
async function make(folder: string, build: (folder: string) => Promise<void>): Promise<string> {
  const claim = `${folder}-claim`
  while (!(await isClaimed(claim))) await setTimeout(CLAIM_POLL_MILLIS)
  try {
    if (existsSync(folder)) return folder
    const own = await mkdtemp(`${folder}-`)
    await build(own)
    await rename(own, folder)
    return folder
  } finally {
    await rmdir(claim)
  }
}

async function isClaimed(claim: string): Promise<boolean> {
  try {
    await mkdir(claim)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
