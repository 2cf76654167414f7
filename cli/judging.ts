/** Flags for GPU, price and policy; they override the repository's settings. */
import type { AnalyzeOptions } from '../engine/analyze.ts'
import type { RepositorySettings } from '../engine/settings/settings.ts'
import { parseConditions } from '../engine/verdict/policy.ts'
import { gpuFlag, numberFlag } from './arguments.ts'

/** For parseFlags. */
export const judgingOptions = {
  gpu: { type: 'string' },
  'fail-on': { type: 'string' },
  'warn-on': { type: 'string' },
  'price-per-hour': { type: 'string' },
  'hours-per-run': { type: 'string' },
  'runs-per-year': { type: 'string' },
} as const

export type JudgingFlags = { readonly [Name in keyof typeof judgingOptions]?: string | undefined }

/** @throws MemoryMarkError for an invalid value. */
export function judgingOf(values: JudgingFlags, settings: RepositorySettings): AnalyzeOptions {
  const pricePerHourUsd = numberFlag('--price-per-hour', values['price-per-hour'], { integer: false, max: 1e4 })
  const hoursPerRun = numberFlag('--hours-per-run', values['hours-per-run'], { integer: false, max: 1e5 })
  const runsPerYear = numberFlag('--runs-per-year', values['runs-per-year'], { integer: false, max: 1e6 })
  return {
    now: new Date(),
    settings,
    ...(values.gpu !== undefined && { gpu: gpuFlag(values.gpu, settings.gpus) }),
    policy: {
      ...(values['fail-on'] !== undefined && { failOn: parseConditions(values['fail-on'], '--fail-on') }),
      ...(values['warn-on'] !== undefined && { warnOn: parseConditions(values['warn-on'], '--warn-on') }),
    },
    ...(pricePerHourUsd && { pricePerHourUsd }),
    ...(hoursPerRun && { hoursPerRun }),
    ...(runsPerYear && { runsPerYear }),
  }
}
