/**
 * Chooses the GPU for one config: the one that an option or a setting names, else the one that the jobs starting it ask
 * for, else the default; at the team's prices.
 */
import { type AnalyzeOptions, assessmentOptionsFor } from './analyze.ts'
import type { AssessmentOptions } from './assess.ts'
import type { AskedCard } from './config/job/request.ts'

export interface OptionsOnGpu {
  readonly options: AssessmentOptions
  /** What the jobs ask for; absent if an option or a setting names the GPU. */
  readonly asked?: AskedCard
}

/**
 * `card`: what the jobs that start the config ask for. If it is unclear, it is passed on and the GPU stays the default.
 */
export function optionsOnGpu(path: string, options: AnalyzeOptions, card: AskedCard | undefined): OptionsOnGpu {
  const general = assessmentOptionsFor(path, options)
  if (card === undefined || !general.assumed?.includes('gpu')) return { options: general }
  if (card.kind === 'unclear') return { options: general, asked: card }
  return { options: assessmentOptionsFor(path, { ...options, gpu: card.gpu }), asked: card }
}
