/** Whether torch.autocast surrounds weights of 16 bits. */
import type { Precision } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { FieldReader } from '../fields/fields.ts'
import type { Field } from '../text/section.ts'

export type ComputedIn = Pick<TrainingSpec, 'precision' | 'autocasts'>

/**
 * accelerate accelerator.py, prepare_model: `bf16` and `fp16` of the Trainer's arguments put the forward pass under autocast, whatever
 * type the weights were loaded in; DeepSpeed does without. `mixed`: the switch that is on.
 */
export function computedIn(reader: FieldReader, precision: Precision, mixed: Field | string | undefined): ComputedIn {
  if (precision !== 'bf16' || mixed === undefined) return { precision }
  return { precision, autocasts: reader.note('autocasts', true as const, mixed) }
}
