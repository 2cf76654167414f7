/** How one file is read under a team's settings, setting by setting. */
import { type Explanation, explainConfigAsync } from './config/read.ts'
import type { SourceFile } from './config/reading.ts'
import { type ModelSources, resolveModel } from './models/resolve.ts'
import { noSettings, type RepositorySettings, settingsFor } from './settings/settings.ts'

export interface ExplainOptions {
  readonly settings?: RepositorySettings
  readonly models?: ModelSources
}

export function explainFile(
  file: SourceFile,
  { settings = noSettings, models = {} }: ExplainOptions = {},
): Promise<Explanation> {
  const { supplied } = settingsFor(file.path, settings)
  return explainConfigAsync(file, name => resolveModel(name, models, file.path), supplied)
}
