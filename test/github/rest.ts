/** Requests to the emulator's REST API, failing loudly: a world that could not be set up is a broken test. */

export class Rest {
  readonly #baseUrl: string
  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl
  }

  /** `T` is trusted: the answer comes from this folder or from emulate. */
  async json<T>(method: string, path: string, token: string, body?: unknown): Promise<T> {
    const response = await fetch(this.#baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }
}
