/** The process behind a `LimitedProcess`, from its start to its end. */
import { type ChildProcess, fork } from 'node:child_process'
import { MemoryMarkError } from '../base/errors.ts'
import type { FromProcess, ToProcess } from './protocol.ts'

export interface ChildOptions {
  /** The file that it starts with, which calls `takeOrders`. */
  readonly script: string
  readonly args?: readonly string[]
  /** Of V8's heap. */
  readonly heapMib: number
  readonly env: NodeJS.ProcessEnv
  /** Receives what it writes to stderr; the last of it is told in any case where it ends. */
  readonly onStderr?: (text: string) => void
}

/**
 * A temporary fault that has nothing to do with the order: no memory or no process is left, or the installation lacks a
 * file.
 */
export class ProcessNotStarted extends MemoryMarkError {
  constructor(why: string) {
    super({
      code: 'process-not-started',
      message: `The process for analyses could not be started: ${why.slice(0, 1_500)}`,
      fix: 'Check that the machine has memory and processes left and that the installation is complete, and try again.',
    })
    this.name = 'ProcessNotStarted'
  }
}

/**
 * Of V8's young generation, which has three of them beside the heap. With its own choice of 16 or 32 MiB a process holds twice the
 * memory where it parses large files, or over some hundred configs that differ, for a tenth of the CPU time; 8 MiB would save 6 % of
 * it, and 4 keep the bot with its two processes below 400 MiB under `npm run attack`.
 */
const SEMI_SPACE_MIB = 4

/**
 * mallopt(3), M_ARENA_MAX: V8's threads, which compile and collect garbage, get arenas of their own from glibc, up to eight a core, and
 * what is freed in one is of no use to the others: 20 MiB over some hundred configs. Without glibc the variable means nothing.
 */
const ONE_ARENA = { MALLOC_ARENA_MAX: '1' }

/**
 * The callbacks of one order. They are dropped with the order: a promise of the process's end would keep every order in
 * memory until then.
 */
export interface Listener {
  readonly hear: (message: FromProcess) => void
  /** Called at once if the process has already ended. */
  readonly ended: (how: string) => void
}

/** What cannot start ends by itself; a machine with much to do takes a minute for what is done in a tenth of a second. */
const START_LIMIT_MILLIS = 300_000
const STDERR_TAIL_CHARACTERS = 4_000

export class Child {
  readonly #process: ChildProcess
  readonly #ready = Promise.withResolvers<void>()
  readonly #closed = Promise.withResolvers<string>()
  #stderr = ''
  #isReady = false
  #howEnded: string | undefined
  #listener: Listener | undefined
  isAlive = true
  /** Whether it has had an order. */
  isUsed = false

  constructor({ script, args = [], heapMib, env, onStderr }: ChildOptions) {
    this.#process = fork(script, args, {
      env: { ...ONE_ARENA, ...env },
      execArgv: [
        `--max-old-space-size=${heapMib}`,
        `--max-semi-space-size=${SEMI_SPACE_MIB}`,
        '--disable-warning=ExperimentalWarning',
      ],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL_CHARACTERS)
      onStderr?.(text)
    })
    this.#process.on('message', (message: FromProcess) => this.#heard(message))
    this.#process.on('error', error => this.#ended(error.message))
    this.#process.on('close', (code, signal) => this.#ended(`it ended with ${signal ?? `exit code ${code}`}`))
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  async ready(): Promise<void> {
    if (this.#isReady) return
    const late = Promise.withResolvers<string>()
    const timeout = setTimeout(() => late.resolve('it did not start in time'), START_LIMIT_MILLIS)
    const failure = await Promise.race([this.#ready.promise, this.#closed.promise, late.promise])
    clearTimeout(timeout)
    if (failure === undefined) {
      this.hold(false)
      return
    }
    await this.end()
    throw new ProcessNotStarted(failure)
  }

  /** One order at a time listens. */
  listen(listener: Listener | undefined): void {
    this.#listener = listener
    if (this.#howEnded !== undefined) listener?.ended(this.#howEnded)
  }

  tell(message: ToProcess): void {
    // A broken channel shows as the end of the process.
    if (this.#process.connected) this.#process.send(message, () => {})
  }

  /** Keeps the host from exiting only while an order runs. */
  hold(isHeld: boolean): void {
    const { channel, stderr } = this.#process
    // Of the types, a pipe to a child is a stream; it is a socket.
    const pipe = stderr as { ref?: () => void; unref?: () => void } | null
    for (const each of [this.#process, channel, pipe]) {
      if (isHeld) each?.ref?.()
      else each?.unref?.()
    }
  }

  async end(): Promise<void> {
    this.isAlive = false
    // Otherwise a host with nothing else to do would exit before it learns of the end.
    this.hold(true)
    this.#process.kill('SIGKILL')
    await this.#closed.promise
  }

  #heard(message: FromProcess): void {
    if (message.kind === 'ready') {
      this.#isReady = true
      this.#ready.resolve()
    } else this.#listener?.hear(message)
  }

  /** How it ended, with the last that it wrote. */
  #ended(how: string): void {
    this.isAlive = false
    this.#howEnded ??= `${how}. ${this.#stderr}`.trim()
    this.#closed.resolve(this.#howEnded)
    this.#listener?.ended(this.#howEnded)
  }
}
