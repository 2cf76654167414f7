/** Which configs of a report levers are looked for, and the report with those that were found. */
import type { SourceFile } from '../config/reading.ts'
import { mattering } from '../render/ranking.ts'
import { needsMemory } from '../render/verdict.ts'
import type { AdvisedLever } from '../report/advised-levers.ts'
import { leadsTo } from '../report/playground-address.ts'
import type { AnalysedConfig, ConfigResult, Report } from '../report/schema.ts'
import type { RepositorySettings } from '../settings/settings.ts'

/** Of one change: each takes about half a second. */
const MAX_ADVISED = 5

interface AskedForLevers {
  readonly config: AnalysedConfig
  readonly file: SourceFile
}

/** The gravest few that do not fit, or all; none whose figures were measured, because levers are estimated. */
export function askedForLevers(
  report: Report,
  files: readonly SourceFile[],
  ofAll: boolean,
): readonly AskedForLevers[] {
  const texts = new Map(files.map(file => [file.path, file]))
  const inNeed = ofAll
    ? report.configs.filter(config => config.status === 'analysed')
    : mattering(report).filter(needsMemory).slice(0, MAX_ADVISED)
  return inNeed.flatMap(config => {
    const file = texts.get(config.path)
    if (file === undefined || config.provenance !== 'estimated') return []
    const { training } = config
    return [{ config, file: { ...file, ...(training && { training: { name: training.name } }) } }]
  })
}

/** Lines and links that stood in the report, which may be somebody else's, are dropped: they could be written to files or followed. */
export function withFoundLevers(
  report: Report,
  found: ReadonlyMap<ConfigResult, readonly AdvisedLever[]>,
  playground: RepositorySettings['playground'],
): Report {
  const advised = (config: ConfigResult): ConfigResult => {
    if (config.status !== 'analysed') return config
    const { levers: _, playgroundLink: link, ...known } = config
    const isOwnLink = link !== undefined && leadsTo(playground, link)
    const others = isOwnLink ? { ...known, playgroundLink: link } : known
    const levers = found.get(config)
    return levers === undefined ? others : { ...others, levers: [...levers] }
  }
  return { ...report, configs: report.configs.map(advised) }
}
