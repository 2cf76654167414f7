/** Signed webhooks, each with its delivery id, kept so that any can be delivered again as GitHub would. */
import { createHmac, randomUUID } from 'node:crypto'

export interface Delivery {
  readonly id: string
  readonly event: string
  readonly body: string
  /** Statuses of the answers, one per attempt. */
  readonly statuses: number[]
}

export class Webhooks {
  readonly deliveries: Delivery[] = []
  readonly #secret: string
  #target: string | undefined

  constructor(secret: string, target: string | undefined) {
    this.#secret = secret
    this.#target = target
  }

  sendTo(target: string): void {
    this.#target = target
  }

  /** Nothing is sent while no target is set. Resolves when the receiver has answered. */
  async send(event: string, payload: unknown): Promise<Delivery> {
    const delivery: Delivery = { id: randomUUID(), event, body: JSON.stringify(payload), statuses: [] }
    this.deliveries.push(delivery)
    await this.redeliver(delivery)
    return delivery
  }

  async redeliver(delivery: Delivery): Promise<void> {
    if (this.#target === undefined) return
    const signature = createHmac('sha256', this.#secret).update(delivery.body).digest('hex')
    const response = await fetch(this.#target, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'GitHub-Hookshot/emulated',
        'x-github-delivery': delivery.id,
        'x-github-event': delivery.event,
        'x-hub-signature-256': `sha256=${signature}`,
      },
      body: delivery.body,
    })
    await response.arrayBuffer()
    delivery.statuses.push(response.status)
  }
}
