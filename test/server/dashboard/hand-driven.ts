/** Analyses in which nothing happens but what a test says. */
import type { Analysis, AnalysisRequest, Happening } from '../../../server/analysis.ts'
import { LiveAnalysis } from '../../../server/live-analysis.ts'
import type { Analyses, Submission } from '../../../server/pages.ts'

export class HandDriven implements Analyses {
  readonly #all = new Map<string, LiveAnalysis>()
  answer: Exclude<Submission, { kind: 'accepted' }> | undefined

  submit(request: AnalysisRequest): Submission {
    if (this.answer !== undefined) return this.answer
    const analysis = new LiveAnalysis(request, () => new Date('2026-03-01T12:00:00Z'))
    this.#all.set(analysis.id, analysis)
    return { kind: 'accepted', analysis: analysis.snapshot() }
  }

  /** Submits and starts one. */
  started(request: AnalysisRequest): string {
    const submission = this.submit(request)
    if (submission.kind !== 'accepted') throw new Error(submission.kind)
    this.happens(submission.analysis.id, { kind: 'started' })
    return submission.analysis.id
  }

  happens(id: string, happening: Happening): void {
    this.#all.get(id)?.happened(happening)
  }

  find(id: string): Analysis | undefined {
    return this.#all.get(id)?.snapshot()
  }

  events(id: string, after: number, signal: AbortSignal): ReturnType<Analyses['events']> {
    const log = this.#all.get(id)?.log
    return log?.hasEnded && after >= log.lastSequence ? 'all-seen' : log?.after(after, signal)
  }

  cancel(id: string): Analysis | undefined {
    this.happens(id, { kind: 'cancelled' })
    return this.find(id)
  }

  /** As a server that was started anew has. */
  forget(): void {
    this.#all.clear()
  }
}
