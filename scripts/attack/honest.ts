/** Pull requests of people who mean well, one a second, in the attacked account and in another. */
import { setTimeout as sleep } from 'node:timers/promises'
import { analyze, renderCheck } from '../../engine/index.ts'
import { type EmulatedGitHub, otherOwner, owner } from '../../test/github/index.ts'
import { endOfCheck } from './checks.ts'
import { honestConfig } from './input.ts'
import { type Clock, LIMITS } from './surface.ts'

const EVERY_MILLIS = 1_000

export interface HonestAnswers {
  readonly count: number
  readonly slowestMillis: number
  /** One sentence each. */
  readonly misses: readonly string[]
}

export class HonestStream {
  readonly #github: EmulatedGitHub
  readonly #clock: Clock
  readonly #end = new AbortController()
  readonly #running: Promise<void>
  readonly #pending = new Set<Promise<void>>()
  readonly #misses: string[] = []
  #count = 0
  #slowestMillis = 0

  private constructor(github: EmulatedGitHub, clock: Clock) {
    this.#github = github
    this.#clock = clock
    this.#running = this.#run()
  }

  /** With a clock of CPU time, how soon they are answered is told and not judged. */
  static start(github: EmulatedGitHub, clock: Clock): HonestStream {
    return new HonestStream(github, clock)
  }

  /** Opens no more, and resolves when all are answered. */
  async finish(): Promise<HonestAnswers> {
    this.#end.abort()
    await this.#running
    await Promise.all(this.#pending)
    return { count: this.#count, slowestMillis: this.#slowestMillis, misses: this.#misses }
  }

  async #run(): Promise<void> {
    const files = { 'configs/honest.yaml': honestConfig }
    const repositories = await Promise.all(
      [owner, otherOwner].map(account =>
        this.#github.createRepository('honest', { 'README.md': '# Models\n' }, { owner: account }),
      ),
    )
    const report = await analyze([{ path: 'configs/honest.yaml', text: honestConfig }], { now: new Date() })
    const { conclusion } = renderCheck(report)
    for (let turn = 0; !this.#end.signal.aborted; turn += 1) {
      const repository = repositories[turn % repositories.length]
      if (repository === undefined) return
      const opened = { repository, pullRequest: await repository.openPullRequest({ files }) }
      const judged = this.#judge(opened, conclusion).finally(() => this.#pending.delete(judged))
      this.#pending.add(judged)
      await sleep(EVERY_MILLIS, undefined, { signal: this.#end.signal }).catch(() => {})
    }
  }

  async #judge(opened: Parameters<typeof endOfCheck>[1], conclusion: string): Promise<void> {
    const { millis, runs } = await endOfCheck(this.#github, opened)
    const name = `${opened.repository.fullName}#${opened.pullRequest.number}`
    const [run] = runs
    this.#count += 1
    this.#slowestMillis = Math.max(this.#slowestMillis, millis)
    if (runs.length > 1) this.#misses.push(`honest ${name}: ${runs.length} checks`)
    const mayTake = this.#clock === 'wall' ? LIMITS.honestMillis : Number.MAX_VALUE
    if (millis > mayTake) this.#misses.push(`honest ${name}: answered after ${(millis / 1_000).toFixed(1)} s`)
    else if (run?.conclusion !== conclusion) this.#misses.push(`honest ${name}: ${run?.conclusion}, not ${conclusion}`)
  }
}
