/** What GitHub tells the App: events of repositories where it is installed, those it subscribed to, signed by Webhooks. */
import { memoryMarkApp, owner } from './accounts.ts'
import type { Rest } from './rest.ts'
import type { Delivery, Payload, Webhooks } from './webhooks.ts'

/** Sent to every App, whatever it subscribed to. */
const unasked = ['installation', 'installation_repositories', 'github_app_authorization']

export class Events {
  readonly #rest: Rest
  readonly #webhooks: Webhooks
  readonly #subscribed: ReadonlySet<string>
  readonly #aside = new Set<Promise<unknown>>()

  constructor(rest: Rest, webhooks: Webhooks, subscribed: readonly string[]) {
    this.#rest = rest
    this.#webhooks = webhooks
    this.#subscribed = new Set([...subscribed, ...unasked])
  }

  /** Resolves when the receiver has answered; undefined where nobody is told. */
  async send(
    fullName: string,
    event: string,
    payload: Payload,
    sender: string = owner.login,
  ): Promise<Delivery | undefined> {
    const [account = ''] = fullName.split('/')
    const id = memoryMarkApp.installations[account]
    if (id === undefined || !this.#subscribed.has(event)) return undefined
    const repository = await this.#rest.json<object>('GET', `/repos/${fullName}`, owner.token)
    const from = { login: sender, type: sender.endsWith('[bot]') ? 'Bot' : 'User' }
    return this.#webhooks.send(event, { ...payload, repository, installation: { id }, sender: from })
  }

  /** While GitHub answers the very call that caused it: nobody waits, and a receiver that is down misses it. */
  sendAside(...event: Parameters<Events['send']>): void {
    this.aside(this.send(...event))
  }

  /** Waited for by `settled` alone. */
  aside(sending: Promise<unknown>): void {
    const sent: Promise<unknown> = sending.finally(() => this.#aside.delete(sent))
    this.#aside.add(sent)
  }

  /** Resolves when nothing is on its way. */
  async settled(): Promise<void> {
    while (this.#aside.size > 0) await Promise.allSettled(this.#aside)
  }
}
