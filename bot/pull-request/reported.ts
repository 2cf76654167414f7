/** Replaces estimates by what workflow runs reported for the same configs. */
import { type AnalysedConfig, type ConfigResult, configKey, type Report, restOnSameFiles } from '../../engine/index.ts'
import type { ReadChange } from '../../github/change.ts'
import type { Work } from '../github.ts'
import { blobsOf, type ReportedConfig, reportedConfigs } from '../store/measured-configs.ts'

/**
 * A report is valid if the config, the files that it names and its base are the same, even on another commit or in a
 * merge group.
 */
export async function withReported(
  work: Work,
  estimate: Report,
  read: Pick<ReadChange, 'blobs' | 'baseBlobSha'>,
  headSha: string,
): Promise<Report> {
  const judged = new Map(estimate.configs.map(config => [configKey(config), config]))
  const blobs = blobsOf(estimate.configs, read.blobs)
  const known = Map.groupBy(await reportedConfigs(work.database, work.place, headSha, blobs), ({ path }) => path)
  const holding = new Map<string, ReportedConfig>()
  for (const [key, variants] of known) {
    const config = judged.get(key)
    if (config === undefined) continue
    const baseBlobSha = (await read.baseBlobSha(config.path)) ?? ''
    const one = variants.find(variant => variant.baseBlobSha === baseBlobSha && restOnSameFiles(variant.result, config))
    if (one !== undefined) holding.set(key, one)
  }
  const [first] = holding.values()
  if (first === undefined) return estimate
  return {
    ...estimate,
    // The policy of the run that made the verdicts.
    policy: first.policy,
    configs: estimate.configs.map(config => {
      const reported = holding.get(configKey(config))?.result
      return reported === undefined ? config : withOwnChange(reported, config)
    }),
  }
}

/** Keeps our own changed lines and link, since those in a run's report could be anything. */
function withOwnChange(reported: ConfigResult, estimated: ConfigResult): ConfigResult {
  if (reported.status !== 'analysed') return reported
  const { change: _, playgroundLink: __, ...rest } = reported
  if (estimated.status !== 'analysed') return rest
  const { change, playgroundLink } = estimated
  return {
    ...rest,
    ...(change !== undefined && isSameAdvice(rest, estimated) && { change }),
    ...(playgroundLink !== undefined && { playgroundLink }),
  }
}

function isSameAdvice(one: AnalysedConfig, other: AnalysedConfig): boolean {
  return (
    one.recommended?.microBatch === other.recommended?.microBatch &&
    one.recommended?.gradientAccumulation === other.recommended?.gradientAccumulation
  )
}

/** Whether a figure could be measured on a GPU but was not. */
export function lacksMeasurement({ configs }: Report): boolean {
  return configs.some(config => config.status === 'analysed' && config.provenance !== 'measured')
}
