/** The dashboard's pages as its tests and its bench open them. */
import { analyze } from '../../../engine/analyze.ts'
import type { AnalysisRequest } from '../../../server/analysis.ts'
import type { HandDriven } from './hand-driven.ts'

export const pageNames = [
  'the question',
  'an analysis that runs',
  'a result',
  'an analysis that failed',
  'an analysis that is not kept',
  'the repositories',
  'a repository',
  'a config over time',
] as const

/** The address of every kind of page on a site of `knownRepositories()`. */
export async function everyPage(analyses: HandDriven): Promise<Record<(typeof pageNames)[number], string>> {
  const request: AnalysisRequest = { model: 'bert', spec: {}, engine: 'auto', strategy: 'predict-verify' }
  const [running, done, failed] = [analyses.started(request), analyses.started(request), analyses.started(request)]
  const text = 'memorymark:\n  model: bert\n  batch_size: 16\n  sequence_length: 128\n'
  const report = await analyze([{ path: 'train.yaml', text }], { now: new Date() })
  analyses.happens(done, { kind: 'done', report })
  const problem = { code: 'example', message: 'the model is not known', fix: 'Name another.' }
  analyses.happens(failed, { kind: 'failed', problems: [problem] })
  return {
    'the question': '/',
    'an analysis that runs': `/analyses/${running}`,
    'a result': `/analyses/${done}`,
    'an analysis that failed': `/analyses/${failed}`,
    'an analysis that is not kept': '/analyses/unknown',
    'the repositories': '/repositories',
    'a repository': '/repositories/acme/training',
    'a config over time': '/repositories/acme/training/history?path=configs/bert.yaml',
  }
}
