/** Whether TRL runs a training, how it casts adapters, and the loss that its SFT takes by default. */
import { outputLayers } from '../../../models/linears.ts'
import { isOfFourBits, type Quantization } from '../../../training/choices.ts'
import type { TrainingMethod } from '../../../training/training-method.ts'
import { type DecisiveRelease, isBefore } from '../../../training/versions.ts'
import type { FieldReader } from '../../fields/fields.ts'
import type { Field } from '../../text/section.ts'
import type { Lora } from '../../trainer/adapter.ts'
import type { Arguments } from './arguments.ts'
import { type Declared, unslothAdapters } from './declared.ts'
import { isTrl } from './fine-tuning.ts'
import { isTrlBefore } from './trl-release.ts'

/** Whether one of TRL's trainers runs. */
export function runsTrl({ find, declared }: Arguments): boolean {
  return declared === undefined ? isTrl(find) : declared.trainer !== 'trainer'
}

/** Whether the arguments are of one of TRL's classes; its trainers also take transformers' own. */
export function hasTrlDefaults({ find, declared }: Arguments): boolean {
  return declared === undefined ? isTrl(find) : declared.argumentsOf === 'trl'
}

interface TrainedBy {
  readonly method: TrainingMethod | undefined
  readonly isSft: boolean
  readonly quantization: Quantization | undefined
}

/**
 * Whether adapters are cast to bfloat16, where peft makes them float32: by Lightning, or over bitsandbytes' weights by TRL. Unsloth
 * takes those lines out (unsloth/models/rl.py).
 */
export function castsAdapters(
  reader: FieldReader,
  trainerArguments: Arguments,
  { method, isSft, quantization }: TrainedBy,
): boolean {
  const { declared, find } = trainerArguments
  if (isCastByLightning(find('torch_dtype', 'dtype'))) return true
  if (quantization !== 'int8' && !isOfFourBits(quantization)) return false
  if (!runsTrl(trainerArguments) || declared?.adaptersOf === unslothAdapters) return false
  const release = isSft ? '0.26' : firstWithCast(method, declared)
  return release !== undefined && !isTrlBefore(reader, trainerArguments, release)
}

/**
 * Whether the trainer prepares bitsandbytes' weights itself, by peft's `prepare_model_for_kbit_training`: each did before the release
 * in which it came to cast adapters, where it is handed the adapters to put on. GRPO and RLOO did only in a few releases between.
 */
export function isPreparedByTrl(
  reader: FieldReader,
  trainerArguments: Arguments,
  method: TrainingMethod | undefined,
): boolean {
  const { declared } = trainerArguments
  if (declared?.adaptsInTrainer !== true || method?.kind === 'online') return false
  const release = declared.trainer === 'sft' ? '0.26' : firstWithCast(method, declared)
  return release !== undefined && isTrlBefore(reader, trainerArguments, release)
}

/** Lightning 2.6 plugins/precision convert_module: `bf16-true` is one type for the whole module. */
function isCastByLightning(type: Field | undefined): boolean {
  return type?.name === 'precision'
}

/** By the sources of TRL's releases; CPO and ORPO, in trl/experimental, have not come to it. */
function firstWithCast(
  method: TrainingMethod | undefined,
  declared: Declared | undefined,
): DecisiveRelease<'trl'> | undefined {
  switch (method?.kind) {
    case 'online':
      return declared?.trainer === 'rloo' ? '0.27' : '0.26'
    case 'reward':
      return '0.26'
    case 'preference':
      return declared?.trainer === 'dpo' || method.reference !== 'none' ? '0.29' : undefined
    case 'kto':
      return '1.4'
    default:
      return undefined
  }
}

/**
 * SFTConfig.loss_type may be chunked_nll since 1.4 (trl#5575) and is since 1.7 (trl#5846); Unsloth puts its own loss in its place
 * (unsloth#8261). TRL refuses it beside Liger's loss, and for adapters on the output layer.
 */
export function readCheckpointedLoss(
  reader: FieldReader,
  trainerArguments: Arguments,
  { lora, fusedLoss }: { readonly lora: Lora | undefined; readonly fusedLoss: boolean | undefined },
): true | undefined {
  const { find, declared } = trainerArguments
  const field = find('loss_type')
  const adapted = outputLayers.find(name => lora?.targets.includes(name))
  if (fusedLoss && field === undefined) return undefined
  if (field !== undefined) {
    if (field.value.kind !== 'text' || field.value.text !== 'chunked_nll') return undefined
    if (isTrlBefore(reader, trainerArguments, '1.4')) {
      return reader.refuse(field, 'unknown-value', 'TRL has chunked_nll since 1.4', 'Pin trl>=1.4, or write nll.')
    }
    if (fusedLoss) {
      const message = "TRL refuses chunked_nll beside Liger's loss (use_liger_kernel)"
      return reader.refuse(field, 'unsupported-setting', message, 'Take one of the two out.')
    }
  } else {
    // TRL 1.7 wants a newer transformers than 4.53.
    const isOlder = isTrlBefore(reader, trainerArguments, '1.7') || isBefore(reader.versions, 'transformers', '4.53')
    if (isOlder || declared?.adaptersOf === unslothAdapters) return undefined
    if (adapted !== undefined && reader.versions.trl === undefined) {
      reader.assume(
        `The whole loss at once, as in TRL before 1.7: from then on its default refuses adapters on ${adapted}.`,
      )
      return undefined
    }
    reader.assume("The loss in chunks of tokens (chunked_nll), TRL's default since 1.7: the config sets no loss_type.")
  }
  if (adapted !== undefined) {
    return reader.refuse(
      field ?? find('lora_target_modules'),
      'unsupported-setting',
      `TRL refuses adapters on ${adapted} with its loss in chunks (chunked_nll), the default since 1.7`,
      `Write loss_type: nll, or leave ${adapted} out.`,
    )
  }
  return reader.note('checkpointedLoss', true, field ?? "TRL's default")
}
