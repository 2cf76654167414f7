/** Of results on files that are about one training, the one where its settings are changed. */

import { isLauncherPath } from '../config/shell/quick-look.ts'
import { isSameData } from '../same-data.ts'
import type { ConfigResult } from './schema.ts'

/** A file of DeepSpeed's that sets batch sizes too is no config by itself where another names it: the model is in that one. */
export function onePerTraining(configs: readonly ConfigResult[]): ConfigResult[] {
  const named = new Set(
    configs.flatMap(({ status, otherFiles = [] }) => (status === 'analysed' ? otherFiles.map(({ path }) => path) : [])),
  )
  const isPart = (config: ConfigResult) =>
    config.status === 'not-analysed' &&
    named.has(config.path) &&
    config.problems.every(({ code }) => code === 'model-not-in-file')
  return configs.filter(config => !isPart(config) && !isStartedBy(config, configs))
}

/** Whether a launcher among them is the place of the same training: its batch size stands there, and is changed there. */
function isStartedBy(config: ConfigResult, all: readonly ConfigResult[]): boolean {
  if (config.status !== 'analysed' || isLauncherPath(config.path)) return false
  const names = (one: ConfigResult, path: string) => one.otherFiles?.some(file => file.path === path)
  return all.some(
    other =>
      other.status === 'analysed' &&
      isLauncherPath(other.path) &&
      names(other, config.path) &&
      names(config, other.path) &&
      other.gpu.id === config.gpu.id &&
      isSameData(other.spec, config.spec),
  )
}
