/** Ultralytics' YOLO, as of 8.3: cfg/default.yaml. Its models are not modelled yet, which is what a reader is told. */
import type { Dialect } from '../dialect.ts'
import type { FieldReader } from '../fields.ts'
import { quote } from '../quote.ts'
import type { Reading } from '../reading.ts'
import type { Section } from '../section.ts'
import { MAX_BATCH } from '../spec.ts'
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

function read(document: Section, reader: FieldReader): Reading {
  readBatch(reader, document)
  const imageSize = document.at('imgsz')
  const pixels = reader.wholeNumber(imageSize, { max: 100_000 })
  if (pixels !== undefined && imageSize !== undefined) reader.note('imageSize', pixels, imageSize)
  const amp = document.at('amp')
  const isMixed = amp === undefined || reader.flag(amp) === true
  reader.note('precision', isMixed ? 'amp-fp16' : 'fp32', amp ?? "Ultralytics' default")
  const model = document.at('model')
  reader.refuse(
    model,
    model === undefined ? 'model-not-in-file' : 'unknown-model',
    model === undefined
      ? 'The model cannot be known from the file'
      : `The model ${quote(model.source)} is one of Ultralytics', and those are not modelled yet`,
    'Leave this config out of the check for now.',
  )
  return { kind: 'unreadable', problems: reader.problems }
}

/** -1 and shares of the memory let Ultralytics look for a batch size itself (utils/autobatch.py). */
function readBatch(reader: FieldReader, document: Section): void {
  const field = document.at('batch')
  const { value } = field ?? {}
  if (field !== undefined && value?.kind === 'number' && value.number < 1) {
    const message = `The batch size cannot be known from the file: ${field.source} lets Ultralytics look for one`
    reader.refuse(field, 'not-in-file', message, 'Write the value into the config if it should be checked.')
    return
  }
  reader.settle('microBatch', field, present => reader.wholeNumber(present, { max: MAX_BATCH }), {
    value: 16,
    source: "Ultralytics' default",
  })
}
