/** The App's credentials: in the environment, or in the file that the setup page writes. */
import { access, constants, open, readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { MemoryMarkError } from '../engine/base/errors.ts'
import type { Credentials } from './settings.ts'
import { credentialVariables, settingVariables } from './variables.ts'

const names = Object.keys(credentialVariables)

/** For the owner alone. */
const MODE = 0o600

/** Where the file is or would be. */
export function credentialsFile(env: NodeJS.ProcessEnv): string {
  return path.resolve(env.MEMORYMARK_CREDENTIALS || settingVariables.MEMORYMARK_CREDENTIALS.default)
}

/** The environment with the App's credentials in it; undefined where there are none yet. */
export async function withCredentials(env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv | undefined> {
  if (names.some(name => env[name])) return env
  const file = credentialsFile(env)
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw unreadable(file, cause)
  })
  if (text === undefined) return undefined
  const stored = parseEnv(text)
  const missing = names.filter(name => !stored[name])
  if (missing.length > 0) throw incomplete(file, missing)
  return { ...env, ...Object.fromEntries(names.map(name => [name, stored[name]])) }
}

/** Before an App is made whose key could then not be kept. @throws MemoryMarkError where the file could not be written. */
export async function checkWritable(file: string): Promise<void> {
  await access(path.dirname(file), constants.W_OK).catch((cause: Error) => {
    throw unwritable(file, cause, place)
  })
}

/** Never over another. A line each, as `docker run --env-file` and `kubectl create secret --from-env-file` take it, too. */
export async function storeCredentials(file: string, { appId, privateKey, webhookSecret }: Credentials): Promise<void> {
  const key = privateKey.trim().replaceAll('\n', '\\n')
  const text = `APP_ID=${appId}\nPRIVATE_KEY=${key}\nWEBHOOK_SECRET=${webhookSecret}\n`
  try {
    await using handle = await open(file, 'wx', MODE)
    await handle.writeFile(text)
    await handle.sync()
  } catch (cause) {
    throw unwritable(
      file,
      cause,
      `Delete the App under Developer settings on GitHub, start the bot again, and begin anew. ${place}`,
    )
  }
}

function unreadable(file: string, cause: Error): MemoryMarkError {
  return new MemoryMarkError(
    {
      code: 'credentials-unreadable',
      file,
      message: `The App's credentials cannot be read: ${cause.message}`,
      fix: 'Let the user that runs the bot read the file, or set APP_ID, PRIVATE_KEY and WEBHOOK_SECRET.',
    },
    { cause },
  )
}

function incomplete(file: string, missing: readonly string[]): MemoryMarkError {
  return new MemoryMarkError({
    code: 'credentials-incomplete',
    file,
    message: `The App's credentials are incomplete: there is no ${missing.join(' and no ')}`,
    fix: "Add what is missing from the App's page, a line NAME=value each, or delete the file to create another App.",
  })
}

const place = 'MEMORYMARK_CREDENTIALS must name a file that is not there yet, in a folder that the bot may write to.'

function unwritable(file: string, cause: unknown, fix: string): MemoryMarkError {
  return new MemoryMarkError(
    {
      code: 'credentials-unwritable',
      file,
      message: `The credentials of a new App cannot be stored here: ${cause instanceof Error ? cause.message : 'unknown'}`,
      fix,
    },
    { cause },
  )
}
