/** What a merged pull request did to a config: what it saves per year, or the waste that somebody accepted. */
import * as z from 'zod'
import { configKey } from '../config/training-place.ts'
import { type Saving, saving, savingBetween } from './saving.ts'
import { type AnalysedConfig, analysedConfig, type ConfigResult, operatingPoint } from './schema.ts'

/** A config's figures before or after the merge. */
const ledgerSide = z.object({
  current: operatingPoint,
  gpuName: analysedConfig.shape.gpu.shape.name,
  provenance: analysedConfig.shape.provenance,
  throughputProvenance: analysedConfig.shape.throughputProvenance,
  state: analysedConfig.shape.verdict.shape.state,
})
export type LedgerSide = z.infer<typeof ledgerSide>

const acceptance = z.object({
  /** Who accepted it. */
  by: z.string().max(100),
  reason: z.string().max(1_000),
})

export const ledgerEntry = z.object({
  pullNumber: z.int().positive(),
  path: analysedConfig.shape.path,
  mergedAt: z.iso.datetime(),
  /** Absent for a config that is new or could not be analysed before. */
  before: ledgerSide.optional(),
  after: ledgerSide,
  saving: saving.optional(),
  /** If the config was accepted as it is: what the recommendation would have saved per year. */
  accepted: z.object({ ...acceptance.shape, forgonePerYearUsd: z.number() }).optional(),
})
export type LedgerEntry = z.infer<typeof ledgerEntry>

export interface MergedConfig {
  readonly before: ConfigResult | undefined
  readonly after: AnalysedConfig
  readonly accepted: z.infer<typeof acceptance> | undefined
}

export function ledgerEntryOf(
  { before, after, accepted }: MergedConfig,
  merge: Pick<LedgerEntry, 'pullNumber' | 'mergedAt'>,
): LedgerEntry {
  const known = before?.status === 'analysed' ? before : undefined
  return {
    ...merge,
    path: configKey(after),
    ...(known && { before: sideOf(known), saving: savingBetween(known, after) }),
    after: sideOf(after),
    ...(accepted && {
      accepted: { by: accepted.by, reason: accepted.reason, forgonePerYearUsd: after.savingsPerYearUsd },
    }),
  }
}

export interface LedgerTotals {
  readonly measuredPerYearUsd: number
  readonly modelledPerYearUsd: number
  readonly forgonePerYearUsd: number
}

export function totalsOf(entries: Iterable<Pick<LedgerEntry, 'saving' | 'accepted'>>): LedgerTotals {
  let totals: LedgerTotals = { measuredPerYearUsd: 0, modelledPerYearUsd: 0, forgonePerYearUsd: 0 }
  for (const { saving: saved, accepted } of entries) {
    totals = {
      measuredPerYearUsd: totals.measuredPerYearUsd + savedUsd(saved, 'measured'),
      modelledPerYearUsd: totals.modelledPerYearUsd + savedUsd(saved, 'modelled'),
      forgonePerYearUsd: totals.forgonePerYearUsd + (accepted?.forgonePerYearUsd ?? 0),
    }
  }
  return totals
}

function savedUsd(saved: Saving | undefined, known: AnalysedConfig['throughputProvenance']): number {
  return saved?.kind === 'saved' && saved.throughputProvenance === known ? saved.usdPerYear : 0
}

function sideOf({ current, gpu, provenance, throughputProvenance, verdict }: AnalysedConfig): LedgerSide {
  return { current, gpuName: gpu.name, provenance, throughputProvenance, state: verdict.state }
}
