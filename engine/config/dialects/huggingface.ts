/** Arguments of Hugging Face's Trainer, at the top of a file or one or two levels down. */
import { familyOf } from '../../models/architecture.ts'
import type { CatalogueModel } from '../../models/catalogue.ts'
import { isStoredIn16Bits } from '../../models/stored-type.ts'
import { wordList } from '../../word-list.ts'
import type { Dialect } from '../dialect.ts'
import type { FieldReader } from '../fields/fields.ts'
import { readGpus, refuseCpu, refuseOtherDevices } from '../fields/gpus.ts'
import { listsVariants } from '../fields/memory-settings.ts'
import {
  checkTask,
  MAX_SEQUENCE,
  type ModelLookup,
  readInputSize,
  readLabels,
  readModel,
  type UnwrittenLength,
} from '../fields/model-fields.ts'
import { stepInPytorch, trainingConfig } from '../fields/training-config.ts'
import type { DeepSpeedFile } from '../other-files/deepspeed-file.ts'
import type { Reading } from '../reading.ts'
import { MAX_BATCH } from '../spec/batch-size.ts'
import { isFsdp } from '../spec/spec.ts'
import { quote } from '../text/quote.ts'
import type { Field, Section } from '../text/section.ts'
import { writesAny } from '../text/written-keys.ts'
import { readImplementation } from '../trainer/attention.ts'
import { fsdpCheckpoints, readReentrant } from '../trainer/checkpoints.ts'
import { readEvaluation } from '../trainer/evaluation.ts'
import { taskOfMethod } from '../trainer/language-model.ts'
import { keptWhole, loadsWhole, quantizesOnLoad } from '../trainer/loading.ts'
import { isOn, type Training } from '../trainer/method.ts'
import { readTrainerOptimizer } from '../trainer/optimizer.ts'
import { readResuming } from '../trainer/resuming.ts'
import { deepSpeedSettings, halfPrecisionSwitch } from '../trainer/sharding.ts'
import { readUnquantized } from '../trainer/unquantized.ts'
import {
  type Arguments,
  argumentsOf,
  batchSizeKeys,
  legacyBatchSizeKey,
  modelKeys,
  trainerKeys,
} from './huggingface/arguments.ts'
import { lengthWithCompletions, raisedByUnsloth } from './huggingface/completions.ts'
import { readVisibleGpus } from './huggingface/data-parallel.ts'
import type { Declared } from './huggingface/declared.ts'
import { dividedAsLaunched, gpuKeys, readSharding, saysUndivided } from './huggingface/division.ts'
import {
  adapterField,
  leavesQuantisationToCode,
  readAdapter,
  readFusedLoss,
  readQuantization,
  TRL_LENGTH,
} from './huggingface/fine-tuning.ts'
import { readFrozenByHand } from './huggingface/frozen-by-hand.ts'
import { readPrecision } from './huggingface/precision.ts'
import { readTask, type TaskChoice } from './huggingface/task.ts'
import { readDeclaredMethod, readTrainingMethod } from './huggingface/training-method.ts'
import { castsAdapters, hasTrlDefaults, isTrlBefore, readCheckpointedLoss, runsTrl } from './huggingface/trl.ts'
import {
  isOffloadedByUnsloth,
  loadsQuantisedByUnsloth,
  readUnslothExperts,
  readUnslothKernels,
  readUnslothModules,
  tellFloat32,
} from './huggingface/unsloth.ts'

/** TrainingArguments.per_device_train_batch_size. */
const DEFAULT_BATCH = 8
/** run_clm.py's default for a missing block_size. */
const DEFAULT_BLOCK = 1_024

/** The defaults of run_summarization.py and run_translation.py for missing lengths. */
const DEFAULT_SOURCE = 1_024
const DEFAULT_TARGET = 128

const sequenceKeys = wordList(`
  max_seq_length max_length model_max_length block_size max_source_length max_seq_len cutoff_len sequence_length
`)
/** What stands for the length of a transcript; lengths of sources are seconds of sound. */
const transcriptKeys = ['max_target_length', 'max_label_length', 'max_labels_length']

/** kohya's scripts, which train image generators, share some names. */
const diffusionKeys = /^(?:ss_\w+|network_(?:module|dim|alpha)|clip_skip|noise_offset|min_snr_gamma)$/

const writesBatchSize = writesAny(batchSizeKeys)
const writesModel = writesAny(modelKeys)
const writesTrainerKey = writesAny([legacyBatchSizeKey, ...trainerKeys])

/** Beside `train_batch_size`, names that a team made up for what the Trainer calls otherwise. */
const ownKeys =
  /^(?:mixed_precision|precision|optimizer|grad_?acc\w*|accumulat\w*|(?:seq|sequence)_len(?:gth)?|max_(?:sequence_length|seq_len|len|length)|num_classes)$/

export const huggingface: Dialect = {
  name: 'Hugging Face Trainer',
  mayBe: text => writesBatchSize(text) || (writesModel(text) && writesTrainerKey(text)),
  recognise: document => {
    if ([...document.fields.keys()].some(key => diffusionKeys.test(key))) return undefined
    const { find, batchSize } = argumentsOf(document)
    if (batchSize !== undefined && batchSizeKeys.includes(batchSize.key)) return batchSize.name
    if (batchSize !== undefined) {
      const isOwn = [...document.fields.keys()].some(key => ownKeys.test(key))
      return isOwn ? undefined : find(...modelKeys) && `${batchSize.name} beside a model`
    }
    const known = trainerKeys.filter(key => find(key) !== undefined)
    // In sections of its own names the file has one for the batch size too.
    return document.at('model_name_or_path') && known.length >= 2
      ? `model_name_or_path beside ${known.join(', ')}`
      : undefined
  },
  modelField: document => argumentsOf(document).model,
  deepSpeedField: document => argumentsOf(document).find('deepspeed'),
  // HfArgumentParser's files too: the script that parses one sets checkpointing, adapters and sharding in its own lines.
  mayBeLoaded: document => !listsVariants(document),
  read,
}

/** HfArgumentParser takes files without sections, in which TRL and the example scripts call the model model_name_or_path. */
function isOfOwnCode(document: Section): boolean {
  const { batchSize, model } = argumentsOf(document)
  return batchSize?.name.includes('.') === true || (model !== undefined && model.name !== 'model_name_or_path')
}

function read(document: Section, reader: FieldReader, lookUp: ModelLookup, deepSpeed: DeepSpeedFile): Reading {
  const reading = readArguments(document, reader, lookUp, deepSpeed)
  if (reading.kind !== 'training-config') return reading
  const left = [
    ...(isOfOwnCode(document) ? [settingsInCode] : []),
    ...(leavesQuantisationToCode(reading.spec, reader.path) ? [quantisationInCode] : []),
  ]
  const division = argumentsOf(document).find('deepspeed', 'fsdp')
  const undivided = division === undefined ? saysUndivided(reading.spec, reader) : undefined
  return {
    ...reading,
    assumptions: [...reading.assumptions, ...left, ...(undivided ? [undivided] : [])],
    ...(left.length > 0 && { assumesCode: true }),
    ...(undivided && { countsTooMuch: true }),
  }
}

const settingsInCode =
  "The file is no list of the Trainer's arguments, but one that a script of the team's own loads: what the script sets besides is not in it, so that nothing blocks."
const quantisationInCode =
  'The path says QLoRA, and the file sets no quantisation: if the script that loads it does, training takes less memory than is counted. Nothing blocks because of that.'

/** `declared`: what is known besides the keys. */
export function readArguments(
  document: Section,
  reader: FieldReader,
  lookUp: ModelLookup,
  deepSpeed: DeepSpeedFile,
  declared?: Declared,
): Reading {
  const trainerArguments = argumentsOf(document, declared)
  const { find, batchSize } = trainerArguments
  const accumulation = find('gradient_accumulation_steps')
  tellDefaults(reader, document)
  refuseCpu(reader, find('use_cpu', 'no_cuda'))
  refuseOtherDevices(reader, find('accelerator'))
  readVisibleGpus(reader, declared, find(...gpuKeys) !== undefined)

  const written = readMicroBatch(reader, trainerArguments)
  const gradientAccumulation = reader.settle(
    'gradientAccumulation',
    accumulation,
    field => reader.wholeNumber(field, { max: MAX_BATCH }),
    { value: 1, source: declared?.ownLoop ? 'no accumulation' : "the Trainer's default" },
  )
  const model = readModel(reader, trainerArguments.model, 'model_name_or_path', lookUp)
  const adapter = adapterField(reader, trainerArguments)
  const processes = find(...gpuKeys)?.value
  const gpus = processes?.kind === 'number' ? Math.max(1, Math.floor(processes.number)) : 1
  const microBatch = raisedByUnsloth(reader, trainerArguments, written, gradientAccumulation * gpus)
  const step = { microBatch: microBatch ?? DEFAULT_BATCH, gradientAccumulation, gpus }
  const training =
    declared === undefined
      ? readTrainingMethod(reader, find, adapter !== undefined, step)
      : readDeclaredMethod(reader, find, declared, adapter !== undefined, step)
  const completionLength = training.method?.kind === 'online' ? training.method.completionLength : undefined
  const choice = taskOf(reader, find, model, training)
  const transcribes = model !== undefined && familyOf(model.config).transcribes === true
  const size = readInputSize(reader, model, {
    sequenceLength: completionLength === undefined ? find(...(transcribes ? transcriptKeys : sequenceKeys)) : undefined,
    imageSize: find('image_size'),
    ...(transcribes ? longestTranscript(trainerArguments) : unwrittenLength(trainerArguments, choice)),
    ...(completionLength !== undefined && { length: lengthWithCompletions(reader, find, completionLength) }),
  })
  const target = transcribes ? {} : readTarget(reader, trainerArguments, choice)
  const settings = {
    ...readSettings(reader, trainerArguments, choice, model, { adapter, training, deepSpeed }),
    ...training,
  }
  const task = choice?.task
  return trainingConfig(reader, {
    dialect: declared?.ownLoop?.dialect ?? huggingface.name,
    model,
    spec: {
      ...stepInPytorch,
      loop: declared?.ownLoop?.loop ?? 'trainer',
      task,
      microBatch,
      gradientAccumulation,
      ...size,
      ...target,
      ...settings,
    },
    batchSize,
    accumulation,
  })
}

/** Hydra's defaults list: the file is composed with others. */
function tellDefaults(reader: FieldReader, document: Section): void {
  const defaults = document.at('defaults')?.value
  const others = defaults?.kind === 'list' ? defaults.items.filter(({ source }) => source !== '_self_') : []
  const [first] = others
  if (first === undefined) return
  const more = others.length > 1 ? ` and ${others.length - 1} more` : ''
  reader.assume(
    `Only this file is read, although it builds on ${quote(first.source)}${more}: what they set is unknown.`,
  )
}

/** The training method's choice, or else the config's. */
function taskOf(
  reader: FieldReader,
  find: Arguments['find'],
  model: CatalogueModel | undefined,
  { method }: Training,
): TaskChoice | undefined {
  if (method === undefined) return readTask(reader, find, model)
  const { task, labels } = taskOfMethod(method)
  if (model !== undefined) checkTask(reader, find('task'), task, model)
  return { task, labels }
}

/** TRL's trainers cut by themselves, and so do the example scripts; of others, only their code says. */
function unwrittenLength(
  trainerArguments: Arguments,
  choice: TaskChoice | undefined,
): { readonly length?: UnwrittenLength } {
  const isKnown = trainerArguments.declared === undefined
  if (choice?.task === 'seq2seq-lm') return { length: { tokens: DEFAULT_SOURCE, isKnown } }
  if (choice?.task !== 'causal-lm') return {}
  return {
    length: runsTrl(trainerArguments) ? { tokens: TRL_LENGTH, isKnown: true } : { tokens: DEFAULT_BLOCK, isKnown },
  }
}

/** Of a model that writes down what it hears: by default as long as the model's own limit. */
function longestTranscript({ declared }: Arguments): { readonly length: UnwrittenLength } {
  return { length: { tokens: MAX_SEQUENCE, isKnown: declared === undefined } }
}

function readTarget(
  reader: FieldReader,
  { find, declared }: Arguments,
  choice: TaskChoice | undefined,
): { readonly targetLength?: number } {
  if (choice?.task !== 'seq2seq-lm') return {}
  const written = find('max_target_length')
  // The settings give one length for source and target, which the team has chosen knowingly.
  const isOpen = written === undefined && declared !== undefined && !reader.supplies('sequence_length')
  if (isOpen) reader.leavesLengthOpen = true
  const targetLength = reader.settle(
    'targetLength',
    written,
    field => reader.wholeNumber(field, { max: MAX_SEQUENCE }),
    {
      value: DEFAULT_TARGET,
      source: "run_summarization.py's default",
      assumption: `Targets of ${DEFAULT_TARGET} tokens: the config sets no max_target_length.`,
    },
  )
  return { targetLength }
}

function readMicroBatch(reader: FieldReader, { batchSize, batchSizes }: Arguments): number | undefined {
  if (batchSize === undefined) {
    reader.assume(`A batch size of ${DEFAULT_BATCH}, the Trainer's default: the config sets none.`)
    return reader.note('microBatch', DEFAULT_BATCH, "the Trainer's default")
  }
  if (batchSizes.length > 1) {
    reader.assume(`The batch size on line ${batchSize.at.line} is used, the first of ${batchSizes.length} in the file.`)
  }
  const count = reader.wholeNumber(batchSize, { max: MAX_BATCH })
  return count === undefined ? undefined : reader.note('microBatch', count, batchSize)
}

interface Beside {
  readonly adapter: Field | undefined
  readonly training: Training
  readonly deepSpeed: DeepSpeedFile
}

function readSettings(
  reader: FieldReader,
  trainerArguments: Arguments,
  choice: TaskChoice | undefined,
  model: CatalogueModel | undefined,
  { adapter, training, deepSpeed }: Beside,
) {
  const { declared } = trainerArguments
  const isTrainers = declared?.ownLoop === undefined
  const find = isTrainers ? dividedAsLaunched(reader, trainerArguments.find) : trainerArguments.find
  const labels = readLabels(reader, find('num_labels'), choice?.task, choice?.labels)
  const sharded = readSharding(reader, find, deepSpeed)
  const gpus = readGpus(reader, find(...gpuKeys), sharded.sharding)
  const settings = deepSpeedSettings(find('deepspeed'), deepSpeed)
  const computed = readPrecision(reader, {
    fp16: halfPrecisionSwitch(reader, 'fp16', find('fp16'), settings),
    bf16: halfPrecisionSwitch(reader, 'bf16', find('bf16'), settings),
    tf32: find('tf32'),
    weights: find('torch_dtype', 'dtype'),
    sharding: sharded.sharding,
    hasAdapter: adapter !== undefined,
    isTrl: hasTrlDefaults(trainerArguments),
    isStoredIn16Bits: model !== undefined && isStoredIn16Bits(model),
    loadsStoredType:
      declared?.loadsStoredType === true && !isOn(reader, find('load_in_4bit')) && !isOn(reader, find('load_in_8bit')),
    ofOldTransformers: declared?.ofOldTransformers,
    isOn: () => hasTrlDefaults(trainerArguments) && !isTrlBefore(reader, trainerArguments, '0.19'),
  })
  const made = declared?.ownLoop?.optimizer
  const optimizer = made
    ? reader.note('optimizer', made.name, made.field)
    : readTrainerOptimizer(reader, find('optim') ?? adafactorField(reader, find('adafactor')))
  const { attention, masksPadding } = readImplementation(reader, find('attn_implementation'), model)
  const lora = readAdapter(reader, find, model, adapter, declared?.adaptersOf)
  const quantization = readQuantization(reader, trainerArguments, adapter)
  tellFloat32(reader, declared, model)
  const skipped = find('llm_int8_skip_modules')
  const quantized = {
    ...sharded,
    gpus,
    quantization,
    storage: find('bnb_4bit_quant_storage'),
    weights: find('torch_dtype', 'dtype'),
  }
  const wholeQuantized = keptWhole(reader, quantized)
  const isQuantizedOnLoad = !loadsQuantisedByUnsloth(declared) && quantizesOnLoad(quantization, trainerArguments.model)
  const fusedLoss = training.method === undefined ? readFusedLoss(reader, find) : undefined
  const isSft = training.method === undefined && choice?.task === 'causal-lm' && runsTrl(trainerArguments)
  const by = { method: training.method, isSft, quantization }
  const checkpointedLoss = isSft && readCheckpointedLoss(reader, trainerArguments, { lora, fusedLoss })
  const byFsdp = isFsdp(sharded.sharding) ? fsdpCheckpoints(reader, find('fsdp_config')) : undefined
  const reentrantCheckpoints = byFsdp ? false : readReentrant(reader, find('gradient_checkpointing_kwargs'))
  // sft_trainer.py compute_loss hands skip_logits to Liger's loss from TRL 0.29 on (trl#5069).
  const fusesLoss = isSft && fusedLoss ? !isTrlBefore(reader, trainerArguments, '0.29') : undefined
  const evaluation = isTrainers ? readEvaluation(reader, find, { fusesLoss }) : undefined
  const gradientCheckpointing = readCheckpointing(reader, trainerArguments, byFsdp)
  const checkpointing = find('gradient_checkpointing', 'use_gradient_checkpointing')
  const offloads = isOffloadedByUnsloth(checkpointing)
  const trainable =
    declared?.frozen && readFrozenByHand(reader, declared.frozen, model, choice?.task, gradientCheckpointing)
  return {
    gpus,
    labels,
    ...computed,
    optimizer,
    attention,
    gradientCheckpointing,
    ...(trainable && { trainable }),
    ...(reentrantCheckpoints !== undefined && { reentrantCheckpoints }),
    ...(lora && {
      lora: castsAdapters(reader, trainerArguments, by) ? { ...lora, inWeightsType: true as const } : lora,
    }),
    ...(quantization && { quantization }),
    unquantized:
      readUnslothModules(reader, declared, model, quantization) ?? (quantization && readUnquantized(reader, skipped)),
    ...sharded,
    ...(offloads && { offloadsCheckpoints: reader.note('offloadsCheckpoints', true as const, checkpointing) }),
    ...(fusedLoss && { fusedLoss }),
    ...(checkpointedLoss && { checkpointedLoss }),
    ...(evaluation && { evaluation }),
    ...(isTrainers && readResuming(reader, find) && { resumes: true as const }),
    ...(loadsWhole(reader, quantized) && { loadsWhole: true as const }),
    ...(isQuantizedOnLoad && { quantizesOnLoad: true as const }),
    ...(wholeQuantized && { wholeQuantized }),
    paddedBatches: readPadding(reader, trainerArguments, choice, masksPadding),
    ...readUnslothExperts(reader, declared, model, {
      lora,
      quantization,
      targets: find('lora_target_modules', 'target_modules'),
    }),
    ...readUnslothKernels(reader, declared, { lora, hasOwnLoss: isSft }),
  }
}

/** The example scripts pad classification batches to the longest and cut language modelling's into equal blocks; TRL pads. */
function readPadding(
  reader: FieldReader,
  trainerArguments: Arguments,
  choice: TaskChoice | undefined,
  masksPadding: boolean,
): boolean {
  const { find } = trainerArguments
  const packing = find('packing', 'padding_free')
  const isPacked = packing !== undefined && reader.flag(packing) === true
  const padsAlways =
    choice?.task === 'sequence-classification' ||
    choice?.task === 'token-classification' ||
    choice?.task === 'question-answering' ||
    choice?.task === 'seq2seq-lm'
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
