/** Whether torch.autocast surrounds weights of 16 bits. */
import { computesInBfloat16, type Precision } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { FieldReader } from '../fields/fields.ts'
import type { Field } from '../text/section.ts'

export type ComputedIn = Pick<TrainingSpec, 'precision' | 'autocasts' | 'inFloat16'>

/**
 * accelerate accelerator.py, prepare_model: `bf16` and `fp16` of the Trainer's arguments put the forward pass under autocast, whatever
 * type the weights were loaded in; DeepSpeed does without. `mixed`: the switch that is on.
 */
export function computedIn(reader: FieldReader, precision: Precision, mixed: Field | string | undefined): ComputedIn {
  if (precision !== 'bf16' || mixed === undefined) return { precision }
  return { precision, autocasts: reader.note('autocasts', true as const, mixed) }
}

/** `computed` with its 16 bits in float16, as `switched` says; what holds float32 weights stays as it is. */
export function inFloat16(reader: FieldReader, computed: ComputedIn, switched: Field | string | undefined): ComputedIn {
  if (switched === undefined || !computesInBfloat16(computed) || computed.precision === 'amp-bf16') return computed
  return { ...computed, inFloat16: reader.note('inFloat16', true as const, switched) }
}
