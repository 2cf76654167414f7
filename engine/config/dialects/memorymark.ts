/** MemoryMark's own dialect, for training code whose config no other dialect knows: everything under one key. */
import type { CatalogueModel } from '../../models/catalogue.ts'
import type { Dialect } from '../dialect.ts'
import { type Choices, FieldReader, suggest } from '../fields.ts'
import { checkTask, type ModelLookup, readInputSize, readLabels, readModel } from '../model-fields.ts'
import { quote } from '../quote.ts'
import type { Reading } from '../reading.ts'
import type { Section } from '../section.ts'
import { attentions, loops, MAX_BATCH, optimizers, precisions, stepProfiles, type Task, tasks } from '../spec.ts'
import { writesAny } from '../written-keys.ts'

const ROOT = 'memorymark'

const keys = [
  'model',
  'batch_size',
  'gradient_accumulation',
  'gpus',
  'sequence_length',
  'image_size',
  'labels',
  'task',
  'precision',
  'optimizer',
  'attention',
  'gradient_checkpointing',
  'step',
  'loop',
  'padded_batches',
] as const
type Key = (typeof keys)[number]

export const memorymark: Dialect = {
  name: 'MemoryMark',
  mayBe: writesAny([ROOT]),
  detects: document => {
    const section = sectionOf(document)
    return section !== undefined && (section.fields.has('model') || section.fields.has('batch_size'))
  },
  modelField: document => sectionOf(document)?.field('model'),
  read: (document, path, lookUp) => {
    const section = sectionOf(document)
    return section === undefined
      ? { kind: 'not-a-training-config', why: `It has no ${ROOT} mapping.` }
      : read(section, path, lookUp)
  },
}

function sectionOf(document: Section): Section | undefined {
  const value = document.field(ROOT)?.value
  return value?.kind === 'mapping' ? value.section : undefined
}

function read(section: Section, path: string, lookUp: ModelLookup): Reading {
  const reader = new FieldReader(path)
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
  const settings = {
    gradientAccumulation: reader.wholeNumber(accumulation, { max: MAX_BATCH }) ?? 1,
    gpus: reader.wholeNumber(field('gpus'), { max: 100_000 }) ?? 1,
    labels: readLabels(reader, field('labels'), task),
    precision: reader.choice(field('precision'), named(precisions)) ?? 'fp32',
    optimizer: reader.choice(field('optimizer'), named(optimizers)) ?? 'adamw',
    attention: reader.choice(field('attention'), named(attentions)) ?? 'sdpa',
    gradientCheckpointing: reader.flag(field('gradient_checkpointing')) ?? false,
    step: reader.choice(field('step'), named(stepProfiles)) ?? 'training',
    loop: reader.choice(field('loop'), named(loops)) ?? 'plain',
    paddedBatches: reader.flag(field('padded_batches')) ?? false,
  }
  refuseUnknownKeys(reader, section)
  if (model === undefined || task === undefined || microBatch === undefined || reader.problems.length > 0) {
    return { kind: 'unreadable', problems: reader.problems }
  }
  return {
    kind: 'training-config',
    dialect: memorymark.name,
    model,
    spec: { model: model.id, task, framework: 'pytorch', microBatch, ...settings, ...size },
    ...(batchSize && { batchSizeAt: batchSize.at }),
    ...(accumulation && { gradientAccumulationAt: accumulation.at }),
    assumptions: reader.assumptions,
  }
}

function readTask(reader: FieldReader, section: Section, model: CatalogueModel | undefined): Task | undefined {
  const field = section.field('task')
  const task = reader.choice(field, named(tasks))
  if (model === undefined) return undefined
  if (task !== undefined) return checkTask(reader, field, task, model)
  if (field === undefined) reader.assume(`The task is ${model.defaultTask}: the config names none.`)
  return model.defaultTask
}

function refuseUnknownKeys(reader: FieldReader, section: Section): void {
  const known: ReadonlySet<string> = new Set(keys)
  for (const field of section.fields.values()) {
    if (!known.has(field.key)) {
      reader.refuse(field, 'unknown-key', `The key ${quote(field.key)} is not known`, suggest(field.key, keys))
    }
  }
}

function named<T extends string>(words: readonly T[]): Choices<T> {
  return new Map(words.map(word => [word, word]))
}
