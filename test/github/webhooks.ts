/** Signed webhooks, each with its delivery id, kept so that any can be delivered again as GitHub would. */
import { createHmac, randomUUID } from 'node:crypto'
import { loopback } from './loopback.ts'

/** With the `action`, where the event has any. */
export type Payload = Readonly<Record<string, unknown>>

export interface Delivery {
  readonly id: string
  readonly event: string
  readonly action: string
  readonly body: string
  readonly deliveredAt: string
  /** Statuses of the answers, one per attempt; 0 where nobody answered. */
  readonly statuses: number[]
}

export interface Attempt {
  readonly delivery: Delivery
  readonly at: string
  /** 0 where nobody answered. */
  readonly status: number
}

export class Webhooks {
  readonly deliveries: Delivery[] = []
  /** Of all deliveries, in the order of their ends. */
  readonly attempts: Attempt[] = []
  /** Those that the App has asked for again, in order. */
  readonly askedAgain: Delivery[] = []
  readonly #secret: string
  #target: string | undefined

  constructor(secret: string, target: string | undefined) {
    this.#secret = secret
    this.#target = target
  }

  /** As the settings of the App show it, without the secret. */
  get config(): { readonly url: string | null; readonly content_type: string } {
    return { url: this.#target ?? null, content_type: 'json' }
  }

  sendTo(target: string): void {
    this.#target = target
  }

  /** Nothing is sent while no target is set. Resolves when the receiver has answered. */
  async send(event: string, payload: Payload): Promise<Delivery> {
    const delivery: Delivery = {
      id: randomUUID(),
      event,
      action: String(payload.action ?? ''),
      body: JSON.stringify(payload),
      deliveredAt: new Date().toISOString(),
      statuses: [],
    }
    this.deliveries.push(delivery)
    await this.redeliver(delivery)
    return delivery
  }

  async redeliver(delivery: Delivery): Promise<void> {
    if (this.#target !== undefined) await this.deliver(delivery, this.#target)
  }

  /** The status of the answer; 0 where nobody answered, which GitHub takes note of and leaves at that. */
  async deliver(delivery: Delivery, target: string): Promise<number> {
    const at = new Date().toISOString()
    const signature = createHmac('sha256', this.#secret).update(delivery.body).digest('hex')
    const status = await loopback(target, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'GitHub-Hookshot/emulated',
        'x-github-delivery': delivery.id,
        'x-github-event': delivery.event,
        'x-hub-signature-256': `sha256=${signature}`,
      },
      body: delivery.body,
    }).then(
      response => response.status,
      () => 0,
    )
    delivery.statuses.push(status)
    this.attempts.push({ delivery, at, status })
    return status
  }
}
