/** `/memorymark explain`: how each config was read, and what its figures stand on. */
import { type ExplainedConfig, renderExplanations } from '../../engine/index.ts'
import type { Work } from '../github.ts'
import type { JudgedConfigs } from '../suggestions/proposals.ts'
import { type Answer, MAX_REPLY_BYTES, told } from './answer.ts'

export async function explain(
  { engine }: Pick<Work, 'engine'>,
  { report, files, settings, sources }: JudgedConfigs,
): Promise<Answer> {
  const texts = new Map(files.map(file => [file.path, file]))
  const configs: ExplainedConfig[] = []
  for (const config of report.configs) {
    const file = texts.get(config.path)
    if (file === undefined) continue
    const explanation = await engine.explainFile(file, { settings, sources })
    configs.push({ path: config.path, explanation, config: config.status === 'analysed' ? config : undefined })
  }
  if (configs.length === 0) return told('This pull request changes no training config, so there is nothing to explain.')
  return told(renderExplanations(configs, MAX_REPLY_BYTES))
}
