/** Finds every lever (a way to free memory) for the trainings in a file, under a team's settings. */
import { leversOf } from './advice/advise.ts'
import type { AnalyzeOptions } from './analyze.ts'
import { optionsOnGpu } from './asked-gpu.ts'
import { readForGpu } from './config/read-for-gpu.ts'
import type { SourceFile } from './config/reading.ts'
import type { FootprintCache } from './estimate/footprint-cache.ts'
import type { AdvisedLever } from './report/advised-levers.ts'
import { noSettings, settingsFor } from './settings/settings.ts'

export interface AdviseOptions extends AnalyzeOptions {
  /** The most combinations of levers to estimate; by default as many as are useful. */
  readonly combinations?: number
  /** Whether to estimate no further combination. */
  readonly isTimeUp?: () => boolean
}

/** Empty when the file is no training config. When a file starts several trainings, `given.training` picks one. */
export async function adviseFile(
  given: SourceFile,
  { combinations, isTimeUp, ...options }: AdviseOptions,
  footprints: FootprintCache,
): Promise<readonly AdvisedLever[]> {
  const { settings = noSettings, sources = {} } = options
  const own = settingsFor(given.path, settings)
  const { supplied } = own
  const { file, reading } = await readForGpu(options.gpu ?? own.gpu, given, sources, supplied)
  if (reading.kind !== 'training-config') return []
  const { gpu, catalogue, calibration } = optionsOnGpu(file.path, options, reading.askedCard).options
  return leversOf(file, reading, {
    gpu,
    footprints,
    sources,
    supplied,
    ...(catalogue && { catalogue }),
    ...(calibration && { calibration }),
    ...(combinations !== undefined && { combinations }),
    ...(isTimeUp && { isTimeUp }),
  })
}
