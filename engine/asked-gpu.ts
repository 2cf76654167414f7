/** The GPU of one config: whoever names one, else the jobs that start it, else the one that is assumed; at the team's prices. */
import { type AnalyzeOptions, assessmentOptionsFor } from './analyze.ts'
import type { AssessmentOptions } from './assess.ts'
import type { AskedCard } from './config/job/request.ts'

export interface OptionsOnGpu {
  readonly options: AssessmentOptions
  /** What the jobs ask for, where it counts: nobody else names a GPU. */
  readonly asked?: AskedCard
}

/** `card`: what the jobs that start it ask for. One that is not clear is told, and the GPU stays the assumed one. */
export function optionsOnGpu(path: string, options: AnalyzeOptions, card: AskedCard | undefined): OptionsOnGpu {
  const general = assessmentOptionsFor(path, options)
  if (card === undefined || !general.assumed?.includes('gpu')) return { options: general }
  if (card.kind === 'unclear') return { options: general, asked: card }
  return { options: assessmentOptionsFor(path, { ...options, gpu: card.gpu }), asked: card }
}
