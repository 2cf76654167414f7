/** Runs commands to their end. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

export interface Finished {
  /** Null if a signal ended it. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CommandOptions {
  readonly cwd: string
  /** This process's environment by default. */
  readonly env?: NodeJS.ProcessEnv
}

const LIMIT_MILLIS = 300_000

export async function run(command: string, args: readonly string[], options: CommandOptions): Promise<Finished> {
  const child = spawn(command, args, {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MILLIS,
    killSignal: 'SIGKILL',
  })
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { exitCode, stdout, stderr }
}

/** Standard output of the command. @throws Error with all of its output if it fails. */
export async function output(command: string, args: readonly string[], options: CommandOptions): Promise<string> {
  const { exitCode, stdout, stderr } = await run(command, args, options)
  if (exitCode === 0) return stdout
  throw new Error(`${[command, ...args].join(' ')} ended with ${exitCode ?? 'a signal'}:\n${stdout}${stderr}`)
}
