/** Replaces estimates by what other jobs (shards) measured. */
import { type AnalysedConfig, configKey, type Report } from '../engine/index.ts'
import { canonicalJson } from '../engine/probes/kept-trials.ts'

type ConfigResult = Report['configs'][number]

export interface Merged {
  readonly report: Report
  readonly remarks: readonly string[]
}

/**
 * The estimate determines the configs. A shard's result for anything else, such as an older commit, is dropped; a
 * config that no shard measured keeps its estimate.
 */
export function mergeShards(estimated: Report, shards: readonly Report[]): Merged {
  const measured = shards.flatMap(({ configs }) => configs)
  const configs = estimated.configs.flatMap(config => {
    const found = measurementsOf(config, measured)
    return found.length > 0 ? found : [config]
  })
  return { report: { ...estimated, configs }, remarks: shards.length === 0 ? [] : remarksOn(estimated, measured) }
}

/** One measurement for each GPU, the last if there are several. */
function measurementsOf(config: ConfigResult, measured: readonly ConfigResult[]): AnalysedConfig[] {
  const own = measured.filter(result => result.status === 'analysed').filter(result => isAbout(result, config))
  return [...new Map(own.map(result => [result.gpu.id, result])).values()]
}

function isAbout(result: AnalysedConfig, config: ConfigResult): boolean {
  return (
    config.status === 'analysed' &&
    configKey(result) === configKey(config) &&
    canonicalJson(result.spec) === canonicalJson(config.spec)
  )
}

function remarksOn({ configs }: Report, measured: readonly ConfigResult[]): string[] {
  const analysed = configs.filter(config => config.status === 'analysed')
  const unmeasured = analysed.filter(config => measurementsOf(config, measured).length === 0)
  const strangers = measured.filter(
    result => result.status === 'analysed' && !configs.some(config => isAbout(result, config)),
  )
  const failures = measured.flatMap(result =>
    result.status === 'not-analysed' && analysed.some(config => configKey(config) === configKey(result))
      ? result.problems
      : [],
  )
  return [
    ...failures.map(({ message, fix }) => `A sweep failed: ${message}. ${fix}`),
    ...(unmeasured.length > 0
      ? [`No shard has figures for ${unmeasured.length} of ${analysed.length} training configs: they stay estimated.`]
      : []),
    ...(strangers.length > 0
      ? [
          `${strangers.length} results in the shards are for other configs, or for other versions of these, and were ignored.`,
        ]
      : []),
  ]
}
