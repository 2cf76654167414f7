/** The fields whose meaning and defaults hang on the model, the same in every dialect. */
import { closest } from '../errors.ts'
import { type CatalogueModel, findModel, modelIds, modelNames } from '../models/catalogue.ts'
import type { FieldReader } from './fields.ts'
import { oneOf, quote } from './quote.ts'
import type { Field } from './section.ts'
import type { Task } from './spec.ts'

const MAX_SEQUENCE = 10_000_000
const MAX_IMAGE_SIDE = 100_000
const MAX_LABELS = 1_000_000

const DEFAULT_SEQUENCE = 512
/** Side of the images that torchvision's and transformers' ImageNet models are trained on, and their number of classes. */
const DEFAULT_IMAGE_SIZE = 224
const IMAGENET_LABELS = 1_000

export function readModel(
  reader: FieldReader,
  field: Field | undefined,
  expectedKey: string,
): CatalogueModel | undefined {
  if (field === undefined || field.value.kind === 'empty') {
    return reader.refuse(
      field,
      'model-not-in-file',
      'The model cannot be known from the file',
      `Set ${expectedKey} in the config if it should be checked.`,
    )
  }
  const id = reader.text(field)
  if (id === undefined) return undefined
  const model = findModel(id)
  if (model !== undefined) return model
  const meant = closest(id, modelNames)
  const fix = meant === undefined ? `Known models are ${oneOf(modelIds)}.` : `Did you mean ${meant}?`
  return reader.refuse(field, 'unknown-model', `The model ${quote(id)} is not known`, fix)
}

/** Refuses a task that the config names and the model cannot be trained for. */
export function checkTask(reader: FieldReader, field: Field | undefined, task: Task, model: CatalogueModel): Task {
  if (!model.tasks.includes(task)) {
    reader.refuse(
      field,
      'unsupported-task',
      `The model ${quote(model.id)} is not supported for ${task}`,
      `Use ${oneOf(model.tasks)}.`,
    )
  }
  return task
}

/** `length` is the default for text in tokens, before the model's own limit. */
export interface InputFields {
  readonly sequenceLength: Field | undefined
  readonly imageSize: Field | undefined
  readonly length?: number
}

export interface InputSize {
  readonly sequenceLength?: number
  readonly imageSize?: number
}

/** The size of one sample. Without a model only the fields themselves are checked. */
export function readInputSize(reader: FieldReader, model: CatalogueModel | undefined, fields: InputFields): InputSize {
  const tokens = reader.wholeNumber(fields.sequenceLength, { max: MAX_SEQUENCE })
  const pixels = reader.wholeNumber(fields.imageSize, { max: MAX_IMAGE_SIDE })
  if (model === undefined) return {}
  if (readsImages(model)) {
    if (fields.imageSize === undefined) {
      reader.assume(`Images of ${DEFAULT_IMAGE_SIZE}×${DEFAULT_IMAGE_SIZE} pixels: the config names no image size.`)
    }
    return { imageSize: pixels ?? DEFAULT_IMAGE_SIZE }
  }
  const limit = model.maxPositions ?? MAX_SEQUENCE
  if (fields.sequenceLength === undefined) return { sequenceLength: assumedLength(reader, limit, fields.length) }
  if (tokens !== undefined && tokens > limit) {
    reader.refuse(
      fields.sequenceLength,
      'sequence-too-long',
      `${tokens} tokens are more than the ${limit} positions of ${quote(model.id)}`,
      `Write a length up to ${limit}, or use a model with more positions.`,
    )
  }
  return { sequenceLength: tokens ?? limit }
}

function assumedLength(reader: FieldReader, limit: number, preferred = DEFAULT_SEQUENCE): number {
  const length = Math.min(preferred, limit)
  reader.assume(`Sequences of ${length} tokens: the config sets no maximum length.`)
  return length
}

/** The classes of the head; `known` is what the config implies without the field. Language models ignore the number. */
export function readLabels(
  reader: FieldReader,
  field: Field | undefined,
  task: Task | undefined,
  known?: number,
): number {
  const labels = reader.wholeNumber(field, { max: MAX_LABELS }) ?? known
  if (labels !== undefined) return labels
  switch (task) {
    case 'sequence-classification':
      reader.assume('Two labels: the config sets no number of labels.')
      return 2
    case 'image-classification':
      reader.assume('1,000 labels, as in ImageNet: the config sets no number of labels.')
      return IMAGENET_LABELS
    case 'masked-lm':
    case 'causal-lm':
    case undefined:
      return 2
  }
}

function readsImages(model: CatalogueModel): boolean {
  return model.defaultTask === 'image-classification'
}
