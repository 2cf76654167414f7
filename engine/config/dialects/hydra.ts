/** Configs that Hydra composes, as of 1.3: a defaults list names the files with the rest, so no single file is complete. */

import { MAX_BATCH } from '../../training/batch-size.ts'
import type { Dialect } from '../dialect.ts'
import type { FieldReader } from '../fields/fields.ts'
import type { ModelLookup } from '../fields/model-fields.ts'
import { orInSettings } from '../fields/supplied.ts'
import { suppliedModelReading } from '../fields/supplied-model.ts'
import type { Reading } from '../reading.ts'
import { plain } from '../text/quote.ts'
import type { Field, Section } from '../text/section.ts'
import { writesAny } from '../text/written-keys.ts'
import { partsOf } from './hydra-parts.ts'

const batchKeys = [
  'batch_size',
  'train_batch_size',
  'micro_batch_size',
  'per_device_train_batch_size',
  'batch_size_per_gpu',
]
const trainingKeys = [
  'trainer',
  'optimizer',
  'optim',
  'lr',
  'learning_rate',
  'max_epochs',
  'num_epochs',
  'epochs',
  'max_steps',
  'training',
  'train',
]
const accumulationKeys = ['accumulate_grad_batches', 'gradient_accumulation_steps', 'grad_accum_steps']
const LEVELS = 2
const SHOWN_PARTS = 6

const writesDefaults = writesAny(['defaults'])
const writesBatch = writesAny(batchKeys)

export const hydra: Dialect = {
  name: 'Hydra',
  mayBe: text => writesDefaults(text) && writesBatch(text),
  recognise: document => {
    const parts = partsOf(document)
    const found = trainingKeys.filter(key => document.fields.has(key))
    const isComposed = parts.length > 0 && batchSizeOf(document) !== undefined && found.length > 0
    return isComposed ? `a defaults list beside a batch size and ${found.join(', ')}` : undefined
  },
  modelField: () => undefined,
  mayBeLoaded: () => true,
  classField: document => document.at('defaults'),
  read,
}

function batchSizeOf(document: Section): Field | undefined {
  return nestedField(document, batchKeys)
}

function nestedField(document: Section, keys: readonly string[]): Field | undefined {
  return document
    .nested(LEVELS)
    .flatMap(section => keys.flatMap(key => section.at(key) ?? []))
    .at(0)
}

function read(document: Section, reader: FieldReader, lookUp: ModelLookup): Reading {
  const batchSize = batchSizeOf(document)
  const count = (field: Field | undefined) => reader.wholeNumber(field, { max: MAX_BATCH })
  if (!reader.supplies('model')) refuseComposition(document, reader)
  const microBatch = count(batchSize)
  if (microBatch !== undefined && batchSize !== undefined) reader.note('microBatch', microBatch, batchSize)
  if (!reader.supplies('model')) return { kind: 'unreadable', problems: reader.problems }
  const accumulation = nestedField(document, accumulationKeys)
  reader.assume(
    `Weights in fp32, and AdamW: Hydra composes the config from ${partsShown(document)}, which may say otherwise.`,
  )
  return suppliedModelReading(reader, lookUp, {
    dialect: hydra.name,
    microBatch,
    batchSize,
    gradientAccumulation: (accumulation && count(accumulation)) ?? 1,
    accumulation,
    sequenceLength: nestedField(document, ['max_seq_length', 'max_length', 'sequence_length', 'seq_len', 'block_size']),
    imageSize: nestedField(document, ['image_size', 'img_size', 'imgsz']),
    labels: nestedField(document, ['num_labels', 'num_classes']),
    precision: 'fp32',
    optimizer: 'adamw',
  })
}

function partsShown(document: Section): string {
  return partsOf(document).slice(0, SHOWN_PARTS).map(plain).join(', ') || 'other files'
}

function refuseComposition(document: Section, reader: FieldReader): void {
  reader.refuse(
    document.at('defaults'),
    'composed-by-hydra',
    `The model cannot be determined from the file: Hydra composes it from ${partsShown(document)}`,
    `Check the composed config (python train.py --cfg job > composed.yaml), ${orInSettings('model')}.`,
  )
}
