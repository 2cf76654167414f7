/** Ways to free memory, for what a page or a client of the API has asked about. */
import { readConfigAsync } from '../engine/config/read.ts'
import type { SourceFile } from '../engine/config/reading.ts'
import type { FootprintCache } from '../engine/estimate/footprint-cache.ts'
import type { Gpu } from '../engine/gpus/catalogue.ts'
import { needsMemory } from '../engine/render/verdict.ts'
import type { AnalysedConfig } from '../engine/report/schema.ts'
import { isSameData } from '../engine/same-data.ts'
import type { AnalysisRequest } from './analysis.ts'
import { ownConfig } from './own-config.ts'
import { type ModelPlaces, pastedFile } from './subject.ts'

/** That are estimated at most: somebody waits for the answer. */
const COMBINATIONS = 40

export interface LeverContext {
  readonly gpu: Gpu
  readonly footprints: FootprintCache
  readonly models: ModelPlaces
}

/**
 * The same with levers, where it may not fit. None where settings were changed beside a pasted text, which then does not say what
 * was analysed, nor of what was measured, since levers are estimated.
 */
export async function withLevers(
  config: AnalysedConfig,
  request: AnalysisRequest,
  { gpu, footprints, models }: LeverContext,
): Promise<AnalysedConfig> {
  if (config.provenance !== 'estimated' || !needsMemory(config)) return config
  const file = fileOf(config, request)
  const reading = await readConfigAsync(file, models)
  if (reading.kind !== 'training-config' || !isSameData(reading.spec, config.spec)) return config
  // Most configs fit, and a page in the browser need not load it for them.
  const { leversOf } = await import('../engine/advice/advise.ts')
  const levers = await leversOf(file, reading, { gpu, footprints, sources: models, combinations: COMBINATIONS })
  return { ...config, levers }
}

/** The pasted text; that of a bare model is written in our own keys. */
function fileOf({ spec }: AnalysedConfig, { config }: AnalysisRequest): SourceFile {
  return config === undefined ? { path: 'memorymark.yaml', text: ownConfig(spec, spec) } : pastedFile(config)
}
