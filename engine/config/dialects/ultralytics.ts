/** Ultralytics' YOLO, as of 8.3: cfg/default.yaml. Its models are not modelled yet, which is what a reader is told. */
import type { Dialect } from '../dialect.ts'
import type { FieldReader } from '../fields.ts'
import type { ModelLookup } from '../model-fields.ts'
import { quote } from '../quote.ts'
import type { Reading } from '../reading.ts'
import type { Field, Section } from '../section.ts'
import { MAX_BATCH, type Optimizer, type Precision } from '../spec.ts'
import { orInSettings } from '../supplied.ts'
import { suppliedModelReading } from '../supplied-model.ts'
import { writesAny } from '../written-keys.ts'

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
  modelField: () => undefined,
  read,
}

function read(document: Section, reader: FieldReader, lookUp: ModelLookup): Reading {
  const microBatch = readBatch(reader, document)
  const imageSize = document.at('imgsz')
  const amp = document.at('amp')
  const isMixed = amp === undefined || reader.flag(amp) === true
  const precision = reader.note<Precision>('precision', isMixed ? 'amp-fp16' : 'fp32', amp ?? "Ultralytics' default")
  if (reader.supplies('model')) {
    return suppliedModelReading(reader, lookUp, {
      dialect: ultralytics.name,
      microBatch,
      batchSize: document.at('batch'),
      gradientAccumulation: 1,
      accumulation: undefined,
      sequenceLength: undefined,
      imageSize,
      labels: undefined,
      precision,
      optimizer: readOptimizer(reader, document.at('optimizer')),
    })
  }
  const pixels = reader.wholeNumber(imageSize, { max: 100_000 })
  if (pixels !== undefined && imageSize !== undefined) reader.note('imageSize', pixels, imageSize)
  refuseModel(reader, document.at('model'))
  return { kind: 'unreadable', problems: reader.problems }
}

function refuseModel(reader: FieldReader, model: Field | undefined): void {
  const supply = `Leave this config out of the check for now, ${orInSettings('model')} with a model of the same size.`
  if (model === undefined) {
    reader.refuse(undefined, 'model-not-in-file', 'The model cannot be known from the file', supply)
    return
  }
  const message = `The model ${quote(model.source)} is one of Ultralytics', and those are not modelled yet`
  reader.refuse(model, 'unknown-model', message, supply)
}

/** engine/trainer.py build_optimizer: `auto` is SGD for long runs and AdamW for short ones; the latter holds more. */
function readOptimizer(reader: FieldReader, field: Field | undefined): Optimizer {
  const isMomentum = field?.value.kind === 'text' && /^(SGD|RMSProp|MuSGD)$/i.test(field.value.text)
  return reader.note('optimizer', isMomentum ? 'sgd-momentum' : 'adamw', field ?? "Ultralytics' default, auto")
}

/** -1 and shares of the memory let Ultralytics look for a batch size itself (utils/autobatch.py). */
function readBatch(reader: FieldReader, document: Section): number | undefined {
  const field = document.at('batch')
  const { value } = field ?? {}
  if (field !== undefined && value?.kind === 'number' && value.number < 1) {
    const message = `The batch size cannot be known from the file: ${field.source} lets Ultralytics look for one`
    return reader.refuse(field, 'not-in-file', message, 'Write the value into the config if it should be checked.')
  }
  return reader.settle('microBatch', field, present => reader.wholeNumber(present, { max: MAX_BATCH }), {
    value: 16,
    source: "Ultralytics' default",
  })
}
