/** The changes that a report recommends, made in the texts that it was read from. */
import {
  type AnalysedConfig,
  type ByHand,
  type ChangedText,
  configName,
  inlinePath,
  type Report,
  type RepositorySettings,
  type SourceFile,
  type Sources,
  sayPosition,
} from '../../engine/index.ts'
import type { Work } from '../github.ts'

/** A pull request's configs as they are judged, before anybody lets anything pass. */
export interface JudgedConfigs {
  readonly report: Report
  /** The texts at the head, by which the report was made. */
  readonly files: readonly SourceFile[]
  readonly settings: RepositorySettings
  readonly sources: Sources
}

export interface Proposals {
  readonly changes: readonly { readonly config: AnalysedConfig; readonly change: ChangedText }[]
  /** What only a person can change. */
  readonly byHand: readonly { readonly config: AnalysedConfig; readonly why: ByHand }[]
}

/** Only of configs that the verdict remarks on: what is within policy is left to its authors. */
export async function proposalsFor(
  { engine }: Pick<Work, 'engine'>,
  { report, files, settings, sources }: JudgedConfigs,
): Promise<Proposals> {
  const texts = new Map(files.map(file => [file.path, file]))
  const changes = []
  const byHand = []
  for (const config of report.configs) {
    const file = texts.get(config.path)
    if (config.status !== 'analysed' || config.verdict.state === 'fine' || file === undefined) continue
    const proposal = await engine.proposeChange(file, config, { settings, sources })
    if (proposal.kind === 'change') changes.push({ config, change: proposal })
    if (proposal.kind === 'by-hand') byHand.push({ config, why: proposal.why })
  }
  return { changes, byHand }
}

/** A sentence in Markdown: what keeps us from making the change. */
export function sayByHand(config: AnalysedConfig, why: ByHand): string {
  const path = configName(config)
  switch (why.kind) {
    case 'not-in-file':
      return `${inlinePath(path)} does not set the ${why.setting}, which is left to its tool's default, so it has to be added by hand.`
    case 'not-plain':
      return `${inlinePath(path)} has no plain number at ${sayPosition(why.at)}, so the change has to be made by hand.`
    case 'tied-to-other-settings':
      return `In ${inlinePath(path)}, other settings depend on the batch size, so the change has to be made by hand.`
  }
}
