/** How a repository's configs changed from one report to the next. */
import { configKey } from '../config/training-place.ts'
import { idlePercent } from '../metrics/memory.ts'
import type { AnalysedConfig, ConfigResult, Report } from './schema.ts'

export type ConfigChange =
  | { readonly kind: 'new'; readonly after: ConfigResult }
  | { readonly kind: 'gone'; readonly before: ConfigResult }
  | { readonly kind: 'changed'; readonly before: ConfigResult; readonly after: ConfigResult }

/** Smaller differences are measurement noise. */
const MATERIAL_PERCENT = 1
const MATERIAL_USD = 1

/** In the order of the newer report, removed configs last. Negligible differences are left out. */
export function changesSince(last: Report, now: Report): ConfigChange[] {
  const pairs = now.configs.map(after => ({ after, before: counterpart(after, last) }))
  const met = new Set(pairs.map(({ before }) => before))
  return [
    ...pairs.flatMap(({ before, after }): ConfigChange[] => {
      if (before === undefined) return [{ kind: 'new', after }]
      return isMaterial(before, after) ? [{ kind: 'changed', before, after }] : []
    }),
    ...last.configs.filter(config => !met.has(config)).map((before): ConfigChange => ({ kind: 'gone', before })),
  ]
}

/**
 * The same config on the same GPU; else the config's only earlier result, if one of the two could not be analysed or
 * the GPU differs.
 */
function counterpart(config: ConfigResult, { configs }: Report): ConfigResult | undefined {
  const own = configs.filter(other => configKey(other) === configKey(config))
  return own.find(other => gpuOf(other) === gpuOf(config)) ?? (own.length === 1 ? own[0] : undefined)
}

function gpuOf(config: ConfigResult): string | undefined {
  return config.status === 'analysed' ? config.gpu.id : undefined
}

function isMaterial(before: ConfigResult, after: ConfigResult): boolean {
  if (before.status === 'not-analysed' || after.status === 'not-analysed') return before.status !== after.status
  return (
    before.verdict.state !== after.verdict.state ||
    before.gpu.id !== after.gpu.id ||
    before.provenance !== after.provenance ||
    before.current.microBatch !== after.current.microBatch ||
    before.current.gradientAccumulation !== after.current.gradientAccumulation ||
    Math.abs(idleOf(before) - idleOf(after)) >= MATERIAL_PERCENT ||
    Math.abs(before.savingsPerYearUsd - after.savingsPerYearUsd) >= MATERIAL_USD
  )
}

function idleOf({ gpu, current }: AnalysedConfig): number {
  return idlePercent(gpu, current)
}
