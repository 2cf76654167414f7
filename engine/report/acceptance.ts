/** What somebody accepted about a config that would block, and whether the acceptance still covers the config. */

import * as z from 'zod'
import { isSameData } from '../base/same-data.ts'
import { configKey } from '../config/training-place.ts'
import { shareOfUsable } from '../metrics/memory.ts'
import { trainingSpec } from '../training/spec.ts'
import { type Reason, reason } from '../verdict/policy.ts'
import { type AnalysedConfig, analysedConfig, type ConfigResult, operatingPoint, reportedGpu } from './schema.ts'

const { path, training } = analysedConfig.shape

export const acceptedConfig = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('analysed'),
    path,
    training,
    spec: trainingSpec,
    gpu: reportedGpu,
    current: operatingPoint,
    errorBandPercent: analysedConfig.shape.errorBandPercent,
    savingsPerYearUsd: analysedConfig.shape.savingsPerYearUsd,
    /** The reasons that blocked. */
    reasons: z.array(reason).max(100),
  }),
  /** A config without figures, of which nothing can get worse. */
  z.object({ status: z.literal('not-analysed'), path, training }),
])
export type AcceptedConfig = z.infer<typeof acceptedConfig>

export type Acceptability =
  | { readonly kind: 'acceptable'; readonly accepted: AcceptedConfig }
  /** Must be accepted explicitly. */
  | { readonly kind: 'out-of-memory' }
  | { readonly kind: 'does-not-block' }

export function acceptability(config: ConfigResult, options: { readonly outOfMemory: boolean }): Acceptability {
  if (config.status === 'not-analysed') {
    return { kind: 'acceptable', accepted: { status: 'not-analysed', ...placeOf(config) } }
  }
  if (config.verdict.state !== 'blocked') return { kind: 'does-not-block' }
  if (isOutOfMemory(config) && !options.outOfMemory) return { kind: 'out-of-memory' }
  const { spec, gpu, current, errorBandPercent, savingsPerYearUsd, verdict } = config
  const accepted = {
    ...placeOf(config),
    spec,
    gpu,
    current,
    errorBandPercent,
    savingsPerYearUsd,
    reasons: verdict.reasons,
  }
  return { kind: 'acceptable', accepted: { status: 'analysed', ...accepted } }
}

/**
 * Content that is unchanged stays covered, even if a GPU has measured it since. Changed content is covered as long as
 * each reason to block was accepted and has not grown by more than the error of the figures. Running out of memory is
 * always a separate reason.
 */
export function covers(accepted: AcceptedConfig, config: ConfigResult): boolean {
  if (configKey(accepted) !== configKey(config)) return false
  if (accepted.status === 'not-analysed') return config.status === 'not-analysed'
  if (config.status === 'not-analysed') return false
  const isSame = isSameData(accepted.spec, config.spec) && accepted.gpu.id === config.gpu.id
  return config.verdict.reasons.every(now => {
    const before = accepted.reasons.find(each => kindOf(each) === kindOf(now))
    return before !== undefined && (isSame || isNoWorse(before, now, accepted, config))
  })
}

function placeOf({ path: at, training: of }: ConfigResult): Pick<AcceptedConfig, 'path' | 'training'> {
  return { path: at, ...(of && { training: of }) }
}

export function isOutOfMemory({ verdict }: Pick<AnalysedConfig, 'verdict'>): boolean {
  return verdict.reasons.some(({ kind }) => kind === 'does-not-fit')
}

type Accepted = Extract<AcceptedConfig, { status: 'analysed' }>

function isNoWorse(before: Reason, now: Reason, accepted: Accepted, config: AnalysedConfig): boolean {
  const bandPercent = Math.max(accepted.errorBandPercent, config.errorBandPercent)
  if (now.kind === 'does-not-fit') {
    return config.current.peakBytes <= accepted.current.peakBytes * (1 + bandPercent / 100)
  }
  if (before.kind !== 'condition' || now.kind !== 'condition') return before.kind === now.kind
  // The band is around the peak. Waste is usable memory less the peak, so both move by the same number of points.
  const isWaste = now.condition.kind === 'waste'
  const band = isWaste ? bandPercent * shareOfUsable(accepted.gpu, accepted.current) : 0
  return now.actual <= before.actual + band
}

function kindOf(each: Reason): string {
  return each.kind === 'condition' ? each.condition.kind : each.kind
}
