/** Where a file keeps the Trainer's arguments, and how to find an argument in it. */
import { wordList } from '../../../base/word-list.ts'
import { ofOtherMethods } from '../../fields/chosen-method.ts'
import { untrainedSection } from '../../fields/other-sections.ts'
import type { Field, Section } from '../../text/section.ts'
import type { Declared } from './declared.ts'

export const batchSizeKeys = ['per_device_train_batch_size', 'per_gpu_train_batch_size']
/** Also a property that trainer_state.json and DeepSpeed use: it counts beside a model only. */
export const legacyBatchSizeKey = 'train_batch_size'
/** What teams call the batch size of one GPU in files of their own, by names that say so. */
export const teamMicroBatchKeys = wordList(`
  per_device_batch_size micro_batch_size micro_train_batch_size batch_size_per_device batch_size_per_gpu
`)
/** All that they call a batch size. */
export const teamBatchKeys = [
  ...teamMicroBatchKeys,
  ...wordList('batch_size batch_size_train batch_size_training training_batch_size train_bs bsz train_bsz'),
]
/** A training's batch under a name that is not read: `bsz_train`, `batch_train`, `effective_batch_size`. */
const unreadBatch =
  /^(?:bsz?|batch|batch_?size|(?:global|total|effective)_batch(?:_?size)?|train(?:ing)?_?(?:bsz?|batch|batch_?size)|(?:bsz?|batch|batch_?size)_?train(?:ing)?)$/i
export const modelKeys = [
  'model_name_or_path',
  'model_name',
  'pretrained_model_name_or_path',
  'model_id',
  'base_model_name_or_path',
]
/** What teams call the model in files of their own, where nothing else is called so. */
export const teamModelKeys = wordList(`
  base_model_id base_model_name hf_model_ckpt hf_model hf_model_id model_ckpt model_checkpoint pretrained_model
  pretrained_model_name base_model_path
`)
/** Beside the Trainer's own keys alone: elsewhere it is as often where a result goes, or a training by reinforcement takes it. */
const lastModelKeys = [...teamModelKeys, 'model_path']
export const trainerKeys = [
  'learning_rate',
  'num_train_epochs',
  'max_steps',
  'gradient_accumulation_steps',
  'warmup_steps',
  'warmup_ratio',
  'weight_decay',
  'lr_scheduler_type',
  'output_dir',
]

/** Sections below the top one in which arguments are looked for. */
const LEVELS = 2
/** Sections that use the same keys for something else, or only describe or pass on values. */
const otherSection =
  /(^|\.)((deepspeed|ds_config|fsdp)\w*|properties|definitions|\$defs|parameters|inputs|env|environment|hyperparameters)(\.|$)/i
const isForeign = (name: string) => untrainedSection.test(name) || otherSection.test(name)
const argumentSections = (document: Section) => document.nested(LEVELS).filter(({ name }) => !isForeign(name))

/** Custom scripts often have a mapping for the model, and name it there under one of these keys. */
const modelMapping = /(^|\.)(base_)?model(_args|_config)?$/i
const nameKeys = [
  'name_or_path',
  'name',
  'id',
  'path',
  'base_model',
  'base',
  'base_model_name_or_path',
  ...lastModelKeys,
]
/** At the top of the file, beside the Trainer's arguments. */
const topModelKeys = ['base_model', 'model']

export interface Arguments {
  /** The first field under one of the keys that holds a value; a section's keys are tried in the order given. */
  find(...keys: string[]): Field | undefined
  /** The first field whose key and text are like these. Others under such keys count as not read. */
  findText(key: RegExp, text: RegExp): Field | undefined
  /** The field that names the model. */
  readonly model: Field | undefined
  /** The field that sets the micro-batch, even where it is empty. */
  readonly batchSize: Field | undefined
  /** Every field that sets one, for files of several stages. */
  readonly batchSizes: readonly Field[]
  /** Undefined for a file of keys alone. */
  readonly declared: Declared | undefined
}

export function argumentsOf(document: Section, declared?: Declared): Arguments {
  const others = ofOtherMethods(document, LEVELS)
  const sections = argumentSections(document).filter(section => !others.has(section))
  const counts = ({ value }: Field) => (value.kind === 'mapping' ? !others.has(value.section) : value.kind !== 'empty')
  const fields = (keys: readonly string[]) =>
    sections.flatMap(section => keys.flatMap(key => section.field(key) ?? []).slice(0, 1))
  const named = fields(batchSizeKeys)
  const batchSizes = named.length > 0 ? named : fields([legacyBatchSizeKey])
  const home = sections.find(
    section => batchSizes[0] !== undefined && section.field(batchSizes[0].key) === batchSizes[0],
  )
  const nearestFirst = home === undefined ? sections : [home, ...besides(home, sections)]
  const find: Arguments['find'] = (...keys) => {
    for (const section of nearestFirst) {
      const found = keys.map(key => section.field(key)).find(field => field !== undefined && counts(field))
      if (found !== undefined) return found
    }
    return undefined
  }
  const findText: Arguments['findText'] = (key, text) => {
    for (const section of nearestFirst) {
      for (const { key: name, value } of section.fields.values()) {
        if (key.test(name) && value.kind === 'text' && text.test(value.text)) return section.field(name)
      }
    }
    return undefined
  }
  return {
    find,
    findText,
    model: find(...modelKeys) ?? textIn(document, topModelKeys) ?? modelIn(sections) ?? find(...lastModelKeys),
    batchSize: batchSizes[0],
    batchSizes,
    declared,
  }
}

/** Whether a batch size of the team's own stands in the file: HfArgumentParser would refuse the name, and a default would be a guess. */
export function hasTeamBatch(document: Section): boolean {
  const keys = argumentSections(document).flatMap(({ fields }) => [...fields.keys()])
  return keys.some(key => teamBatchKeys.includes(key) || unreadBatch.test(key.replaceAll('-', '_')))
}

const rateKeys = ['learning_rate', 'lr']
const scheduleKeys = ['num_train_epochs', 'num_epochs', 'epochs', 'max_steps', 'steps', 'gradient_accumulation_steps']

/** All sections but those of other trainings in the file: a learning rate and a schedule of their own, as the home has them. */
function besides(home: Section, sections: readonly Section[]): readonly Section[] {
  const has = ({ fields }: Section, keys: readonly string[]) => keys.some(key => fields.has(key))
  const isWithin = (inner: Section, outer: Section) =>
    outer.name === '' || `${inner.name}.`.startsWith(`${outer.name}.`)
  const others = sections.filter(
    section =>
      !isWithin(home, section) &&
      !isWithin(section, home) &&
      [home, section].every(each => has(each, rateKeys) && has(each, scheduleKeys)),
  )
  return sections.filter(section => section !== home && others.every(other => !isWithin(section, other)))
}

function modelIn(sections: readonly Section[]): Field | undefined {
  for (const section of sections) {
    const found = modelMapping.test(section.name) ? textIn(section, nameKeys) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

function textIn(section: Section, keys: readonly string[]): Field | undefined {
  return keys.map(key => section.field(key)).find(field => field?.value.kind === 'text')
}
