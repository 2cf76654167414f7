/** torchtitan/train.py: micro-steps are what the batch of all GPUs makes of theirs. */

import { MAX_BATCH } from '../../../training/batch-size.ts'
import type { FieldReader } from '../../fields/fields.ts'
import type { Field, Section } from '../../text/section.ts'
import type { Batch } from '../../trainer/language-model.ts'
import type { Division } from './parallelism.ts'
import { batchSizeKeys, firstOf } from './settings.ts'

export function readBatch(reader: FieldReader, document: Section, { copies }: Division): Batch {
  const count = (field: Field) => reader.wholeNumber(field, { max: MAX_BATCH })
  const batchSize = firstOf(document, batchSizeKeys)
  const microBatch = reader.settle('microBatch', batchSize, count, { value: 8, source: "torchtitan's default" })
  const globalField = document.at('training', 'global_batch_size')
  const isOpen = globalField?.value.kind === 'number' && globalField.value.number < 0
  const own = microBatch * copies
  const all = globalField === undefined || isOpen ? own : (count(globalField) ?? own)
  if (all % own !== 0) {
    const message = `A global batch of ${all} is no multiple of ${microBatch} on each of ${copies} GPUs`
    reader.refuse(globalField, 'batch-mismatch', message, `Write a multiple of ${own}, or another local_batch_size.`)
  }
  const gradientAccumulation = Math.max(1, Math.floor(all / own))
  reader.note('gradientAccumulation', gradientAccumulation, globalField ?? 'no accumulation')
  return { microBatch, gradientAccumulation, batchSize, accumulation: undefined }
}
