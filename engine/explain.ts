/** Explains how one file is read under a team's settings, setting by setting. */
import type { Explanation } from './config/read.ts'
import { explainForGpu } from './config/read-for-gpu.ts'
import type { SourceFile } from './config/reading.ts'
import type { Sources } from './config/sources.ts'
import { noSettings, type RepositorySettings, settingsFor } from './settings/settings.ts'

export interface ExplainOptions {
  readonly settings?: RepositorySettings
  readonly sources?: Sources
}

export function explainFile(
  file: SourceFile,
  { settings = noSettings, sources = {} }: ExplainOptions = {},
): Promise<Explanation> {
  const { gpu, supplied } = settingsFor(file.path, settings)
  return explainForGpu(gpu, file, sources, supplied)
}
