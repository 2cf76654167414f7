/**
 * The parent's side of the Python worker: starts it, sends one request at a time, validates every answer, and ends it.
 * The protocol is one JSON object per line; the Python side is the package in the folder `worker`, which `python
 * worker` runs.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { parseJson } from '../base/json.ts'
import type { DeviceKind } from './device-kind.ts'
import { pythonEnvironment } from './python-environment.ts'

const answer = z.discriminatedUnion('kind', [
  z.object({ id: z.number(), kind: z.literal('done'), result: z.unknown() }),
  z.object({ id: z.number(), kind: z.literal('failed'), message: z.string(), traceback: z.string() }),
])

export type Answer<T> =
  | { readonly kind: 'done'; readonly result: T }
  /** Python raised an exception; the traceback goes to the log. */
  | { readonly kind: 'failed'; readonly message: string; readonly traceback: string }
  | { readonly kind: 'timed-out'; readonly afterMillis: number }
  /** The process ended, or broke the protocol. */
  | { readonly kind: 'died'; readonly message: string }

const STDERR_TAIL_CHARACTERS = 4_000

/** The folder that Python runs. The sources hold it beside this file; the bundle in dist/ reaches back to it. */
function workerFolder(): string {
  const places = ['./worker', '../engine/probes/worker'].map(path => fileURLToPath(new URL(path, import.meta.url)))
  const found = places.find(place => existsSync(path.join(place, '__main__.py')))
  if (found === undefined) throw new Error(`the Python worker is missing from the installation: ${places.join(', ')}`)
  return found
}

export class PythonWorker implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>
  readonly #closed: Promise<void>
  #stderr = ''
  /** Why there is no process. */
  #unstarted: string | undefined
  #nextId = 1

  /**
   * `python`: the interpreter's command. `processes`: more than one run under torchrun and answer as one, with the highest
   * figures of all, on `device`. Starting never fails here; the first question does.
   *
   * Python looks for modules where it was started, and a checkout may hold a folder named `torch`. So it starts in the worker's own
   * folder, and paths relative to ours are made absolute.
   */
  constructor(python: string, { processes = 1, device }: { processes?: number; device?: DeviceKind | undefined } = {}) {
    const worker = workerFolder()
    const launcher =
      processes === 1 ? [] : ['-m', 'torch.distributed.run', '--standalone', `--nproc-per-node=${processes}`]
    const command = path.basename(python) === python ? python : path.resolve(python)
    this.#child = spawn(command, ['-u', ...launcher, worker, ...(device ? [device] : [])], {
      cwd: worker,
      env: pythonEnvironment(process.env, process.cwd()),
      detached: true,
    })
    this.#closed = new Promise(resolve => this.#child.once('close', () => resolve()))
    this.#child.on('error', (error: NodeJS.ErrnoException) => {
      this.#unstarted = error.code === 'ENOENT' ? `there is no program ${python}` : error.message
    })
    this.#child.stdin.on('error', () => {}) // the line iterator ends too, and says why
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL_CHARACTERS)
    })
    // If this process is ended in the middle of a trial (a cancelled job), no worker is left behind.
    const end = () => this.#kill()
    process.once('exit', end)
    this.#child.once('close', () => process.off('exit', end))
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  /** One request at a time: the next may be sent once this one is answered. */
  async ask<T>(
    operation: string,
    question: Record<string, unknown>,
    schema: z.ZodType<T>,
    timeoutMillis: number,
  ): Promise<Answer<T>> {
    const id = this.#nextId++
    this.#child.stdin.write(`${JSON.stringify({ ...question, id, operation })}\n`)
    const timer = Promise.withResolvers<'timed-out'>()
    const timeout = setTimeout(() => timer.resolve('timed-out'), timeoutMillis)
    try {
      const line = await Promise.race([this.#lines.next(), timer.promise])
      if (line === 'timed-out') {
        this.#kill()
        return { kind: 'timed-out', afterMillis: timeoutMillis }
      }
      return await (line.done ? this.#died('ended') : this.#read(line.value, id, schema))
    } finally {
      clearTimeout(timeout)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#kill()
    await this.#closed
  }

  async #read<T>(line: string, id: number, schema: z.ZodType<T>): Promise<Answer<T>> {
    const parsed = answer.safeParse(parseJson(line))
    if (!parsed.success || parsed.data.id !== id) return this.#died(`answered "${line.slice(0, 200)}"`)
    if (parsed.data.kind === 'failed') return parsed.data
    const result = schema.safeParse(parsed.data.result)
    return result.success
      ? { kind: 'done', result: result.data }
      : this.#died(`answered what the schema refuses: ${z.prettifyError(result.error)}`)
  }

  /** Waits for its output, which may arrive after the process's end. */
  async #died(how: string): Promise<Answer<never>> {
    this.#kill()
    await this.#closed
    if (this.#unstarted !== undefined) return { kind: 'died', message: `Python cannot be started: ${this.#unstarted}` }
    return { kind: 'died', message: `the Python process ${how}. ${this.#stderr}`.trim() }
  }

  /** The whole process group, including Python's data loaders and compilers. */
  #kill(): void {
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
}
