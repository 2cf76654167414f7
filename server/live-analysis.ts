/** The state of one analysis, with its events. */
import { randomUUID } from 'node:crypto'
import type { Analysis, AnalysisRequest, Ending, Happening, Probing } from './analysis.ts'
import { EventLog } from './event-log.ts'

type Trials = Extract<Analysis, { state: 'running' }>['trials']

type State =
  | { readonly kind: 'queued'; readonly position: number }
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly ending: Ending; readonly finishedAt: string }

export class LiveAnalysis {
  /** 122 random bits, so that it cannot be guessed. */
  readonly id = randomUUID()
  readonly request: AnalysisRequest
  readonly log: EventLog
  readonly #now: () => Date
  readonly #createdAt: string
  readonly #cancellation = new AbortController()
  readonly #trials: Trials = []
  #startedAt: string | undefined
  #probing: Probing | undefined
  #state: State = { kind: 'queued', position: 1 }

  constructor(request: AnalysisRequest, now: () => Date) {
    this.request = request
    this.log = new EventLog(now)
    this.#now = now
    this.#createdAt = now().toISOString()
  }

  /** Cancels the run, if there is one. */
  get cancellation(): AbortController {
    return this.#cancellation
  }

  get hasEnded(): boolean {
    return this.#state.kind === 'ended'
  }

  happened(happening: Happening): void {
    this.log.append(happening)
    switch (happening.kind) {
      case 'queued':
        this.#state = happening
        return
      case 'started':
        this.#state = { kind: 'running' }
        this.#startedAt = this.#now().toISOString()
        return
      case 'probing':
        this.#probing = happening.probing
        return
      case 'trial':
        this.#trials.push(happening.trial)
        return
      case 'log':
        return
      case 'done':
      case 'failed':
      case 'cancelled':
        this.#state = { kind: 'ended', ending: happening, finishedAt: this.#now().toISOString() }
        return
    }
  }

  snapshot(): Analysis {
    const common = { id: this.id, request: this.request, createdAt: this.#createdAt }
    const state = this.#state
    if (state.kind === 'queued') return { ...common, state: 'queued', position: state.position }
    const ran = {
      ...common,
      ...(this.#startedAt !== undefined && { startedAt: this.#startedAt }),
      ...(this.#probing !== undefined && { probing: this.#probing }),
      trials: [...this.#trials],
    }
    if (state.kind === 'running') return { ...ran, state: 'running' }
    const { ending, finishedAt } = state
    switch (ending.kind) {
      case 'done':
        return { ...ran, state: 'done', finishedAt, report: ending.report }
      case 'failed':
        return { ...ran, state: 'failed', finishedAt, problems: ending.problems }
      case 'cancelled':
        return { ...ran, state: 'cancelled', finishedAt }
    }
  }
}
