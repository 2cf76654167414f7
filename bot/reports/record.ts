/** One config of a branch as it goes into the history. */
import { type AnalysedConfig, configKey, ratioRange, savingsRangeOf } from '../../engine/index.ts'
import type { ConfigRecord } from '../../server/repositories.ts'

export function recordOf(config: AnalysedConfig, commit: string, at: Date): ConfigRecord {
  const { spec, gpu, provenance, errorBandPercent, throughputProvenance, current, recommended } = config
  return {
    path: configKey(config),
    model: spec.model,
    gpu,
    commit,
    at: at.toISOString(),
    provenance,
    errorBandPercent,
    throughputProvenance,
    current,
    ...(recommended && { recommended }),
    speedup: config.speedup,
    speedupRange: ratioRange(config.speedup, config),
    savingsPerYearUsd: config.savingsPerYearUsd,
    savingsPerYearRangeUsd: savingsRangeOf(config),
    verdict: config.verdict,
  }
}
