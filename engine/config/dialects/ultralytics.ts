/** Ultralytics' YOLO, as of 8.4: cfg/default.yaml, engine/trainer.py. */
import { KIB } from '../../base/units.ts'
import { findModel } from '../../models/catalogue.ts'
import { PIXEL_STRIDE, pixelsAnswering } from '../../models/vision/yolo-versions.ts'
import { MAX_BATCH } from '../../training/batch-size.ts'
import type { Optimizer, Precision } from '../../training/choices.ts'
import { ASSUMED_OBJECTS, type TrainedPart, type TrainingSpec } from '../../training/spec.ts'
import type { Dialect } from '../dialect.ts'
import type { FieldReader } from '../fields/fields.ts'
import { refuseOtherDevices } from '../fields/gpus.ts'
import { type ModelLookup, readModel } from '../fields/model-fields.ts'
import { orInSettings } from '../fields/supplied.ts'
import { stepInPytorch, trainingConfig } from '../fields/training-config.ts'
import type { Reading } from '../reading.ts'
import { quote } from '../text/quote.ts'
import type { Field, Section } from '../text/section.ts'
import { writesAny } from '../text/written-keys.ts'
import { readClasses } from './ultralytics/classes.ts'

const ownKeys = ['imgsz', 'batch', 'epochs', 'close_mosaic', 'mosaic', 'patience', 'lrf', 'optimizer', 'data']
const writesSize = writesAny(['imgsz'])
const writesBatch = writesAny(['batch', 'epochs'])

export const ultralytics: Dialect = {
  name: 'Ultralytics',
  mayBe: text => writesSize(text) && writesBatch(text),
  recognise: document => {
    const found = ownKeys.filter(key => document.fields.has(key))
    const trains = document.at('mode') === undefined || document.at('mode')?.source === 'train'
    const isOurs = document.at('imgsz') !== undefined && (document.at('batch') ?? document.at('epochs')) !== undefined
    return isOurs && trains && found.length >= 3 ? found.join(', ') : undefined
  },
  modelField: document => catalogued(document.at('model')),
  read,
}

const MAX_PIXELS = 100_000

function read(document: Section, reader: FieldReader, lookUp: ModelLookup): Reading {
  const gpus = readGpus(reader, document.at('device'))
  const batchSize = document.at('batch')
  const batch = readBatch(reader, batchSize)
  const microBatch = batch === undefined ? undefined : Math.max(Math.floor(batch / gpus), 1)
  if (microBatch !== undefined) reader.note('microBatch', microBatch, batchSize ?? "Ultralytics' default")
  const gradientAccumulation = readAccumulation(reader, document.at('nbs'), batch)
  const amp = document.at('amp')
  const isMixed = amp === undefined || reader.flag(amp) === true
  const settings = {
    gpus,
    precision: reader.note<Precision>('precision', isMixed ? 'amp-fp16' : 'fp32', amp ?? "Ultralytics' default"),
    optimizer: readOptimizer(reader, document.at('optimizer')),
    ...readFrozen(reader, document.at('freeze')),
  }
  const model = readDetector(reader, document, lookUp)
  const task = model?.defaultTask
  const imageSize = readImageSize(reader, document, task === 'image-classification' ? 224 : 640)
  const labels = readClasses(reader, document, model)
  if (task === 'object-detection') assumeObjects(reader, imageSize, labels)
  return trainingConfig(reader, {
    dialect: ultralytics.name,
    model,
    spec: {
      ...stepInPytorch,
      loop: 'ultralytics',
      task,
      microBatch,
      gradientAccumulation,
      imageSize,
      labels,
      ...settings,
      attention: 'sdpa',
      gradientCheckpointing: false,
      paddedBatches: false,
    },
    // With several GPUs the number that stands there is not that of one.
    batchSize: gpus === 1 ? batchSize : undefined,
    accumulation: undefined,
  })
}

/** `yolo11n.pt`, `weights/yolo11n.yaml` and `yolo11n` → the model of that name; undefined where none is known. */
function catalogued(field: Field | undefined): Field | undefined {
  if (field?.value.kind !== 'text') return undefined
  const [, name = '', extension] =
    /^(?:.*[/\\])?(yolo[\w-]+?)(?:-oiv7)?(\.pt|\.ya?ml)?$/i.exec(field.value.text.trim()) ?? []
  // nn/tasks.py parse_model: an architecture without a size is of the smallest. Weights always have one.
  const model =
    findModel(`ultralytics/${name}`) ??
    (extension === '.pt' ? undefined : findModel(`ultralytics/${name.replace(/^yolo(?:v8|\d+)/i, '$&n')}`))
  return model && { ...field, value: { kind: 'text', text: model.id } }
}

function readDetector(reader: FieldReader, document: Section, lookUp: ModelLookup) {
  const written = document.at('model')
  const known = catalogued(written)
  if (reader.supplies('model') || known !== undefined) return readModel(reader, known, 'model', lookUp)
  const supply = `Exclude this config for now, ${orInSettings('model')} with a model of the same size, such as ultralytics/yolo11n.`
  if (written === undefined)
    return reader.refuse(undefined, 'model-not-in-file', 'The model cannot be determined from the file', supply)
  const name = reader.text(written)
  if (name === undefined) return undefined
  const message = `The model ${quote(name)} ${unknownBecause(name)}`
  return reader.refuse(written, 'unknown-model', message, supply)
}

function unknownBecause(name: string): string {
  if (/(?:^|[/\\])(?:best|last|epoch\d+)\.pt$/i.test(name))
    return 'is the result of an earlier run, and its name does not say its shape'
  if (/^(?:yolo|rtdetr|sam|fastsam|mobilesam)/i.test(name.replace(/^.*[/\\]/, '')))
    return 'is an Ultralytics model that is not modelled yet'
  return 'has a name that does not say its shape'
}

/** engine/trainer.py: `device` names the GPUs that DDP runs on; utils/torch_utils.py select_device takes -1 for one that is idle. */
function readGpus(reader: FieldReader, field: Field | undefined): number {
  if (field === undefined) {
    reader.note('gpus', 1, "Ultralytics' default")
    return 1
  }
  refuseOtherDevices(reader, field)
  const { value } = field
  const listed = value.kind === 'list' ? value.items.length : value.kind === 'text' ? devicesIn(value.text) : 1
  return reader.note('gpus', Math.max(listed, 1), field)
}

function devicesIn(text: string): number {
  return text.split(',').filter(part => part.trim() !== '').length
}

/** `batch` counts the images of all GPUs. -1 and shares of the memory let Ultralytics look for one itself (utils/autobatch.py). */
function readBatch(reader: FieldReader, field: Field | undefined): number | undefined {
  const { value } = field ?? {}
  if (field !== undefined && value?.kind === 'number' && value.number < 1) {
    const message = `The batch size cannot be determined from the file: ${field.source} lets Ultralytics choose one`
    return reader.refuse(field, 'not-in-file', message, 'Write the value into the config if you want it checked.')
  }
  return field === undefined ? DEFAULT_BATCH : reader.wholeNumber(field, { max: MAX_BATCH })
}

const DEFAULT_BATCH = 16
const NOMINAL_BATCH = 64

/** engine/trainer.py: so many batches as come to the nominal batch, `nbs`, are accumulated; without being told. */
function readAccumulation(reader: FieldReader, field: Field | undefined, batch: number | undefined): number {
  const nominal = reader.wholeNumber(field, { max: MAX_BATCH }) ?? NOMINAL_BATCH
  if (batch === undefined) return 1
  const steps = Math.max(roundedToEven(nominal / batch), 1)
  return reader.note('gradientAccumulation', steps, field ?? 'accumulated up to nbs, 64 by default')
}

/** As Python rounds. */
function roundedToEven(number: number): number {
  const floor = Math.floor(number)
  if (number - floor !== 0.5) return Math.round(number)
  return floor % 2 === 0 ? floor : floor + 1
}

/**
 * utils/checks.py check_imgsz: up to a multiple of the stride; of a list the longer side. `usual`: where nothing is set, which
 * models/yolo/classify/train.py has of its own.
 */
function readImageSize(reader: FieldReader, document: Section, usual: number): number {
  const field = reader.fieldFor('image_size', document.at('imgsz'))
  const sides = field?.value.kind === 'list' ? field.value.items : undefined
  const longest = sides?.reduce((most, side) => Math.max(most, side.kind === 'number' ? side.number : Number.NaN), 0)
  const isListed = field !== undefined && longest !== undefined && Number.isInteger(longest)
  const shown: Field | undefined = isListed ? { ...field, value: { kind: 'number', number: longest } } : field
  const pixels = reader.wholeNumber(shown, { max: MAX_PIXELS }) ?? usual
  const largest = ceilToStride(pixels) + growthOf(reader, document.at('multi_scale'), pixels)
  const square = ceilToStride(largest)
  if (square !== pixels) reader.assume(`Images of ${square}×${square} pixels${growthReason(square, pixels)}.`)
  return reader.note('imageSize', square, field ?? "Ultralytics' default")
}

function growthReason(square: number, pixels: number): string {
  return square > ceilToStride(pixels)
    ? ', the largest size that multi_scale picks'
    : `: ${pixels} is not a multiple of ${PIXEL_STRIDE}`
}

/** models/yolo/detect/train.py: sizes are drawn up to so much beyond; a half, before 8.4 made it a number. */
function growthOf(reader: FieldReader, field: Field | undefined, pixels: number): number {
  if (field === undefined) return 0
  if (field.value.kind === 'flag') return field.value.flag ? pixels / 2 : 0
  return (reader.share(field) ?? 0) * pixels
}

function ceilToStride(pixels: number): number {
  return Math.ceil(pixels / PIXEL_STRIDE) * PIXEL_STRIDE
}

/** engine/trainer.py build_optimizer. What it calls MuSGD, Adamax, NAdam and RAdam holds as much as Adam; RMSProp has momentum. */
const optimizers: ReadonlyMap<string, Optimizer> = new Map<string, Optimizer>([
  ['sgd', 'sgd-momentum'],
  ...['auto', 'adam', 'adamax', 'adamw', 'nadam', 'radam', 'rmsprop', 'musgd'].map(name => [name, 'adamw'] as const),
])

function readOptimizer(reader: FieldReader, field: Field | undefined): Optimizer {
  const name = field?.value.kind === 'text' ? field.value.text.trim().toLowerCase() : 'auto'
  if (name === 'auto') {
    reader.assume(
      "The optimizer state is AdamW's: Ultralytics' auto uses AdamW for short runs and MuSGD for long ones.",
    )
  }
  const known = optimizers.get(name)
  if (known !== undefined) return reader.note('optimizer', known, field ?? "Ultralytics' default, auto")
  const fix = 'Use SGD, MuSGD, Adam, Adamax, AdamW, NAdam, RAdam, RMSProp or auto.'
  reader.refuse(field, 'unsupported-optimizer', `Ultralytics has no optimizer ${quote(name)}`, fix)
  return 'adamw'
}

/** engine/trainer.py: the first so many layers, or those of a list, get no gradients. */
function readFrozen(reader: FieldReader, field: Field | undefined): Pick<TrainingSpec, 'trainable'> {
  if (field === undefined) return {}
  const listed = field.value.kind === 'list' ? field.value.items : undefined
  const frozen = listed?.flatMap(item => (item.kind === 'number' ? [item.number] : [])) ?? countedUp(reader, field)
  if (frozen.length === 0) return {}
  const trainable: TrainedPart = { names: [allBut(frozen)], inputGradients: false, keepsType: true }
  return { trainable: reader.note('trainable', trainable, field) }
}

function countedUp(reader: FieldReader, field: Field): number[] {
  return Array.from({ length: reader.wholeNumber(field, { min: 0, max: 1_000 }) ?? 0 }, (_, index) => index)
}

/** More than any of its models has. */
const MAX_LAYERS = 45

/** A pattern of the parameters outside of these layers. */
function allBut(layers: readonly number[]): string {
  const others = Array.from({ length: MAX_LAYERS }, (_, index) => index).filter(index => !layers.includes(index))
  return `model\\.(?:${others.join('|')})\\.`
}

function assumeObjects(reader: FieldReader, imageSize: number, classes: number): void {
  const each = Math.round((bytesPerPair(ASSUMED_OBJECTS, classes) * pixelsAnswering(imageSize)) / KIB)
  reader.assume(
    `Up to ${ASSUMED_OBJECTS} objects per image, including mosaics of four: the config does not say. Each additional object in the fullest image of a batch adds ${each} KiB for every image.`,
  )
}

/** estimate/objectives/detection-loss.ts: the peak is where pixels are compared with boxes, or, with more classes, where those are told. */
function bytesPerPair(objects: number, classes: number): number {
  return 20 * objects > 21 * classes ? 32 : 12
}
