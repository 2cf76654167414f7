import type { TrainingSpec } from '../../training/spec.ts'
import type { FieldReader } from '../fields/fields.ts'
import type { Field } from '../text/section.ts'

/** GPUs that divide every layer among themselves; undefined for one. */
export function readTensorParallel(
  reader: FieldReader,
  field: Field | undefined,
  dividesTokens: boolean,
): TrainingSpec['tensorParallel'] {
  const gpus = reader.wholeNumber(field, { max: 1_000 }) ?? 1
  if (field === undefined || gpus === 1) return undefined
  reader.assume(
    `Each of ${gpus} GPUs holds its part of every layer's matrices; their communication buffers are not counted.`,
  )
  return reader.note('tensorParallel', { gpus, dividesTokens }, field)
}
