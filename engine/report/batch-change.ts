/** The change that a recommendation makes to a config's text. */

import type { NumberChange } from '../config/text/rewrite.ts'
import { generatesCompletions } from '../training/batches.ts'
import type { AnalysedConfig } from './schema.ts'
import { tooLargePeak } from './too-large-peak.ts'

export type BatchChange =
  | { readonly kind: 'change'; readonly numbers: readonly [NumberChange, ...NumberChange[]] }
  | { readonly kind: 'nothing-to-change' }
  /** The number is not written: the tool's default applies, so nothing can be replaced. */
  | { readonly kind: 'not-in-file'; readonly setting: 'micro-batch' | 'gradient accumulation' }

export function batchChange(config: AnalysedConfig): BatchChange {
  const { current, recommended, batchSizeAt, gradientAccumulationAt, evaluationBatchSizeAt } = config
  if (recommended === undefined) return { kind: 'nothing-to-change' }
  const changesMicro = recommended.microBatch !== current.microBatch
  const accumulatesItself = reachesBatchItself(config.spec.loop, current.gradientAccumulation)
  const changesAccumulation = !accumulatesItself && recommended.gradientAccumulation !== current.gradientAccumulation
  if (changesMicro && batchSizeAt === undefined) return { kind: 'not-in-file', setting: 'micro-batch' }
  if (changesAccumulation && gradientAccumulationAt === undefined) {
    return { kind: 'not-in-file', setting: 'gradient accumulation' }
  }
  const evaluation = smallerEvaluation(config)
  const [first, ...others] = [
    ...(changesMicro ? numberAt(batchSizeAt, current.microBatch, recommended.microBatch) : []),
    ...(changesAccumulation
      ? numberAt(gradientAccumulationAt, current.gradientAccumulation, recommended.gradientAccumulation)
      : []),
    ...(evaluation ? numberAt(evaluationBatchSizeAt, evaluation.from, evaluation.to) : []),
  ]
  return first === undefined ? { kind: 'nothing-to-change' } : { kind: 'change', numbers: [first, ...others] }
}

/** Ultralytics accumulates up to its nominal batch size (`nbs`), the others up to the batch that their configs name. */
const reachingBatch: ReadonlySet<AnalysedConfig['spec']['loop']> = new Set([
  'ultralytics',
  'verl',
  'nemo-rl',
  'nemo-rl-v2',
  'openrlhf',
])

/** By itself; torchtitan up to `global_batch_size` where that is written. */
function reachesBatchItself(loop: AnalysedConfig['spec']['loop'], accumulation: number): boolean {
  return reachingBatch.has(loop) || (loop === 'torchtitan' && accumulation > 1)
}

/**
 * The batch of evaluations, where it surely does not fit and a smaller one that is written would. Where completions are generated, it
 * hangs on their number a prompt too.
 */
export function smallerEvaluation(config: AnalysedConfig): { readonly from: number; readonly to: number } | undefined {
  const peak = tooLargePeak(config, 'evaluation')
  if (peak?.microBatch === undefined || peak.fittingMicroBatch === undefined) return undefined
  if (generatesCompletions(config.spec)) return undefined
  return config.evaluationBatchSizeAt && { from: peak.microBatch, to: peak.fittingMicroBatch }
}

function numberAt(at: NumberChange['at'] | undefined, from: number, to: number): readonly NumberChange[] {
  return at === undefined ? [] : [{ at, from, to }]
}
