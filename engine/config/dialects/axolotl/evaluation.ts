/** Whether Axolotl evaluates in the middle of the training, and in which batches. */

import { MAX_BATCH } from '../../../training/batch-size.ts'
import type { TrainingSpec } from '../../../training/spec.ts'
import type { FieldReader } from '../../fields/fields.ts'
import type { Section } from '../../text/section.ts'
import { countIn } from '../../trainer/evaluation.ts'

/**
 * core/builders/base.py _configure_save_and_eval_strategy: on a part of the samples or on data of its own, in batches as large as the
 * training's where none is written (utils/config normalize_config), and without metrics of logits. Cut cross-entropy is taken in
 * evaluations too, Liger's loss is not: nothing hands it skip_logits.
 */
export function readEvaluation(
  reader: FieldReader,
  document: Section,
  { microBatch: trained }: { readonly microBatch: number },
): TrainingSpec['evaluation'] {
  const asked = ['eval_steps', 'evals_per_epoch', 'eval_strategy'].map(key => document.at(key)).find(Boolean)
  const heldOut = document.at('test_datasets') ?? document.at('val_set_size')
  const isNone = [asked, heldOut].some(field => field === undefined || /^(?:no|0(?:\.0)?)$/.test(field.source))
  const written = document.at('eval_batch_size')
  const microBatch = written === undefined ? trained : countIn(written, MAX_BATCH)
  if (isNone || asked === undefined || microBatch === undefined) return undefined
  const fusesLoss = document.at('liger_fused_linear_cross_entropy') === undefined
  return reader.note('evaluation', { microBatch, lossOnly: true as const, fusesLoss }, written ?? asked)
}
