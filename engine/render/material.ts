/**
 * A hash of what a reader would act on, so that a repeated measurement with slightly other digits counts as the same
 * report.
 */
import { createHash } from 'node:crypto'
import { configKey } from '../config/training-place.ts'
import { shareOfUsable } from '../metrics/memory.ts'
import type { AnalysedConfig, ConfigResult, OperatingPoint, Report } from '../report/schema.ts'
import { isMoved, type Upgrade } from '../report/upgrade.ts'
import { formatCondition } from '../verdict/policy.ts'

const SIGNIFICANT_DIGITS = 2

/** 16 hexadecimal digits, equal for reports that say the same, with the same remarks on how they were obtained. */
export function materialOf({ configs, policy }: Report, remarks: readonly string[] = []): string {
  const conditions = [policy.failOn.map(formatCondition), policy.warnOn.map(formatCondition)]
  const facts = [...conditions, configs.map(factsOf), ...(remarks.length === 0 ? [] : [remarks])]
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16)
}

function factsOf(config: ConfigResult): unknown[] {
  if (config.status === 'not-analysed') return [configKey(config), config.problems]
  const { gpu, provenance, throughputProvenance, verdict, speedup, savingsPerYearUsd } = config
  return [
    configKey(config),
    gpu.name,
    provenance,
    throughputProvenance,
    verdict.state,
    verdict.reasons.map(reason => [
      reason.kind,
      reason.spared,
      'condition' in reason && formatCondition(reason.condition),
    ]),
    [config.current, config.recommended, config.largest].map(point => point && pointFacts(config, point)),
    rounded(speedup),
    rounded(savingsPerYearUsd),
    config.change,
    config.rightSizing?.gpu.name,
    ...(config.upgrade && isMoved(config.upgrade) ? [config.upgrade.libraries, upgradeFacts(config.upgrade)] : []),
  ]
}

function upgradeFacts({ before, after, warnings }: Upgrade): unknown[] {
  return [rounded(before.peakBytes), before.fits, rounded(after.peakBytes), after.fits, warnings]
}

function pointFacts({ gpu }: AnalysedConfig, point: OperatingPoint): unknown[] {
  return [point.microBatch, point.gradientAccumulation, point.fits, rounded(shareOfUsable(gpu, point))]
}

function rounded(figure: number): string {
  return figure.toPrecision(SIGNIFICANT_DIGITS)
}
