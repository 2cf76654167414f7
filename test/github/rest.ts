/** Requests to a REST API of this folder, failing loudly: a world that could not be set up is a broken test. */
import { spareToken } from './accounts.ts'
import { loopback } from './loopback.ts'

export class Rest {
  readonly #baseUrl: string
  #calls = 0

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl
  }

  /** `T` is trusted: the answer comes from this folder or from emulate. */
  async json<T>(method: string, path: string, token: string, body?: unknown): Promise<T> {
    const response = await this.send(method, path, token, body)
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }

  /** Undefined where there is no such thing. */
  async find<T>(path: string, token: string): Promise<T | undefined> {
    const response = await this.send('GET', path, token)
    if (response.status === 404) return undefined
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }

  /** Whatever is answered. */
  send(method: string, path: string, token: string, body?: unknown): Promise<Response> {
    return loopback(this.#baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${spareToken(token, this.#calls++)}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  }
}
