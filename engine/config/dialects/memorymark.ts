/** MemoryMark's own format, for training code that no other dialect covers: everything under one key. */
import type { CatalogueModel } from '../../models/catalogue.ts'
import { MAX_BATCH } from '../../training/batch-size.ts'
import {
  attentions,
  frameworks,
  loops,
  optimizers,
  precisions,
  quantizations,
  shardings,
  stepProfiles,
  type Task,
  tasks,
} from '../../training/choices.ts'
import type { Dialect } from '../dialect.ts'
import { type Choices, type Default, type FieldReader, type Setting, suggest } from '../fields/fields.ts'
import { checkTask, type ModelLookup, readInputSize, readLabels, readModel } from '../fields/model-fields.ts'
import { trainingConfig } from '../fields/training-config.ts'
import type { Reading } from '../reading.ts'
import { quote } from '../text/quote.ts'
import type { Field, Section } from '../text/section.ts'
import { writesAny } from '../text/written-keys.ts'
import { readLora, readTargets } from '../trainer/adapter.ts'
import { readSentences } from '../trainer/sentences.ts'

const ROOT = 'memorymark'

const keys = [
  'model',
  'batch_size',
  'gradient_accumulation',
  'gpus',
  'sequence_length',
  'image_size',
  'labels',
  'sentence_columns',
  'sentence_loss',
  'sentence_pooling',
  'task',
  'precision',
  'optimizer',
  'attention',
  'gradient_checkpointing',
  'step',
  'loop',
  'padded_batches',
  'lora_rank',
  'lora_targets',
  'lora_dropout',
  'quantization',
  'sharding',
  'fused_loss',
  'framework',
] as const
type Key = (typeof keys)[number]

export const memorymark: Dialect = {
  name: 'MemoryMark',
  mayBe: writesAny([ROOT]),
  recognise: document => {
    const section = sectionOf(document)
    const isOurs = section?.fields.has('model') || section?.fields.has('batch_size')
    return isOurs ? `a ${ROOT} mapping with a model or a batch size` : undefined
  },
  modelField: document => sectionOf(document)?.field('model'),
  read: (document, reader, lookUp) => {
    const section = sectionOf(document)
    return section === undefined
      ? { kind: 'not-a-training-config', why: `It has no ${ROOT} mapping.` }
      : read(section, reader, lookUp)
  },
}

function sectionOf(document: Section): Section | undefined {
  const value = document.field(ROOT)?.value
  return value?.kind === 'mapping' ? value.section : undefined
}

function read(section: Section, reader: FieldReader, lookUp: ModelLookup): Reading {
  const field = (key: Key) => section.field(key)

  const model = readModel(reader, field('model'), `${ROOT}.model`, lookUp)
  const task = readTask(reader, section, model)
  const size = readInputSize(reader, model, {
    sequenceLength: field('sequence_length'),
    imageSize: field('image_size'),
  })
  const batchSize = field('batch_size')
  const accumulation = field('gradient_accumulation')
  const microBatch =
    batchSize === undefined
      ? reader.refuse(undefined, 'batch-size-missing', 'The config sets no batch size', `Set ${ROOT}.batch_size.`)
      : reader.wholeNumber(batchSize, { max: MAX_BATCH })
  if (microBatch !== undefined && batchSize !== undefined) reader.note('microBatch', microBatch, batchSize)
  const one = (setting: 'gradientAccumulation' | 'gpus', count: Field | undefined, max: number) =>
    reader.settle(setting, count, present => reader.wholeNumber(present, { max }), ours(1))
  const word = <T extends string>(setting: Setting, key: Key, words: readonly T[], byDefault: T): T =>
    reader.settle(setting, field(key), present => reader.choice(present, named(words)), ours(byDefault))
  const flag = (setting: Setting, key: Key): boolean =>
    reader.settle(setting, field(key), present => reader.flag(present), ours(false))
  const settings = {
    gradientAccumulation: one('gradientAccumulation', accumulation, MAX_BATCH),
    gpus: one('gpus', field('gpus'), 100_000),
    labels: readLabels(reader, field('labels'), task),
    precision: word('precision', 'precision', precisions, 'fp32'),
    optimizer: word('optimizer', 'optimizer', optimizers, 'adamw'),
    attention: word('attention', 'attention', attentions, 'sdpa'),
    gradientCheckpointing: flag('gradientCheckpointing', 'gradient_checkpointing'),
    step: word('step', 'step', stepProfiles, 'training'),
    loop: word('loop', 'loop', loops, 'plain'),
    framework: word('framework', 'framework', frameworks, 'pytorch'),
    paddedBatches: flag('paddedBatches', 'padded_batches'),
    ...readSentences(reader, task, key => section.field(key), false),
    ...readFineTuning(reader, section, model),
  }
  refuseUnknownKeys(reader, section)
  return trainingConfig(reader, {
    dialect: memorymark.name,
    model,
    spec: { task, microBatch, ...settings, ...size },
    batchSize,
    accumulation,
  })
}

/** Each is absent from the spec if the config omits it. */
function readFineTuning(reader: FieldReader, section: Section, model: CatalogueModel | undefined) {
  const [rank, targets] = [section.at('lora_rank'), section.at('lora_targets')]
  const lora =
    rank &&
    readLora(reader, model, {
      rank,
      defaultRank: ours(1),
      dropout: section.at('lora_dropout'),
      defaultDropout: 0,
      targets: readTargets(reader, targets) ?? 'all',
      targetField: targets,
    })
  const field = section.at('quantization')
  const quantization = reader.optional('quantization', field, present => reader.choice(present, named(quantizations)))
  if (quantization !== undefined && rank === undefined) {
    reader.refuse(field, 'quantised-without-adapter', 'Quantised weights need adapters', `Set ${ROOT}.lora_rank too.`)
  }
  const shardedBy = section.at('sharding')
  const sharding = reader.optional('sharding', shardedBy, present => reader.choice(present, named(shardings)))
  const fusedLoss = reader.optional('fusedLoss', section.at('fused_loss'), present => reader.flag(present))
  return {
    ...(lora && { lora }),
    ...(quantization && { quantization }),
    ...(sharding && { sharding }),
    ...(fusedLoss !== undefined && { fusedLoss }),
  }
}

function ours<T>(value: T): Default<T> {
  return { value, source: "MemoryMark's default" }
}

function readTask(reader: FieldReader, section: Section, model: CatalogueModel | undefined): Task | undefined {
  const field = reader.fieldFor('task', section.field('task'))
  const task = reader.choice(field, named(tasks))
  if (model === undefined) return undefined
  if (task !== undefined) return checkTask(reader, field, task, model)
  if (field === undefined) reader.assume(`The task is ${model.defaultTask}: the config does not name one.`)
  return model.defaultTask
}

function refuseUnknownKeys(reader: FieldReader, section: Section): void {
  const known: ReadonlySet<string> = new Set(keys)
  for (const field of section.fields.values()) {
    if (!known.has(field.key)) {
      reader.refuse(field, 'unknown-key', `Unknown key ${quote(field.key)}`, suggest(field.key, keys))
    }
  }
}

function named<T extends string>(words: readonly T[]): Choices<T> {
  return new Map(words.map(word => [word, word]))
}
