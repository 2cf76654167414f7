/**
 * YAML and JSON with keys that a team made up itself, and mappings of the Trainer's arguments at any depth: Determined's
 * `hyperparameters.training_args`, SageMaker's and Azure ML's hyperparameters, whose values are text. The keys are read as the
 * Trainer's own names for the same; what the team's code makes of them is not in the file, so that nothing blocks.
 */
import { wordList } from '../../base/word-list.ts'
import { isStoredForMlx } from '../../models/stored-type.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { Dialect } from '../dialect.ts'
import type { FieldReader, Setting } from '../fields/fields.ts'
import { refuseOtherDevices } from '../fields/gpus.ts'
import type { ModelLookup } from '../fields/model-fields.ts'
import { untrainedSection } from '../fields/other-sections.ts'
import type { DeepSpeedFile } from '../other-files/deepspeed-file.ts'
import type { Reading } from '../reading.ts'
import { resolveOffline } from '../resolve-model.ts'
import { type Field, type FieldValue, Section } from '../text/section.ts'
import { writesAny } from '../text/written-keys.ts'
import {
  argumentsOf,
  legacyBatchSizeKey,
  teamBatchKeys,
  teamMicroBatchKeys,
  teamModelKeys,
} from './huggingface/arguments.ts'
import { readArguments, refuseOpenUnit } from './huggingface.ts'
import { notModelled } from './unmodelled-tools.ts'

/** What one GPU processes at once, by names that say so. */
const microBatchKeys = ['per_device_train_batch_size', ...teamMicroBatchKeys]
/** Beside one of those, what they make together between two steps of the optimizer. */
const wholeBatchKeys = wordList('batch_size train_batch_size global_batch_size effective_batch_size total_batch_size')
const batchKeys = [...new Set([...microBatchKeys, 'batch_size', legacyBatchSizeKey, ...teamBatchKeys])]
const modelKeys = [
  ...wordList('model_name_or_path model_name model_id base_model'),
  ...teamModelKeys,
  ...wordList('model pretrained_model_name_or_path backbone base_model_name_or_path'),
]
const accumulationKeys = wordList(`
  grad_accum grad_accum_steps gradient_accumulation accumulation_steps accumulate_grad_batches grad_accumulation_steps
  grad_acc_steps gradient_accumulation_step
`)
/** What only a training has. */
const trainingKeys = [
  'gradient_accumulation_steps',
  ...accumulationKeys,
  ...wordList(`
    learning_rate lr num_train_epochs num_epochs epochs n_epochs max_steps train_steps max_epochs num_steps total_steps weight_decay
    warmup_steps warmup_ratio
  `),
]

/** The Trainer's names, by what others call the same. */
const ownNames: ReadonlyMap<string, string> = new Map([
  ...batchKeys.map(key => [key, 'per_device_train_batch_size'] as const),
  ...modelKeys.map(key => [key, 'model_name_or_path'] as const),
  ...accumulationKeys.map(key => [key, 'gradient_accumulation_steps'] as const),
  ...wordList(`
    sequence_len max_length max_seq_len seq_len seq_length sequence_length max_len context_length max_sequence_length cutoff_len
    max_context_length max_token_length
  `).map(key => [key, 'max_seq_length'] as const),
  ...['num_classes', 'n_classes', 'n_labels'].map(key => [key, 'num_labels'] as const),
  ...['img_size', 'imgsz', 'image_resolution'].map(key => [key, 'image_size'] as const),
  // Names that TRL's scripts have too. TRL's defaults do not apply here, since nothing says that TRL runs.
  ...[
    ['lora_r', 'lora_rank'],
    ['use_peft', 'use_lora'],
    ['lora_target_modules', 'target_modules'],
    ['load_in_4bit', 'use_4bit'],
  ].map(([key, name]) => [key!, name!] as const),
  ...wordList(`
    grad_checkpointing grad_checkpoint activation_checkpointing use_gradient_checkpointing gradient_checkpoint gradient_ckpt grad_ckpt
  `).map(key => [key, 'gradient_checkpointing'] as const),
])

/** As deep as the arguments may stand, and as many mappings as are looked through. */
const LEVELS = 6
const MAX_SECTIONS = 200
/** Below the mapping with the arguments, as for the Trainer's own files. */
const ARGUMENT_LEVELS = 2

const noPrecision =
  "Computing in fp32, the Trainer's default: the file names no precision, which the team's code may set. Write it down, such as bf16: true."
const noCheckpointing =
  "No gradient checkpointing, the Trainer's default: the file does not set it, and the team's code may. Write it down, such as gradient_checkpointing: true."

/** Sections of other things than one training: searches over settings, schemas, what runs beside it. */
const otherSection =
  /(?:^|\.)(?:(?:serving|deploy)\w*|properties|definitions|\$defs|parameters|inputs|resources|services|jobs|paths)(?:\.|$)/i
const isForeign = (name: string) => untrainedSection.test(name) || otherSection.test(name)
/** What a run left behind, or another tool's file, has these. */
const foreignKeys =
  /^(?:_wandb|wandb_version|global_step|train_runtime|train_loss|eval_loss|loss|best_\w+|accuracy|log_history|\$schema|openapi|apiVersion|architectures|model_type|tokenizer_class|ss_\w+|services|jobs)$/

const writesBatch = writesAny(batchKeys)
const writesModel = writesAny(modelKeys)
const writesTraining = writesAny(trainingKeys)

export const customKeys: Dialect = {
  name: 'Custom keys',
  mayBe: text => writesBatch(text) && writesModel(text) && writesTraining(text),
  recognise: document => {
    const home = homeIn(document)
    return home && `${home.batchSize.name} beside ${home.model.name} and ${home.training.name}`
  },
  modelField: document => argumentsIn(document)?.at('model_name_or_path') ?? homeIn(document)?.model,
  deepSpeedField: document => {
    const section = argumentsIn(document)
    return section && argumentsOf(section).find('deepspeed')
  },
  mayBeLoaded: document => homeIn(document)?.batchSize.key !== 'per_device_train_batch_size',
  read,
}

interface Home {
  readonly section: Section
  readonly batchSize: Field
  readonly model: Field
  readonly training: Field
  /** The whole batch, where the file says it beside the micro-batch. */
  readonly whole?: Field | undefined
  /** Of how many trainings in mappings side by side it is the first. */
  readonly firstOf?: number
}

/**
 * The outermost mapping with a batch size, a model and something that only a training has; the first of several such mappings side by
 * side, whose settings are not each other's: `experiments: { small: { … }, large: { … } }`.
 */
function homeIn(document: Section): Home | undefined {
  if ([...document.fields.keys()].some(key => foreignKeys.test(key))) return undefined
  for (const section of document.nested(LEVELS).slice(0, MAX_SECTIONS)) {
    const home = homeOf(section)
    if (home === undefined) continue
    const isOwn = section.fields.get(home.batchSize.key) === home.batchSize
    const trainings = isOwn ? [] : mappingsIn(section).flatMap(each => homeOf(each) ?? [])
    const [first] = trainings
    return first !== undefined && trainings.length > 1 ? { ...first, firstOf: trainings.length } : home
  }
  return undefined
}

function mappingsIn({ fields }: Section): readonly Section[] {
  return [...fields.values()].flatMap(({ value }) => (value.kind === 'mapping' ? [value.section] : []))
}

function homeOf(section: Section): Home | undefined {
  if (isForeign(section.name)) return undefined
  const inner = section.nested(ARGUMENT_LEVELS).filter(each => isOfTraining(each, section))
  const first = (keys: readonly string[], accepts: (field: Field) => boolean) =>
    inner.flatMap(each => keys.flatMap(key => each.fields.get(key) ?? [])).find(accepts)
  const [batchSize, training] = [first(batchKeys, isCount), first(trainingKeys, isNumeric)]
  const model = first(modelKeys, namesModel) ?? modelMapping(inner)
  if (batchSize === undefined || model === undefined || training === undefined) return undefined
  if (isOfEncoder(inner, model, training)) return undefined
  const beside = inner.find(({ fields }) => fields.get(batchSize.key) === batchSize)
  const whole = microBatchKeys.includes(batchSize.key)
    ? wholeBatchKeys.flatMap(key => beside?.fields.get(key) ?? []).find(isCount)
    : undefined
  return { section, batchSize, model, training, whole }
}

/** `encoder: { model, batch_size }` beside `train: { batch_size, lr }`: what the model makes of the data is trained on, not the model. */
function isOfEncoder(sections: readonly Section[], model: Field, training: Field): boolean {
  const around = (field: Field) => sections.find(({ fields }) => fields.get(field.key) === field)
  const [own, trained] = [around(model), around(training)]
  const hasBatch = (section: Section | undefined) => batchKeys.some(key => section?.fields.has(key))
  return own !== trained && hasBatch(own) && hasBatch(trained)
}

function isOfTraining(inner: Section, root: Section): boolean {
  const name = root.name === '' ? inner.name : inner.name.slice(root.name.length + 1)
  return !isForeign(name) && (inner === root || !/(?:^|\.)hyper_?parameters(?:\.|$)/i.test(name))
}

/** `model: { name: … }` */
function modelMapping(sections: readonly Section[]): Field | undefined {
  return sections
    .filter(({ name }) => /(?:^|\.)(?:base_)?model$/i.test(name))
    .flatMap(section =>
      ['name_or_path', 'name', 'id', 'path', 'base', 'pretrained'].flatMap(key => section.fields.get(key) ?? []),
    )
    .find(namesModel)
}

function isCount({ value }: Field): boolean {
  return (
    (value.kind === 'number' && Number.isInteger(value.number) && value.number > 0) ||
    (value.kind === 'text' && /^[1-9]\d{0,6}$|^\$/.test(value.text))
  )
}

function isNumeric({ value }: Field): boolean {
  return value.kind === 'number' || (value.kind === 'text' && /^[\d.]+(?:e-?\d+)?$/i.test(value.text))
}

/** Models that are asked through a service, by LiteLLM's names for these: nothing trains them here. */
const servedBy =
  /^(?:hosted_vllm|anthropic|azure(?:_ai)?|bedrock|vertex_ai|gemini|openrouter|together_ai|fireworks_ai|ollama(?:_chat)?|groq|deepinfra)\//

/** An id on the Hub, or the name of a model that is known. A folder says nothing but under the key of HfArgumentParser's files. */
function namesModel({ key, value }: Field): boolean {
  if (value.kind !== 'text' || value.text.length > 200 || servedBy.test(value.text)) return false
  return (
    key === 'model_name_or_path' ||
    /^[A-Za-z0-9][\w.-]*\/[\w.-]+$/.test(value.text) ||
    resolveOffline(value.text).kind === 'resolved'
  )
}

/** The mapping with the arguments, under the Trainer's names. */
function argumentsIn(document: Section): Section | undefined {
  const home = homeIn(document)
  return home && renamed(home.section, [], isText(home.section), home)
}

/** Whether values are written as text, as command lines take them. */
function isText({ name }: Section): boolean {
  return /(?:^|\.)hyper_?parameters(?:\.|$)/i.test(name)
}

/** One field of the file, and the one that stands for it. */
interface Pairing {
  readonly section: Section
  readonly key: string
  readonly as: Section
  readonly asKey: string
}

function renamed(
  section: Section,
  pairings: Pairing[],
  asText: boolean,
  { batchSize, model }: Home,
  name = '',
): Section {
  const fields: Field[] = []
  const origins: [Field, Field][] = []
  for (const field of section.fields.values()) {
    for (const stood of standIns(field, { asText, batchSize, model })) {
      const inner = stood.value.kind === 'mapping' ? stood.value.section : undefined
      const childName = name === '' ? stood.key : `${name}.${stood.key}`
      const value: FieldValue =
        inner === undefined
          ? stood.value
          : {
              kind: 'mapping',
              section: renamed(inner, pairings, asText, { section, batchSize, model, training: model }, childName),
            }
      // The Trainer's own name wins over another one for the same.
      const isTaken = fields.some(({ key }) => key === stood.key) && stood.key !== field.key
      if (isTaken) continue
      fields.push({ ...stood, value })
      origins.push([field, stood])
    }
  }
  const copy = Section.of(fields, name)
  for (const [field, stood] of origins) pairings.push({ section, key: field.key, as: copy, asKey: stood.key })
  return copy
}

interface Given {
  readonly asText: boolean
  readonly batchSize: Field
  readonly model: Field
}

function standIns(field: Field, { asText, batchSize, model }: Given): readonly Field[] {
  const value = asText ? typed(field.value) : field.value
  const key = field.key.replaceAll('-', '_')
  if (value.kind === 'mapping' && isForeign(key)) return []
  if (field === batchSize) return [{ ...field, value, key: 'per_device_train_batch_size' }]
  if (field === model) return [{ ...field, value, key: 'model_name_or_path' }]
  // Another batch size or model than the chosen one is not the training's.
  const name = ownNames.get(key)
  if (name === 'per_device_train_batch_size' || name === 'model_name_or_path') {
    return value.kind === 'mapping' ? [field] : []
  }
  // Below the chosen mapping they are its settings, and not those of a search.
  if (value.kind === 'mapping' && /^\w*hyper_?parameters$/.test(key)) return [{ ...field, key: 'settings' }]
  const mixed = /^(?:mixed_precision|precision)$/.test(key) && value.kind === 'text' ? mixedType(value.text) : undefined
  if (mixed !== undefined) return [{ ...field, key: mixed, value: { kind: 'flag', flag: true } }]
  if (/^(?:opt|optimizer(?:_name|_type)?)$/.test(key) && value.kind === 'text') {
    const text = /^adamw?$/i.test(value.text) ? 'adamw_torch' : value.text.toLowerCase()
    return [{ ...field, key: 'optim', value: { kind: 'text', text } }]
  }
  return [{ ...field, value, key: name ?? key }]
}

/** `bf16`, and Lightning's `bf16-mixed`. */
function mixedType(text: string): 'bf16' | 'fp16' | undefined {
  const [, type] = /^(bf16|fp16|16)(?:-mixed)?$/.exec(text) ?? []
  return type === undefined ? undefined : type === 'bf16' ? 'bf16' : 'fp16'
}

/** As a command line's parser takes it. */
function typed(value: FieldValue): FieldValue {
  if (value.kind !== 'text') return value
  if (/^-?\d+(?:\.\d+)?(?:e-?\d+)?$/i.test(value.text)) return { kind: 'number', number: Number(value.text) }
  return /^(?:true|false)$/i.test(value.text) ? { kind: 'flag', flag: value.text.toLowerCase() === 'true' } : value
}

function refuseMlx(reader: FieldReader, { model }: Home): boolean {
  const isStored = model.value.kind === 'text' && isStoredForMlx(model.value.text)
  if (isStored) reader.refuse(model, ...notModelled("It trains in MLX on Apple's GPUs"))
  return isStored
}

function read(document: Section, reader: FieldReader, lookUp: ModelLookup, deepSpeed: DeepSpeedFile): Reading {
  const home = homeIn(document)
  if (home === undefined) return { kind: 'not-a-training-config', why: 'It names no model beside a batch size.' }
  if (refuseGroups(reader, home) || refuseMlx(reader, home)) return { kind: 'unreadable', problems: reader.problems }
  const pairings: Pairing[] = []
  const section = renamed(home.section, pairings, isText(home.section), home)
  const isOwn = home.batchSize.key !== 'per_device_train_batch_size'
  if (isOwn) {
    reader.assume(
      `The keys are the team's own, and are read as the Trainer's: ${home.batchSize.name} as the samples that one GPU processes at once. What the code does besides is not in the file, so that nothing blocks.`,
    )
  }
  if (home.firstOf !== undefined)
    reader.assume(
      `${home.section.name} (line ${home.batchSize.at.line}) is read, the first of ${home.firstOf} trainings.`,
    )
  tellSlots(reader, document)
  // Deeper down it may be a tokenizer's or an evaluation's.
  refuseOtherDevices(reader, document.field('device') ?? home.section.field('device'))
  const reading = readArguments(section, reader, lookUp, deepSpeed)
  for (const { section: from, key, as, asKey } of pairings) if (as.wasAsked(asKey)) from.field(key)
  if (reading.kind !== 'training-config') return reading
  const isDefault = (asked: Setting) =>
    reader.decisions.find(({ setting }) => setting === asked)?.from.kind === 'default'
  const steps = isDefault('gradientAccumulation') ? stepsOf(home, reading.spec, isText(home.section)) : undefined
  if (steps) reader.note('gradientAccumulation', steps.count, steps.of)
  return {
    ...reading,
    spec: { ...reading.spec, ...(steps && { gradientAccumulation: steps.count }) },
    assumptions: [
      ...reading.assumptions,
      ...(steps ? [steps.sentence] : []),
      ...(isOwn && isDefault('precision') ? [noPrecision] : []),
      ...(isOwn && isDefault('gradientCheckpointing') ? [noCheckpointing] : []),
    ],
    dialect: customKeys.name,
    ...((isOwn || home.firstOf !== undefined) && { assumesCode: true }),
  }
}

/** What teams call the completions of one prompt, beside which a batch may be of prompts; GPTQ calls something else a group. */
const isGroup = /^group_size$|_per_prompt$/
const isStored = /bits?(?:_|$)|quant|gptq|awq/i

function refuseGroups(reader: FieldReader, { section, batchSize }: Home): boolean {
  const beside = section.nested(ARGUMENT_LEVELS).find(({ fields }) => fields.get(batchSize.key) === batchSize)
  const keys = [...(beside?.fields.keys() ?? [])]
  const group = keys.find(key => isGroup.test(key))
  if (group === undefined || (group === 'group_size' && keys.some(key => isStored.test(key)))) return false
  refuseOpenUnit(reader, batchSize)
  return true
}

/** Determined's launchers start a process for each slot of the experiment. */
function tellSlots(reader: FieldReader, document: Section): void {
  const entry = document.at('entrypoint')?.value
  const resources = document.at('resources')?.value
  if (entry?.kind !== 'text' || !entry.text.includes('determined.launch.') || resources?.kind !== 'mapping') return
  const slots = resources.section.at('slots_per_trial')
  if (slots !== undefined && reader.launched.gpus === undefined)
    reader.launched = { ...reader.launched, gpus: { ...slots, file: reader.path } }
}

/** How often gradients are accumulated where the file says the whole batch: alpaca-lora's batch_size // micro_batch_size. */
function stepsOf({ whole, batchSize }: Home, { microBatch, gpus }: TrainingSpec, asText: boolean) {
  const value = whole && (asText ? typed(whole.value) : whole.value)
  const count = value?.kind === 'number' ? value.number / microBatch / gpus : 0
  if (whole === undefined || count <= 1 || !Number.isInteger(count)) return undefined
  const sentence = `Gradients accumulate over ${count} micro-batches, which make ${whole.name} (line ${whole.at.line}) of ${batchSize.name}.`
  return { count, of: whole, sentence }
}
