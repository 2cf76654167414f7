/** The fields whose meaning and defaults depend on the model, the same in every dialect. */
import { imageOfSample, isVisionLanguageModel, readsSound, videoOfSample } from '../../models/architecture.ts'
import type { CatalogueModel } from '../../models/catalogue.ts'
import { type ImageHandling, seenInWords } from '../../models/images.ts'
import { type Task, tasks } from '../../training/choices.ts'
import { LEAST_SAMPLES, SAMPLES_PER_SECOND, USUAL_SECONDS } from '../../training/sound.ts'
import { MAX_FRAMES, MAX_IMAGE_SIDE, type TrainingSpec } from '../../training/spec.ts'
import { type Resolution, resolveOffline } from '../resolve-model.ts'
import { oneOf, plain, quote } from '../text/quote.ts'
import type { Field } from '../text/section.ts'
import { FieldReader } from './fields.ts'
import { modelProblem } from './model-problem.ts'
import { endOfPath } from './open-path.ts'
import { orInSettings } from './supplied.ts'

/** Tokens. Longer is a typo. */
export const MAX_SEQUENCE = 10_000_000
const MAX_LABELS = 1_000_000

const DEFAULT_SEQUENCE = 512
/** Side of the images that torchvision's and transformers' ImageNet models are trained on, and their number of classes. */
const IMAGENET_LABELS = 1_000
/** Of the images that detectors are usually trained on. */
const COCO_LABELS = 80

/** The model behind a name, looked up before the rest of the config is read. */
export type ModelLookup = (name: string) => Resolution

/** The name of a model or a file, when the field holds one. */
export function nameIn(field: Field | undefined): string | undefined {
  return field?.value.kind === 'empty' ? undefined : new FieldReader('').text(field)
}

export function readModel(
  reader: FieldReader,
  written: Field | undefined,
  expectedKey: string,
  lookUp: ModelLookup,
): CatalogueModel | undefined {
  const field = reader.fieldFor('model', written)
  if (field === undefined || field.value.kind === 'empty') {
    return reader.refuse(
      field,
      'model-not-in-file',
      'The model cannot be determined from the file',
      `Set ${expectedKey} in the config, ${orInSettings('model')}.`,
    )
  }
  const ending = field.value.kind === 'open' ? namedByItsEnd(reader, field) : undefined
  if (ending !== undefined) return ending
  const id = reader.text(field)
  if (id === undefined) return undefined
  if (id.trim() === '') {
    const message = `The model cannot be determined from the file: ${field.name} is an empty text`
    return reader.refuse(field, 'model-not-in-file', message, `Write its name there, ${orInSettings('model')}.`)
  }
  const resolution = lookUp(id)
  if (resolution.kind === 'resolved') {
    if (resolution.sentence !== undefined) reader.assume(resolution.sentence)
    reader.note('model', resolution.model.id, field)
    return resolution.model
  }
  const { code, message, fix } = modelProblem(id, resolution)
  return reader.refuse(field, code, message, fix)
}

/** The well-known model at the end of a path whose beginning only a run can tell. */
function namedByItsEnd(reader: FieldReader, field: Field): CatalogueModel | undefined {
  const end = endOfPath(field.source)
  const resolution = end === undefined ? undefined : resolveOffline(end)
  if (resolution?.kind !== 'resolved' || resolution.sentence === undefined) return undefined
  reader.assume(resolution.sentence)
  reader.note('model', resolution.model.id, field)
  return resolution.model
}

/** The task if a tool's configs never name one: from the settings, else the model's default. */
export function readUnwrittenTask(reader: FieldReader, model: CatalogueModel): Task {
  const field = reader.fieldFor('task', undefined)
  const task = reader.choice(field, new Map(tasks.map(task => [task, task])))
  if (task !== undefined) return checkTask(reader, field, task, model)
  reader.assume(`The task is ${model.defaultTask}: the config does not name one.`)
  return model.defaultTask
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

export interface InputFields {
  readonly sequenceLength: Field | undefined
  readonly imageSize: Field | undefined
  readonly imageHandling?: ImageHandling | undefined
  readonly length?: UnwrittenLength
}

/** The default sequence length if no field gives one. */
export interface UnwrittenLength {
  /** Before the model's own limit. */
  readonly tokens: number
  /** Present if the tool itself truncates or packs samples to this length; otherwise the length counts as assumed. */
  readonly isKnown?: boolean
}

export interface InputSize {
  readonly sequenceLength?: number
  readonly meanLength?: number
  readonly imageSize?: number
  /** The size of images for a vision-language model. */
  readonly images?: NonNullable<TrainingSpec['images']>
  readonly videoFrames?: number
}

/** The size of one sample. Without a model only the fields themselves are checked. */
export function readInputSize(reader: FieldReader, model: CatalogueModel | undefined, fields: InputFields): InputSize {
  const sequenceLength = reader.fieldFor('sequence_length', fields.sequenceLength)
  const imageSize = reader.fieldFor('image_size', fields.imageSize)
  const tokens = reader.wholeNumber(sequenceLength, { max: MAX_SEQUENCE })
  const pixels = reader.wholeNumber(imageSize, { max: MAX_IMAGE_SIDE })
  if (tokens !== undefined && sequenceLength !== undefined) reader.note('sequenceLength', tokens, sequenceLength)
  if (pixels !== undefined && imageSize !== undefined) reader.note('imageSize', pixels, imageSize)
  if (model === undefined) return {}
  const { imageSize: trainedPixels } = model
  if (trainedPixels !== undefined) {
    if (imageSize === undefined) {
      reader.note('imageSize', trainedPixels, 'as the model was trained')
      reader.assume(`Images of ${trainedPixels}×${trainedPixels} pixels: the config sets no image size.`)
    }
    return { imageSize: pixels ?? trainedPixels }
  }
  const trained = model.maxPositions ?? MAX_SEQUENCE
  if (tokens !== undefined && tokens > trained && sequenceLength !== undefined) {
    tellTooLong(reader, sequenceLength, tokens, model)
  }
  const isOfSound = readsSound(model.config)
  if (isOfSound && sequenceLength !== undefined && (tokens ?? LEAST_SAMPLES) < LEAST_SAMPLES)
    tellTooShort(reader, sequenceLength)
  const byDefault = fields.length ?? { tokens: isOfSound ? USUAL_SECONDS * SAMPLES_PER_SECOND : DEFAULT_SEQUENCE }
  const length =
    sequenceLength === undefined ? assumedLength(reader, trained, byDefault, isOfSound) : (tokens ?? trained)
  const frames = reader.wholeNumber(reader.fieldFor('video_frames', undefined), { max: MAX_FRAMES })
  const images =
    imageSize &&
    pixels &&
    imageAmongWords(reader, model, imageSize, { side: pixels, frames, length, handling: fields.imageHandling })
  return {
    sequenceLength: length,
    ...readMeanLength(reader),
    ...(images && { images }),
    ...(images && frames && { videoFrames: frames }),
  }
}

/** Of the samples in tokens, which no file of a repository says. */
export function readMeanLength(reader: FieldReader): Pick<InputSize, 'meanLength'> {
  const field = reader.fieldFor('mean_length', undefined)
  const meanLength = reader.wholeNumber(field, { max: MAX_SEQUENCE })
  return field === undefined || meanLength === undefined
    ? {}
    : { meanLength: reader.note('meanLength', meanLength, field) }
}

interface Seen {
  readonly side: number
  readonly frames: number | undefined
  readonly length: number
  readonly handling: ImageHandling | undefined
}

/** An image with the given side, or a video of such frames, if the model is a vision-language model. */
function imageAmongWords(
  reader: FieldReader,
  model: CatalogueModel,
  field: Field,
  { side, frames, length, handling }: Seen,
): TrainingSpec['images'] {
  const size = { height: side, width: side }
  const found =
    frames === undefined ? imageOfSample(model.config, size, handling) : videoOfSample(model.config, size, frames)
  if (found === undefined) {
    if (frames !== undefined && isVisionLanguageModel(model.config)) {
      reader.assume(`Videos are not modelled for ${quote(model.id)}: only text is counted.`)
    }
    return undefined
  }
  const { images, tokens } = found
  const what = seenInWords(frames)
  if (tokens > length) {
    const message = `One ${what} of ${side}×${side} pixels becomes ${tokens} tokens, more than the ${length} of a sequence`
    return reader.refuse(
      field,
      'image-too-large',
      message,
      'Write the size that images are scaled to, or a longer sequence.',
    )
  }
  reader.assume(`One ${what} per sample of ${side}×${side} pixels: ${tokens} of the ${length} tokens of a sequence.`)
  return reader.note('images', images, field)
}

function tellTooLong(reader: FieldReader, field: Field, tokens: number, model: CatalogueModel): void {
  const { positionLimit, maxPositions } = model
  if (positionLimit === undefined) {
    reader.assume(`${tokens} tokens, as written, although ${quote(model.id)} was trained on up to ${maxPositions}.`)
    return
  }
  reader.refuse(
    field,
    'sequence-too-long',
    `${tokens} tokens are more than the ${positionLimit} positions of ${quote(model.id)}`,
    `Write a length up to ${positionLimit}, or use a model with more positions.`,
  )
}

function tellTooShort(reader: FieldReader, field: Field): void {
  const message = `${plain(field.source)} is not a length of sound: fewer than ${LEAST_SAMPLES} samples make no frame`
  reader.refuse(field, 'out-of-range', message, `Write samples: ${SAMPLES_PER_SECOND} are a second.`)
}

function assumedLength(
  reader: FieldReader,
  limit: number,
  { tokens, isKnown = false }: UnwrittenLength,
  isOfSound: boolean,
): number {
  const length = Math.min(tokens, limit)
  if (!isKnown) reader.leavesLengthOpen = true
  reader.assume(
    isOfSound
      ? `Sound of ${length / SAMPLES_PER_SECOND} seconds, ${SAMPLES_PER_SECOND} samples each: the config sets no maximum length.`
      : `Sequences of ${length} tokens: the config sets no maximum length.`,
  )
  return reader.note('sequenceLength', length, 'assumed')
}

/** The classes of the head; `known` is what the config implies without the field. Language models ignore the number. */
export function readLabels(
  reader: FieldReader,
  written: Field | undefined,
  task: Task | undefined,
  known?: number,
): number {
  const field = reader.fieldFor('labels', written)
  const labels = reader.wholeNumber(field, { max: MAX_LABELS }) ?? known
  if (labels !== undefined) return labels
  switch (task) {
    case 'sequence-classification':
    case 'audio-classification':
    case 'token-classification':
      reader.assume('Two labels: the config sets no number of labels.')
      return 2
    case 'image-classification':
      reader.assume('1,000 labels, as in ImageNet: the config sets no number of labels.')
      return IMAGENET_LABELS
    case 'object-detection':
      reader.assume('80 classes, as in COCO: the config sets no number of labels.')
      return COCO_LABELS
    case 'question-answering':
    case 'sentence-similarity':
    case 'masked-lm':
    case 'causal-lm':
    case 'seq2seq-lm':
    case 'ctc':
    case undefined:
      return 2
  }
}
