/** The check of one commit during an update of its pull request. */
import { beginCheck, type Check, type DesiredCheck, keepCheck } from '../check.ts'
import type { PullRequest, Work } from '../github.ts'
import { forgetOpenCheck, keepOpenCheck } from '../store/open-checks.ts'

/** Minutes after which a check that was created and not finished is looked at again. */
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

  /** Whether the check has the desired content. */
  get isKept(): boolean {
    return this.#isKept
  }

  /** Creates the check in progress; an existing one keeps its content until it is replaced. */
  async begin(): Promise<void> {
    if (this.#check !== undefined) return
    this.#check = await beginCheck(this.#work, this.#pull.headSha)
    await this.#keepDeadline(this.#check.id, new Date(Date.now() + BEGUN_MINUTES * 60_000))
  }

  /** `deadline`: of a check in progress; undefined for one that is complete. */
  async keep(desired: DesiredCheck, deadline: Date | undefined): Promise<void> {
    const id = await keepCheck(this.#work, this.#pull.headSha, this.#check, desired)
    this.#work.metrics.verdict(desired.state)
    if (deadline === undefined) await forgetOpenCheck(this.#work.database, this.#work.place, id)
    else await this.#keepDeadline(id, deadline)
    this.#isKept = true
  }

  async #keepDeadline(checkRunId: number, at: Date): Promise<void> {
    const { database, place } = this.#work
    const { number: pullNumber, headSha } = this.#pull
    await keepOpenCheck(database, { ...place, pullNumber, headSha, checkRunId }, at)
  }
}
