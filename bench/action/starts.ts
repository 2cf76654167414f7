/** Times from starting Node to an action's first output, in a runner's environment. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'

export interface StartableAction {
  readonly name: string
  readonly script: string
  /** The size of all scripts that a start may load. */
  readonly bytes: number
  readonly inputs: Readonly<Record<string, string>>
}

/** Inputs that the action requires and that have no default. */
const furtherInputs: Readonly<Record<string, string>> = { filters: 'configs: ["**/*.yaml"]', message: 'A comment' }

const actionFile = z.object({
  inputs: z.record(z.string(), z.object({ default: z.union([z.string(), z.boolean(), z.number()]).optional() })),
  runs: z.object({ using: z.string(), main: z.string() }),
})

/**
 * Published actions in `<owner>/<name>@<version>/`, each with its action.yml and committed dist/. Other folders are
 * ignored.
 */
export async function knownActions(folder: string): Promise<StartableAction[]> {
  const owners = await readdir(folder)
  const folders = await Promise.all(
    owners.map(async owner => (await readdir(path.join(folder, owner))).map(name => `${owner}/${name}`)),
  )
  return Promise.all(
    folders
      .flat()
      .sort()
      .map(name => knownAction(folder, name)),
  )
}

async function knownAction(folder: string, name: string): Promise<StartableAction> {
  const { inputs, runs } = actionFile.parse(parse(await readFile(path.join(folder, name, 'action.yml'), 'utf8')))
  const script = path.join(folder, name, runs.main)
  const given = Object.entries(inputs).map(([key, { default: value }]) => [
    key,
    furtherInputs[key] ?? String(value ?? ''),
  ])
  return { name, script, bytes: (await stat(script)).size, inputs: Object.fromEntries(given) }
}

/** Milliseconds until the first byte; the process is then killed. */
export async function startMillis(
  action: StartableAction,
  environment: NodeJS.ProcessEnv,
  token: string,
): Promise<number> {
  const variables = Object.entries(action.inputs).map(([name, value]) => [
    `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`,
    value
      .replace(/^\$\{\{ ?github\.token ?\}\}$/, token)
      .replace(/^\$\{\{ ?github\.repository ?\}\}$/, environment.GITHUB_REPOSITORY ?? ''),
  ])
  const before = performance.now()
  const child = spawn(process.execPath, [action.script], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...environment, ...Object.fromEntries(variables) },
  })
  const exited = once(child, 'exit')
  const first = await Promise.race([once(child.stdout, 'data'), exited.then(() => undefined)])
  const millis = performance.now() - before
  child.kill()
  await exited
  if (first === undefined) throw new Error(`${action.name} ended without a word`)
  return millis
}
