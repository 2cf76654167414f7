/** What stands beside the figures of a result: the reader's terms, the change to a pasted config, the ways to free memory. */
import type { SourceFile } from '../../../engine/config/reading.ts'
import type { AnalysedConfig } from '../../../engine/report/schema.ts'
import type { AnalysisRequest } from '../../analysis.ts'
import { configSnippets } from './config-snippets.ts'
import { termsOf } from './gains.ts'
import type { ResultOptions } from './result.ts'

/** `terms`: by the names of the form's fields, as in the address. */
export async function resultOptions(
  config: AnalysedConfig,
  request: AnalysisRequest,
  terms: Record<string, string>,
): Promise<ResultOptions> {
  return {
    terms: termsOf(config, terms),
    configSnippets: await configSnippets(config, pastedFile(config, request)),
    levers: await leversOf(config),
  }
}

/** Undefined also if fields were changed beside the pasted text, whose numbers then differ from what was analysed. */
function pastedFile({ path }: AnalysedConfig, { config, spec }: AnalysisRequest): SourceFile | undefined {
  return config === undefined || Object.keys(spec).length > 0 ? undefined : { path, text: config.text }
}

/** The card is loaded on demand, because most configs have no levers. */
export async function leversOf(config: AnalysedConfig): Promise<ResultOptions['levers']> {
  if (config.levers === undefined) return ''
  const { leversCard } = await import('./levers-card.ts')
  return leversCard(config, config.levers)
}
