/** `/memorymark explain`: how each config was read, and what its figures are based on. */
import { type ConfigResult, type ExplainedConfig, renderExplanations, type SourceFile } from '../../engine/index.ts'
import type { Work } from '../github.ts'
import { explanationOf } from '../store/explanations.ts'
import type { JudgedConfigs } from '../suggestions/proposals.ts'
import { type Answer, declined, MAX_REPLY_BYTES, told } from './answer.ts'
import type { Asked } from './asked.ts'

/** Anybody may ask, so this reads only what was stored when the commit was judged. */
export async function explain({ work, pull }: Pick<Asked, 'work' | 'pull'>): Promise<Answer> {
  const kept = await explanationOf(work.database, { ...work.place, pullNumber: pull.number })
  return kept?.headSha === pull.headSha ? told(kept.markdown) : notJudgedYet
}

const notJudgedYet = declined('The newest commit has not been judged yet. Ask again once its check is complete.')

/** The answer, as Markdown. */
export async function explanationFor(
  { engine }: Pick<Work, 'engine'>,
  { report, files, settings, sources }: JudgedConfigs,
): Promise<string> {
  const texts = new Map(files.map(file => [file.path, file]))
  const read = report.configs.flatMap(config => {
    const file = texts.get(config.path)
    return file === undefined ? [] : [{ config, file: withTraining(file, config) }]
  })
  const explanations = await engine.explainFiles(
    read.map(({ file }) => file),
    { settings, sources },
  )
  const configs = read.map(
    ({ config }, index): ExplainedConfig => ({
      path: config.path,
      training: config.training,
      explanation: explanations[index]!,
      config: config.status === 'analysed' ? config : undefined,
    }),
  )
  if (configs.length === 0) return 'This pull request changes no training config, so there is nothing to explain.'
  return renderExplanations(configs, MAX_REPLY_BYTES)
}

function withTraining(file: SourceFile, { training }: ConfigResult): SourceFile {
  return training === undefined ? file : { ...file, training: { name: training.name } }
}
