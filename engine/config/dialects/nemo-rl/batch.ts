/** models/policy/lm_policy.py and distributed/batched_data_dict.py: micro-steps are what a global batch makes of micro-batches. */

import { MAX_BATCH } from '../../../training/batch-size.ts'
import type { FieldReader } from '../../fields/fields.ts'
import type { Field, Section } from '../../text/section.ts'
import type { Batch } from '../../trainer/language-model.ts'
import { isOn } from '../../trainer/method.ts'
import { computed, growsWith } from './computed.ts'
import type { Division } from './division.ts'

export interface RowsOrSamples extends Batch {
  /** Tokens of the row that a micro-batch is, where it is none of so many sequences. */
  readonly row: number | undefined
  /** Sequences are in rows without padding. */
  readonly isPacked: boolean
}

export function readBatch(reader: FieldReader, document: Section, { copies }: Division): RowsOrSamples {
  const at = (key: string) => document.at('policy', key)
  const batchSize = at('train_micro_batch_size')
  const whole = computed(document, at('train_global_batch_size'))
  const count = (field: Field | undefined) => reader.wholeNumber(field, { max: MAX_BATCH }) ?? 1
  const isPacked = isOn(reader, document.at('policy', 'sequence_packing', 'enabled'))
  const isDynamic = isOn(reader, document.at('policy', 'dynamic_batching', 'enabled'))
  const tokens = document.at('policy', isPacked ? 'sequence_packing' : 'dynamic_batching', 'train_mb_tokens')
  const samples = count(whole)
  if ((isPacked || isDynamic) && tokens !== undefined && !growsWith(tokens, 'policy.train_micro_batch_size')) {
    const row = reader.wholeNumber(computed(document, tokens), { max: 10_000_000 }) ?? 1
    const length = reader.wholeNumber(at('max_total_sequence_length'), { max: 10_000_000 }) ?? row
    reader.note('microBatch', 1, tokens)
    const gradientAccumulation = Math.max(1, Math.ceil(((samples / copies) * length) / row))
    if (whole !== undefined) reader.note('gradientAccumulation', gradientAccumulation, whole)
    return { microBatch: 1, gradientAccumulation, batchSize: undefined, accumulation: undefined, row, isPacked }
  }
  const microBatch = count(batchSize)
  if (batchSize !== undefined) reader.note('microBatch', microBatch, batchSize)
  if (isPacked || isDynamic)
    reader.assume('A micro-batch holds as many tokens as train_micro_batch_size sequences of the longest, or fewer.')
  const steps = samples / copies / microBatch
  const batch = { microBatch, batchSize, accumulation: undefined, row: undefined, isPacked }
  const gradientAccumulation = Math.max(1, Math.ceil(steps))
  if (!Number.isInteger(steps) && !(isPacked || isDynamic)) {
    const message = `train_global_batch_size ${samples} is no multiple of ${microBatch} samples on each of ${copies} ${copies === 1 ? 'GPU' : 'GPUs or groups of them'}, so the training would not start`
    const fix = 'Make it a multiple of train_micro_batch_size times the number of GPUs that take samples of their own.'
    reader.refuse(whole ?? batchSize, 'batch-sizes-disagree', message, fix)
  }
  if (whole !== undefined) reader.note('gradientAccumulation', gradientAccumulation, whole)
  return { ...batch, gradientAccumulation }
}
