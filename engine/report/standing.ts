/** A report's configs judged on their own, not compared with the base branch. */
import { judge } from '../verdict/judge.ts'
import type { Policy } from '../verdict/policy.ts'
import type { AnalysedConfig, Report } from './schema.ts'

/** The same figures, judged on their own. */
export function judgedAlone(config: AnalysedConfig, policy: Policy): AnalysedConfig {
  const { current, gpu, provenance, errorBandPercent, speedup, throughputBandPercent = 0, savingsPerYearUsd } = config
  const memory = { fits: current.fits, usableBytes: gpu.usableBytes, peakBytes: current.peakBytes }
  const known = { provenance, errorBandPercent, throughputBandPercent }
  return { ...config, verdict: judge({ ...memory, ...known, speedup, savingsPerYearUsd }, policy) }
}

/** Those that have figures. */
export function analysedIn({ configs }: Pick<Report, 'configs'>): AnalysedConfig[] {
  return configs.flatMap(config => (config.status === 'analysed' ? [config] : []))
}
