/** What a step's memory depends on besides batch, model, task and lengths. */
import type { ModelConfig } from '../../../models/architecture.ts'
import type { CatalogueModel } from '../../../models/catalogue.ts'
import { storedTypeOf } from '../../../models/stored-type.ts'
import { isFsdp } from '../../../training/choices.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { readGpus } from '../../fields/gpus.ts'
import { readLabels } from '../../fields/model-fields.ts'
import type { DeepSpeedFile } from '../../other-files/deepspeed-file.ts'
import type { Field } from '../../text/section.ts'
import { tellIdleAdapters } from '../../trainer/adapter.ts'
import { readImplementation } from '../../trainer/attention.ts'
import { fsdpCheckpoints, readReentrant } from '../../trainer/checkpoints.ts'
import { readEvaluation } from '../../trainer/evaluation.ts'
import { keptWhole, loadsWhole, quantizesOnLoad } from '../../trainer/loading.ts'
import type { Training } from '../../trainer/method.ts'
import { readTrainerOptimizer } from '../../trainer/optimizer.ts'
import { readResuming } from '../../trainer/resuming.ts'
import { deepSpeedSettings, halfPrecisionSwitch } from '../../trainer/sharding.ts'
import { isStoredQuantized } from '../../trainer/stored-quantization.ts'
import { readUnquantized } from '../../trainer/unquantized.ts'
import type { Arguments } from './arguments.ts'
import { asLaunched, gpuKeys, readSharding } from './division.ts'
import { readAdapter, readFusedLoss, readQuantization } from './fine-tuning.ts'
import { readFrozenByHand } from './frozen-by-hand.ts'
import { readFrozenReader } from './frozen-reader.ts'
import { readPrecision } from './precision.ts'
import type { TaskChoice } from './task.ts'
import { castsAdapters, hasTrlDefaults, isPreparedByTrl, readCheckpointedLoss, runsTrl } from './trl.ts'
import { isTrlBefore } from './trl-release.ts'
import {
  evaluatedByUnsloth,
  groupsEmbeddings,
  isOffloadedByUnsloth,
  loadsQuantisedByUnsloth,
  readUnslothExperts,
  readUnslothKernels,
  readUnslothModules,
  savedByUnsloth,
  tellFloat32,
  unslothDefaults,
} from './unsloth.ts'

/** What has been read before. */
interface Known {
  readonly choice: TaskChoice | undefined
  readonly model: CatalogueModel | undefined
  readonly adapter: Field | undefined
  readonly training: Training
  readonly deepSpeed: DeepSpeedFile
  readonly microBatch: number | undefined
}

export function readSettings(reader: FieldReader, written: Arguments, known: Known) {
  const { declared } = written
  const { choice, model, training } = known
  const isTrainers = declared?.ownLoop === undefined
  // TRL's configs turn bf16 on themselves where nothing is written; off, it leaves what accelerate is launched with.
  const setsPrecision = () =>
    written.find('bf16') === undefined && hasTrlDefaults(written) && !isTrlBefore(reader, written, '0.19')
  const trainerArguments = { ...written, find: asLaunched(reader, written, setsPrecision) }
  const { find } = trainerArguments
  const labels = readLabels(reader, find('num_labels'), choice?.task, choice?.labels)
  const sharded = readSharding(reader, find, known.deepSpeed)
  const gpus = readGpus(reader, find(...gpuKeys), sharded.sharding)
  const computed = readArithmetic(reader, trainerArguments, known, sharded, training)
  const { attention, masksPadding } = readImplementation(reader, find('attn_implementation'), model)
  const { lora, ...weights } = readWeights(reader, trainerArguments, known, { ...sharded, gpus })
  const isSft = training.method === undefined && choice?.task === 'causal-lm' && runsTrl(trainerArguments)
  const fusedLoss = training.method === undefined ? readFusedLoss(reader, find) : undefined
  const checkpointedLoss = isSft && readCheckpointedLoss(reader, trainerArguments, { lora, fusedLoss })
  const checkpoints = readCheckpoints(reader, trainerArguments, isFsdp(sharded.sharding))
  // sft_trainer.py compute_loss hands skip_logits to Liger's loss from TRL 0.29 on (trl#5069).
  const fusesLoss = isSft && fusedLoss ? !isTrlBefore(reader, trainerArguments, '0.29') : undefined
  const evaluation = isTrainers
    ? readEvaluation(reader, find, {
        fusesLoss,
        modelType: model?.config.model_type,
        ...evaluatedByUnsloth(declared, known.microBatch),
      })
    : undefined
  const trainable = declared?.frozen
    ? readFrozenByHand(reader, declared.frozen, model, choice?.task, checkpoints.gradientCheckpointing)
    : readFrozenReader(reader, trainerArguments, model, lora !== undefined)
  const by = { method: training.method, isSft, quantization: weights.quantization }
  const castLora =
    lora && castsAdapters(reader, trainerArguments, by) ? { ...lora, inWeightsType: true as const } : lora
  const unslothKernels = readUnslothKernels(reader, declared, { lora, hasOwnLoss: isSft })
  tellIdleAdapters(reader, lora, fusedLoss ?? unslothKernels.fusedLoss)
  return {
    ...sharded,
    gpus,
    labels,
    ...computed,
    attention,
    ...checkpoints,
    ...(trainable && { trainable }),
    ...(castLora && { lora: castLora }),
    ...weights,
    ...(fusedLoss && { fusedLoss }),
    ...(checkpointedLoss && { checkpointedLoss }),
    ...(evaluation && { evaluation }),
    ...(isTrainers && readResuming(reader, find) && { resumes: true as const }),
    paddedBatches: readPadding(reader, trainerArguments, known, masksPadding),
    ...readUnslothExperts(reader, declared, model, {
      lora,
      quantization: weights.quantization,
      targets: find('lora_target_modules', 'target_modules'),
    }),
    ...unslothKernels,
  }
}

type Sharded = ReturnType<typeof readSharding>

/** What some call the Trainer's `optim`, told by names that only the Trainer has. */
const optimizerKey = /^optimizer(?:_name|_type)?$/
const trainersOptimizer = /^(?:(?:adamw|paged|lion|ao|galore|apollo)_\w+|adafactor)$/

/** What only a run can tell is asked for where the quantisation is read. */
function isKnownOn(field: Field | undefined): boolean {
  return field?.value.kind === 'flag' && field.value.flag
}

/** In which types a step computes, and the optimizer that ends it. */
function readArithmetic(
  reader: FieldReader,
  trainerArguments: Arguments,
  { adapter, model, deepSpeed }: Known,
  { sharding }: Sharded,
  { method }: Training,
) {
  const { declared, find, findText } = trainerArguments
  const settings = deepSpeedSettings(find('deepspeed'), deepSpeed)
  const [in4Bits, in8Bits] = [find('load_in_4bit'), find('load_in_8bit')].map(isKnownOn)
  const isQuantized = in4Bits || in8Bits
  const computed = readPrecision(reader, {
    fp16: halfPrecisionSwitch(reader, 'fp16', find('fp16'), settings),
    bf16: halfPrecisionSwitch(reader, 'bf16', find('bf16'), settings),
    tf32: find('tf32'),
    weights: find('torch_dtype', 'dtype'),
    sharding,
    hasAdapter: adapter !== undefined,
    isTrl: hasTrlDefaults(trainerArguments),
    stored: model === undefined ? 'float32' : storedTypeOf(model),
    loadsStoredType: declared?.loadsStoredType === true,
    isQuantized: isQuantized || isStoredQuantized(find('model_name_or_path')),
    preparedByTrl:
      !isQuantized || !isPreparedByTrl(reader, trainerArguments, method) ? undefined : { in4Bits: in4Bits === true },
    ofOldTransformers: declared?.ofOldTransformers,
    isOn: () => hasTrlDefaults(trainerArguments) && !isTrlBefore(reader, trainerArguments, '0.19'),
  })
  const made = declared?.ownLoop?.optimizer
  const named = find('optim') ?? findText(optimizerKey, trainersOptimizer) ?? adafactorField(reader, find('adafactor'))
  const optimizer = made
    ? { optimizer: reader.note('optimizer', made.name, made.field) }
    : readTrainerOptimizer(reader, named, declared?.ofUnsloth && unslothDefaults.optimizer, groupsEmbeddings(find))
  return { ...computed, ...optimizer }
}

/** Adapters and quantisation, and what a GPU holds while such weights are loaded. */
function readWeights(
  reader: FieldReader,
  trainerArguments: Arguments,
  { adapter, model }: Known,
  divided: Sharded & { readonly gpus: number | undefined },
) {
  const { declared, find } = trainerArguments
  const checkpoints = find('gradient_checkpointing', 'use_gradient_checkpointing')
  const saved = savedByUnsloth(declared, model, checkpoints)
  const lora = readAdapter(reader, find, model, adapter, declared?.adaptersOf, saved)
  const quantization = readQuantization(reader, trainerArguments, adapter)
  tellFloat32(reader, declared, model)
  const quantized = {
    ...divided,
    quantization,
    storage: find('bnb_4bit_quant_storage'),
    weights: find('torch_dtype', 'dtype'),
  }
  const wholeQuantized = keptWhole(reader, quantized)
  const isQuantizedOnLoad = !loadsQuantisedByUnsloth(declared) && quantizesOnLoad(quantization, trainerArguments.model)
  return {
    lora,
    ...(quantization && { quantization }),
    unquantized:
      readUnslothModules(reader, declared, model, quantization) ??
      (quantization && readUnquantized(reader, find('llm_int8_skip_modules'))),
    ...(loadsWhole(reader, quantized) && { loadsWhole: true as const }),
    ...(isQuantizedOnLoad && { quantizesOnLoad: true as const }),
    ...(wholeQuantized && { wholeQuantized }),
  }
}

function readCheckpoints(reader: FieldReader, trainerArguments: Arguments, isOfFsdp: boolean) {
  const { find } = trainerArguments
  const byFsdp = isOfFsdp ? fsdpCheckpoints(reader, find('fsdp_config')) : undefined
  const reentrantCheckpoints = byFsdp ? false : readReentrant(reader, find('gradient_checkpointing_kwargs'))
  const gradientCheckpointing = readCheckpointing(reader, trainerArguments, byFsdp)
  const field = find('gradient_checkpointing', 'use_gradient_checkpointing')
  return {
    gradientCheckpointing,
    ...(reentrantCheckpoints !== undefined && { reentrantCheckpoints }),
    ...(isOffloadedByUnsloth(field) && {
      offloadsCheckpoints: reader.note('offloadsCheckpoints', true as const, field),
    }),
  }
}

/** transformers Wav2Vec2FeatureExtractor: a mask (`return_attention_mask`) for models that norm each frame, and none for the others. */
function masksSound(config: ModelConfig): boolean {
  return 'feat_extract_norm' in config && config.feat_extract_norm === 'layer'
}

/** The example scripts pad classification batches to the longest and cut language modelling's into equal blocks; TRL pads. */
function readPadding(
  reader: FieldReader,
  trainerArguments: Arguments,
  { choice, model }: Known,
  masksPadding: boolean,
): boolean {
  const { find } = trainerArguments
  const packing = find('packing', 'padding_free')
  const isPacked = packing !== undefined && reader.flag(packing) === true
  const padsAlways =
    choice?.task === 'sequence-classification' ||
    choice?.task === 'token-classification' ||
    choice?.task === 'question-answering' ||
    choice?.task === 'sentence-similarity' ||
    choice?.task === 'seq2seq-lm' ||
    (model !== undefined && masksSound(model.config))
  const pads = choice?.task === 'causal-lm' ? runsTrl(trainerArguments) && !isPacked && masksPadding : padsAlways
  return reader.note('paddedBatches', pads, packing ?? 'as usual for the task')
}

/** TRL's configs turn it on since 0.22 (trl#3510). */
function readCheckpointing(reader: FieldReader, trainerArguments: Arguments, byFsdp: Field | undefined): boolean {
  const field = byFsdp ?? trainerArguments.find('gradient_checkpointing', 'use_gradient_checkpointing')
  const byTrl =
    field === undefined && hasTrlDefaults(trainerArguments) && !isTrlBefore(reader, trainerArguments, '0.22')
  return reader.settle(
    'gradientCheckpointing',
    field,
    present => isOffloadedByUnsloth(present) || reader.flag(present),
    {
      value: byTrl,
      source: byTrl ? "TRL's default" : "the Trainer's default",
      ...(byTrl && { assumption: "Gradient checkpointing, TRL's default: the config does not set it." }),
    },
  )
}

/** The switch that `optim: adafactor` replaced: on, it reads as that name. */
function adafactorField(reader: FieldReader, field: Field | undefined): Field | undefined {
  const isOn = field !== undefined && reader.flag(field) === true
  return isOn ? { ...field, value: { kind: 'text', text: 'adafactor' } } : undefined
}
