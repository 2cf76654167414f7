/** Makes the changes that a report recommends in the files that it was made from. */
import {
  type AnalysedConfig,
  type ByHand,
  type ChangedText,
  configName,
  inlinePath,
  type Proposal,
  type Report,
  type RepositorySettings,
  type SourceFile,
  type Sources,
  sayPosition,
} from '../../engine/index.ts'
import type { Work } from '../github.ts'

/** A pull request's configs as judged, before acceptances and snoozes. */
export interface JudgedConfigs {
  readonly report: Report
  /** The files at the head from which the report was made. */
  readonly files: readonly SourceFile[]
  readonly settings: RepositorySettings
  readonly sources: Sources
}

export interface Proposals {
  readonly changes: readonly { readonly config: AnalysedConfig; readonly change: ChangedText }[]
  /** Changes that only a person can make. */
  readonly byHand: readonly { readonly config: AnalysedConfig; readonly why: ByHand }[]
}

/** Only for configs whose verdict is not `fine`. */
export async function proposalsFor(work: Pick<Work, 'engine'>, judged: JudgedConfigs): Promise<Proposals> {
  const changes = []
  const byHand = []
  for await (const { config, proposal } of eachProposal(work, judged)) {
    if (proposal.kind === 'change') changes.push({ config, change: proposal })
    if (proposal.kind === 'by-hand') byHand.push({ config, why: proposal.why })
  }
  return { changes, byHand }
}

/** One after the other, so that whoever has enough of them spares the rest. Only for configs whose verdict is not `fine`. */
export async function* eachProposal(
  { engine }: Pick<Work, 'engine'>,
  { report, files, settings, sources }: JudgedConfigs,
): AsyncGenerator<{ readonly config: AnalysedConfig; readonly proposal: Proposal }> {
  const texts = new Map(files.map(file => [file.path, file]))
  for (const config of report.configs) {
    const file = texts.get(config.path)
    if (config.status !== 'analysed' || config.verdict.state === 'fine' || file === undefined) continue
    yield { config, proposal: await engine.proposeChange(file, config, { settings, sources }) }
  }
}

/** A sentence in Markdown on why the change cannot be made automatically. */
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
