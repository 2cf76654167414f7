/**
 * Delivers webhooks as a bad network would: in any order, to any replica, each several times once it has arrived. One that nobody
 * took is lost until the bot asks for it again, as GitHub tries once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery, EmulatedGitHub } from '../../test/github/index.ts'
import type { SeededRandom } from '../../test/github/random.ts'

const CARRIERS = 8
const PAUSE_MILLIS = 5
const ACCEPTED = 202

export interface PostmanOptions {
  readonly github: EmulatedGitHub
  readonly targets: readonly [string, ...string[]]
  readonly copies: number
  readonly random: SeededRandom
}

export class Postman {
  readonly #options: PostmanOptions
  readonly #bag: Delivery[] = []
  readonly #arrived = new Set<Delivery>()
  readonly #carriers: readonly Promise<void>[]
  #collected = 0
  #collectedAgain = 0
  #open = true
  /** By the status of the answer; 0 without an answer. */
  readonly answers = new Map<number, number>()

  constructor(options: PostmanOptions) {
    this.#options = options
    this.#carriers = Array.from({ length: CARRIERS }, () => this.#carry())
  }

  get sent(): number {
    return [...this.answers.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Resolves when every webhook queued so far is sent. */
  async finish(): Promise<void> {
    await this.#options.github.settled()
    this.#open = false
    await Promise.all(this.#carriers)
  }

  async #carry(): Promise<void> {
    const { github, targets, random } = this.#options
    for (;;) {
      this.#collect()
      const delivery = this.#bag.splice(random.integer(this.#bag.length), 1)[0]
      if (delivery === undefined) {
        if (!this.#open) return
        await sleep(PAUSE_MILLIS)
        continue
      }
      const status = await github.deliver(delivery, random.pick(targets))
      this.answers.set(status, (this.answers.get(status) ?? 0) + 1)
      if (status === ACCEPTED) this.#copy(delivery)
    }
  }

  #collect(): void {
    const { github } = this.#options
    this.#bag.push(...github.deliveries.slice(this.#collected))
    this.#collected = github.deliveries.length
    this.#bag.push(...github.askedAgain.slice(this.#collectedAgain))
    this.#collectedAgain = github.askedAgain.length
  }

  #copy(delivery: Delivery): void {
    if (this.#arrived.has(delivery)) return
    this.#arrived.add(delivery)
    for (let copy = 1; copy < this.#options.copies; copy += 1) this.#bag.push(delivery)
  }
}
