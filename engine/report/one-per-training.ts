/** When several files describe one training, keeps the result for the file in which its settings are changed. */

import { isSameData } from '../base/same-data.ts'
import { isLauncherPath } from '../config/shell/quick-look.ts'
import type { ConfigResult } from './schema.ts'

/**
 * A file that sets batch sizes and names no model is not reported by itself if another config names it: that config
 * has the model.
 */
export function onePerTraining(configs: readonly ConfigResult[]): ConfigResult[] {
  const named = new Set(
    configs.flatMap(({ status, otherFiles = [] }) => (status === 'analysed' ? otherFiles.map(({ path }) => path) : [])),
  )
  const isPart = (config: ConfigResult) =>
    config.status === 'not-analysed' &&
    named.has(config.path) &&
    config.problems.every(({ code }) => code === 'model-not-in-file')
  const launchers = configs.filter(({ path }) => isLauncherPath(path))
  return configs.filter(config => !isPart(config) && !isStartedBy(config, launchers))
}

/**
 * Whether a launcher in the report starts this training and sets its batch size, so that the launcher is reported
 * instead.
 */
function isStartedBy(config: ConfigResult, launchers: readonly ConfigResult[]): boolean {
  if (config.status !== 'analysed' || isLauncherPath(config.path)) return false
  const names = (one: ConfigResult, path: string) => one.otherFiles?.some(file => file.path === path)
  return launchers.some(
    other =>
      other.status === 'analysed' &&
      names(other, config.path) &&
      names(config, other.path) &&
      other.gpu.id === config.gpu.id &&
      isSameData(other.spec, config.spec),
  )
}
