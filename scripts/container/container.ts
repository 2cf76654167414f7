/** Runs an image as its own user, with only its volumes writable, on this machine's network. */
import { once } from 'node:events'
import { freePort } from '../demo/free-port.ts'
import { until } from '../demo/until.ts'
import type { Started } from './chroot.ts'
import type { Image } from './image.ts'

/** The shortest time that container engines leave between SIGTERM and SIGKILL. */
const STOP_MILLIS = 30_000

export class Container implements AsyncDisposable {
  readonly origin: string
  readonly #image: Image
  readonly #env: Readonly<Record<string, string>>
  readonly #child: Started
  readonly #log: string[] = []

  private constructor(image: Image, env: Readonly<Record<string, string>>, port: number) {
    this.origin = `http://127.0.0.1:${port}`
    this.#image = image
    this.#env = { ...image.env, ...env, PORT: String(port) }
    this.#child = this.#start(image.entrypoint)
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.on('data', chunk => this.#log.push(String(chunk)))
    }
  }

  /** Resolves when its health check succeeds. */
  static async start(image: Image, env: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Container> {
    const container = new Container(image, env, await freePort())
    try {
      await until('the health check', { signal, log: () => container.log }, () => container.#isHealthy())
    } catch (error) {
      await container[Symbol.asyncDispose]()
      throw error
    }
    return container
  }

  get log(): string {
    return this.#log.join('')
  }

  get(path: string): Promise<Response> {
    return fetch(`${this.origin}${path}`)
  }

  /** Stops it as a container engine does. @throws Error if it does not exit by itself with status 0. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.#child.exitCode === null ? once(this.#child, 'close') : [this.#child.exitCode]
    this.#child.kill('SIGTERM')
    const insist = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MILLIS)
    const [exitCode] = await closed
    clearTimeout(insist)
    if (exitCode !== 0) throw new Error(`The container ended with ${exitCode ?? 'a signal'}:\n${this.log}`)
  }

  async #isHealthy(): Promise<true | undefined> {
    if (this.#child.exitCode !== null) throw new Error(`The container ended before it was healthy:\n${this.log}`)
    const check = this.#start(this.#image.healthcheck)
    check.stdout.resume()
    check.stderr.resume()
    const [exitCode] = await once(check, 'close')
    return exitCode === 0 ? true : undefined
  }

  #start(command: readonly string[]): Started {
    const { files, workdir, user, volumes } = this.#image
    return files.start(command, { env: this.#env, workdir, user, files: { kind: 'read-only', volumes } })
  }
}
