/** The check of one commit while a pull request is brought up to date. */
import { beginCheck, type Check, type DesiredCheck, keepCheck } from '../check.ts'
import type { PullRequest, Work } from '../github.ts'
import { forgetOpenCheck, keepOpenCheck } from '../store/open-checks.ts'

/** A check that was begun and left is looked after by then. */
const BEGUN_MINUTES = 5

export class CheckSlot {
  readonly #work: Work
  readonly #pull: PullRequest
  #check: Check | undefined
  #isKept = false

  constructor(work: Work, pull: PullRequest, check: Check | undefined) {
    this.#work = work
    this.#pull = pull
    this.#check = check
  }

  get isCompleted(): boolean {
    return this.#check?.isCompleted === true
  }

  /** Whether it says what it should. */
  get isKept(): boolean {
    return this.#isKept
  }

  /** Does nothing where there is a check already: what it says stands until there is something else to say. */
  async begin(): Promise<void> {
    if (this.#check !== undefined) return
    this.#check = await beginCheck(this.#work, this.#pull.headSha)
    await this.#lookAgain(this.#check.id, new Date(Date.now() + BEGUN_MINUTES * 60_000))
  }

  /** `lookAgainAt` belongs to a check in progress: by then it is looked at again, whatever else happens. */
  async keep(desired: DesiredCheck, lookAgainAt: Date | undefined): Promise<void> {
    const id = await keepCheck(this.#work, this.#pull.headSha, this.#check, desired)
    this.#work.metrics.verdict(desired.state)
    if (lookAgainAt === undefined) await forgetOpenCheck(this.#work.database, this.#work.place, id)
    else await this.#lookAgain(id, lookAgainAt)
    this.#isKept = true
  }

  async #lookAgain(checkRunId: number, at: Date): Promise<void> {
    const { database, place } = this.#work
    const { number: pullNumber, headSha } = this.#pull
    await keepOpenCheck(database, { ...place, pullNumber, headSha, checkRunId }, at)
  }
}
