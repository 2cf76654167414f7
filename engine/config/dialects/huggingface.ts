/** Arguments of Hugging Face's Trainer, at the top of a file or one or two levels down. */
import type { CatalogueModel } from '../../models/catalogue.ts'
import { MAX_BATCH } from '../../training/batch-size.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { Dialect } from '../dialect.ts'
import type { FieldReader } from '../fields/fields.ts'
import { refuseCpu, refuseOtherDevices } from '../fields/gpus.ts'
import { holdsMore } from '../fields/memory-names.ts'
import { listsVariants, unreadSettings, withNamed } from '../fields/memory-settings.ts'
import { checkTask, type ModelLookup, readModel } from '../fields/model-fields.ts'
import { stepInPytorch, trainingConfig } from '../fields/training-config.ts'
import type { DeepSpeedFile } from '../other-files/deepspeed-file.ts'
import type { Reading } from '../reading.ts'
import { plain, quote } from '../text/quote.ts'
import type { Field, Section } from '../text/section.ts'
import { writesAny } from '../text/written-keys.ts'
import { taskOfMethod } from '../trainer/language-model.ts'
import type { Training } from '../trainer/method.ts'
import { readSentences } from '../trainer/sentences.ts'
import {
  type Arguments,
  argumentsOf,
  batchSizeKeys,
  hasTeamBatch,
  legacyBatchSizeKey,
  modelKeys,
  trainerKeys,
} from './huggingface/arguments.ts'
import { raisedByUnsloth } from './huggingface/completions.ts'
import { readVisibleGpus } from './huggingface/data-parallel.ts'
import type { Declared } from './huggingface/declared.ts'
import { gpuKeys, saysUndivided } from './huggingface/division.ts'
import { adapterField, leavesQuantisationToCode } from './huggingface/fine-tuning.ts'
import { readLengths } from './huggingface/lengths.ts'
import { readSettings } from './huggingface/settings.ts'
import { readTask, type TaskChoice } from './huggingface/task.ts'
import { readDeclaredMethod, readTrainingMethod } from './huggingface/training-method.ts'
import { unslothDefaults } from './huggingface/unsloth.ts'
import { partsOf } from './hydra-parts.ts'

/** TrainingArguments.per_device_train_batch_size. */
const DEFAULT_BATCH = 8

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
    // In sections of its own names the file has one for the batch size too, and any may have it under a name of the team's.
    return document.at('model_name_or_path') && known.length >= 2 && !hasTeamBatch(document)
      ? `model_name_or_path beside ${known.join(', ')}`
      : undefined
  },
  modelField: document => argumentsOf(document).model,
  deepSpeedField: document => argumentsOf(document).find('deepspeed'),
  // HfArgumentParser's files too: the script that parses one sets checkpointing, adapters and sharding in its own lines.
  mayBeLoaded: document => !listsVariants(document),
  read,
}

/**
 * HfArgumentParser takes files without sections, in which TRL and the example scripts call the model model_name_or_path. No argument
 * is called train_batch_size: transformers 5.18 has a property of that name.
 */
function isOfOwnCode(document: Section): boolean {
  const { batchSize, model } = argumentsOf(document)
  const isOwnBatch = batchSize?.name.includes('.') === true || batchSize?.key === legacyBatchSizeKey
  return isOwnBatch || (model !== undefined && model.name !== 'model_name_or_path')
}

/** In a file or on a command line: a key of a team's own stands for it, under its own name. */
const trainersBatchSize = /(?:^|\W)per[_-](?:device|gpu)[_-]train[_-]batch[_-]size$/

/** Loops of a team's own count prompts as often as completions, of which each prompt has several: a guess could be far off. */
export function refuseOpenUnit(reader: FieldReader, batchSize: Field): void {
  if (trainersBatchSize.test(batchSize.name)) return
  const message = `Whether ${plain(batchSize.name)} counts prompts or completions is up to the code that reads it`
  const fix = 'Name it per_device_train_batch_size if it counts the completions of one GPU, as in TRL.'
  reader.refuse(batchSize, 'open-batch-unit', message, fix)
}

function read(document: Section, reader: FieldReader, lookUp: ModelLookup, deepSpeed: DeepSpeedFile): Reading {
  const reading = readArguments(document, reader, lookUp, deepSpeed)
  if (reading.kind !== 'training-config') return reading
  const method = methodInName(reading.spec, reader.path)
  const left = [
    ...(isOfOwnCode(document) ? [settingsInCode] : []),
    ...(leavesQuantisationToCode(reading.spec, reader.path) ? [quantisationInCode] : []),
    ...(saysUnsloth.test(reader.path) ? [unslothInCode] : []),
    ...(method === undefined ? [] : [methodInCode(method)]),
  ]
  const own = argumentsOf(document)
  const weight = method === undefined ? undefined : own.find('beta')
  const uncounted = [weight, wholeBatch(own, reading.spec)].filter(field => field !== undefined)
  const division = own.find('deepspeed', 'fsdp')
  const undivided = division === undefined ? saysUndivided(reading.spec, reader) : undefined
  return {
    ...withNamed(reading, unreadSettings(uncounted)),
    assumptions: [...reading.assumptions, ...left, ...(undivided ? [undivided] : [])],
    ...(left.length > 0 && { assumesCode: true }),
    ...(undivided && { countsTooMuch: true }),
  }
}

const settingsInCode =
  "The file is no list of the Trainer's arguments, but one that a script of the team's own loads: what the script sets besides is not in it, so that nothing blocks."
const quantisationInCode =
  'The path says QLoRA, and the file sets no quantisation: if the script that loads it does, training takes less memory than is counted. Nothing blocks because of that.'

/** Of the file's path alone: models of Unsloth's on the Hub are also trained without the library. */
const saysUnsloth = /unsloth/i
const unslothInCode =
  'The path says Unsloth: if a script loads the file with it, its kernels, loss and checkpointing take less memory than is counted. Nothing blocks because of that.'

/** What the file's name says of a method, for a file that itself says none. */
function methodInName({ method }: TrainingSpec, path: string): string | undefined {
  const name =
    path
      .split('/')
      .at(-1)
      ?.replace(/\.\w+$/, '') ?? ''
  return method === undefined ? holdsMore.exec(name)?.[0].replace(/[-_ ]/g, '').toUpperCase() : undefined
}

const methodInCode = (method: string) =>
  `The path says ${method}, and the file sets no such method: if the script that loads it compares responses, training takes more memory than is counted. Nothing blocks because of that.`

const wholeBatchKeys = ['effective_batch_size', 'global_batch_size', 'total_batch_size']

/** The batch of all GPUs, which the team's code may reach by accumulation that the file does not say. */
function wholeBatch({ find }: Arguments, { microBatch, gpus }: TrainingSpec): Field | undefined {
  const whole = find('gradient_accumulation_steps') === undefined ? find(...wholeBatchKeys) : undefined
  return whole?.value.kind === 'number' && whole.value.number === microBatch * gpus ? undefined : whole
}

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
    declared?.ofUnsloth
      ? unslothDefaults.gradientAccumulation
      : { value: 1, source: declared?.ownLoop ? 'no accumulation' : "the Trainer's default" },
  )
  const model = readModel(reader, trainerArguments.model, 'model_name_or_path', lookUp)
  const adapter = adapterField(reader, trainerArguments)
  const processes = reader.fieldFor('gpus', find(...gpuKeys))?.value
  const gpus = processes?.kind === 'number' ? Math.max(1, Math.floor(processes.number)) : 1
  const microBatch = raisedByUnsloth(reader, trainerArguments, written, gradientAccumulation * gpus)
  const hasOpenUnit = batchSize !== undefined && !trainersBatchSize.test(batchSize.name)
  const areGpusOpen = processes === undefined
  const step = { microBatch: microBatch ?? DEFAULT_BATCH, gradientAccumulation, gpus, areGpusOpen, hasOpenUnit }
  const training =
    declared === undefined
      ? readTrainingMethod(reader, find, adapter !== undefined, step)
      : readDeclaredMethod(reader, { find, declared }, adapter !== undefined, step)
  if (declared === undefined && batchSize !== undefined && training.method?.kind === 'online')
    refuseOpenUnit(reader, batchSize)
  const choice = taskOf(reader, find, model, training)
  const lengths = readLengths(reader, trainerArguments, { choice, model, training })
  const settings = readSettings(reader, trainerArguments, { choice, model, adapter, training, deepSpeed, microBatch })
  return trainingConfig(reader, {
    dialect: declared?.ownLoop?.dialect ?? huggingface.name,
    model,
    spec: {
      ...stepInPytorch,
      loop: declared?.ownLoop?.loop ?? 'trainer',
      task: choice?.task,
      microBatch,
      gradientAccumulation,
      ...lengths,
      ...settings,
      ...readSentences(reader, choice?.task, find, settings.precision.startsWith('amp-')),
      ...training,
    },
    batchSize,
    accumulation,
  })
}

/** Hydra's defaults list: the file is composed with others. */
function tellDefaults(reader: FieldReader, document: Section): void {
  const others = partsOf(document)
  const [first] = others
  if (first === undefined) return
  const more = others.length > 1 ? ` and ${others.length - 1} more` : ''
  reader.assume(`Only this file is read, although it builds on ${quote(first)}${more}: what they set is unknown.`)
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

function readMicroBatch(reader: FieldReader, { batchSize, batchSizes, declared }: Arguments): number | undefined {
  if (batchSize === undefined) {
    const { count, source } = declared?.ofUnsloth
      ? { count: unslothDefaults.microBatch, source: "Unsloth's default" }
      : { count: DEFAULT_BATCH, source: "the Trainer's default" }
    reader.assume(`A batch size of ${count}, ${source}: the config sets none.`)
    return reader.note('microBatch', count, source)
  }
  if (batchSizes.length > 1) {
    reader.assume(`The batch size on line ${batchSize.at.line} is used, the first of ${batchSizes.length} in the file.`)
  }
  const count = reader.wholeNumber(batchSize, { max: MAX_BATCH })
  return count === undefined ? undefined : reader.note('microBatch', count, batchSize)
}
