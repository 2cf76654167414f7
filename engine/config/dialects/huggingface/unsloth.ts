/**
 * How a step differs under Unsloth. Sources: unsloth 2026.8 models/llama.py, models/rl.py and kernels/fast_lora.py;
 * unsloth_zoo/gradient_checkpointing.py.
 */
import type { FieldReader } from '../../fields.ts'
import type { Field } from '../../section.ts'
import type { TrainingSpec } from '../../spec.ts'
import { isBefore } from '../../versions.ts'
import { type Declared, unslothAdapters } from './declared.ts'

/** Every block's input waits on the host. That of the last one does not, which is not told apart. */
export function isOffloadedByUnsloth(field: Field | undefined): field is Field {
  return field?.value.kind === 'text' && field.value.text === 'unsloth'
}

/** models/loader.py: in 4 bits it loads the checkpoint that Unsloth has quantised, in place of the one that is named. */
export function loadsQuantisedByUnsloth(declared: Declared | undefined): boolean {
  return declared?.adaptersOf === unslothAdapters
}

type Kernels = Partial<
  Pick<TrainingSpec, 'unslothKernels' | 'fusedLoss' | 'fusedNorms' | 'attention' | 'paddedBatches'>
>

/** Its kernels leave out adapters with dropout. `hasOwnLoss`: the model computes the loss from labels. */
export function readUnslothKernels(
  reader: FieldReader,
  declared: Declared | undefined,
  { lora, hasOwnLoss }: { readonly lora: TrainingSpec['lora']; readonly hasOwnLoss: boolean },
): Kernels {
  if (declared?.adaptersOf !== unslothAdapters || lora === undefined || lora.dropout > 0) return {}
  const unslothKernels = reader.note('unslothKernels', true as const, 'get_peft_model')
  // models/llama.py since unsloth#1340 of November 2024, which wants transformers 4.46.
  const isFused = hasOwnLoss && !isBefore(reader.versions, 'transformers', '4.46')
  if (isFused) {
    reader.assume(
      "Unsloth's fused loss, which holds no logits while it trains, as it is unless UNSLOTH_RETURN_LOGITS is set.",
    )
  }
  return {
    unslothKernels,
    fusedNorms: true,
    // Flash attention or xformers, which are passed no mask in training.
    attention: reader.note('attention', 'flash', "Unsloth's kernels"),
    paddedBatches: reader.note('paddedBatches', false, "Unsloth's kernels"),
    ...(isFused && { fusedLoss: true }),
  }
}
