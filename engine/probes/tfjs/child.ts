/**
 * The parent's side of the TensorFlow.js process. It is a separate process because a native out-of-memory can abort it;
 * it uses Node's message channel because TensorFlow writes to stdout.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { type BackendChoice, type Description, type Message, message, type Question } from './protocol.ts'

/** Variables that Node and TensorFlow need to start and to find the GPU; no secrets. */
const passedVariables = /^(?:PATH|HOME|LANG|LC_\w+|TMPDIR|LD_LIBRARY_PATH|CUDA_\w+|NVIDIA_\w+|TF_\w+)$/

const STDERR_TAIL_CHARACTERS = 4_000

/** Received instead of a message. */
type Ending =
  | { readonly kind: 'timed-out'; readonly afterMillis: number }
  /** `text`: how the process ended, with its last output. */
  | { readonly kind: 'ended'; readonly text: string }
export type Received<Kind extends Message['kind']> = Extract<Message, { kind: Kind }> | Ending

export interface ChildOptions {
  readonly choice: BackendChoice
  /** The folder whose node_modules hold a native package. */
  readonly nativeFolder: string
}

/** The bundle lies beside ours in dist/; the sources hold the child beside this file. */
function childPath(): string {
  const places = ['./tfjs.js', './serve.ts'].map(path => fileURLToPath(new URL(path, import.meta.url)))
  const found = places.find(place => existsSync(place))
  if (found === undefined)
    throw new Error(`the TensorFlow.js process is missing from the installation: ${places.join(', ')}`)
  return found
}

export class TfjsChild implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #closed = Promise.withResolvers<string>()
  #next = Promise.withResolvers<unknown>()
  #stderr = ''

  constructor({ choice, nativeFolder }: ChildOptions) {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => passedVariables.test(name)))
    this.#child = fork(childPath(), [choice, nativeFolder], {
      env,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL_CHARACTERS)
    })
    this.#child.on('message', received => this.#next.resolve(received))
    this.#child.on('error', error => this.#closed.resolve(error.message))
    this.#child.on('close', (code, signal) => this.#closed.resolve(signal ?? `exit code ${code}`))
  }

  /** Waits until the backend is open. Call it first. */
  async start(timeoutMillis: number): Promise<{ kind: 'ready'; backend: Description } | Ending> {
    return this.#receive('ready', timeoutMillis)
  }

  /** One question at a time, after `start`. */
  async ask(question: Question, timeoutMillis: number): Promise<Received<'answer'>> {
    this.#next = Promise.withResolvers()
    this.#child.send(question, () => {}) // a broken channel shows as the end of the process
    return this.#receive('answer', timeoutMillis)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#closed.promise
  }

  async #receive<Kind extends Message['kind']>(kind: Kind, timeoutMillis: number): Promise<Received<Kind>> {
    const timer = Promise.withResolvers<Ending>()
    const timeout = setTimeout(() => timer.resolve({ kind: 'timed-out', afterMillis: timeoutMillis }), timeoutMillis)
    const ended = this.#closed.promise.then(how => this.#ending(`ended with ${how}`))
    try {
      const received = await Promise.race([this.#next.promise.then(raw => this.#read(raw, kind)), ended, timer.promise])
      if (received.kind !== kind) this.#child.kill('SIGKILL')
      return received
    } finally {
      clearTimeout(timeout)
    }
  }

  #read<Kind extends Message['kind']>(raw: unknown, kind: Kind): Received<Kind> {
    const parsed = message.safeParse(raw)
    if (!parsed.success) return this.#ending(`said what the schema refuses: ${z.prettifyError(parsed.error)}`)
    const { data } = parsed
    if (isKind(data, kind)) return data
    return this.#ending(data.kind === 'threw' ? `threw: ${data.message}` : `said "${data.kind}" out of turn`)
  }

  #ending(how: string): Ending {
    return { kind: 'ended', text: `${how}. ${this.#stderr}`.trim() }
  }
}

function isKind<Kind extends Message['kind']>(data: Message, kind: Kind): data is Extract<Message, { kind: Kind }> {
  return data.kind === kind
}
