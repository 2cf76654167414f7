/** Adds levers to an analysis of the server. */
import { isSameData } from '../engine/base/same-data.ts'
import { readConfigAsync } from '../engine/config/read.ts'
import type { SourceFile } from '../engine/config/reading.ts'
import type { FootprintCache } from '../engine/estimate/footprint-cache.ts'
import type { Gpu } from '../engine/gpus/catalogue.ts'
import { needsMemory } from '../engine/render/verdict.ts'
import type { AnalysedConfig } from '../engine/report/schema.ts'
import type { AnalysisRequest } from './analysis.ts'
import { ownConfig } from './own-config.ts'
import { type ModelPlaces, pastedFile } from './subject.ts'

/** The most combinations to estimate, because a user waits. */
const COMBINATIONS = 40

export interface LeverContext {
  readonly gpu: Gpu
  readonly footprints: FootprintCache
  readonly models: ModelPlaces
}

/**
 * The analysis with levers, if the config may not fit. Without levers if fields were changed beside a pasted text,
 * which then differs from what was analysed, or if figures were measured, because levers are estimated.
 */
export async function withLevers(
  config: AnalysedConfig,
  request: AnalysisRequest,
  { gpu, footprints, models }: LeverContext,
): Promise<AnalysedConfig> {
  if (!asksForLevers(config)) return config
  const file = fileOf(config, request)
  const reading = await readConfigAsync(file, models)
  if (reading.kind !== 'training-config' || !isSameData(reading.spec, config.spec)) return config
  // Loaded on demand: most configs fit.
  const { leversOf } = await import('../engine/advice/advise.ts')
  const levers = await leversOf(file, reading, { gpu, footprints, sources: models, combinations: COMBINATIONS })
  return { ...config, levers }
}

/** Whether levers are looked for, which takes longer than the analysis. */
export function asksForLevers(config: AnalysedConfig): boolean {
  return config.provenance === 'estimated' && needsMemory(config)
}

/** The pasted text, or for a bare model a config in our own format. */
function fileOf({ spec }: AnalysedConfig, { config }: AnalysisRequest): SourceFile {
  return config === undefined ? { path: 'memorymark.yaml', text: ownConfig(spec, spec) } : pastedFile(config)
}
