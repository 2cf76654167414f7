/** LitGPT, as of 0.5.13: litgpt/finetune/*.py, litgpt/args.py and config_hub. Its models, adapters and losses are its own. */
import type { CatalogueModel } from '../../models/catalogue.ts'
import { litgptConfigOf } from '../../models/litgpt.ts'
import { MAX_BATCH } from '../../training/batch-size.ts'
import type { Precision } from '../../training/choices.ts'
import type { Dialect } from '../dialect.ts'
import type { Choices, FieldReader } from '../fields/fields.ts'
import { readGpus } from '../fields/gpus.ts'
import { type ModelLookup, readModel } from '../fields/model-fields.ts'
import { leaveOut } from '../fields/supplied.ts'
import type { Reading } from '../reading.ts'
import { quote } from '../text/quote.ts'
import type { Field, Section } from '../text/section.ts'
import { writesAny } from '../text/written-keys.ts'
import { type Batch, languageModelReading } from '../trainer/language-model.ts'
import { readAdapter, readQuantization } from './litgpt/adapters.ts'
import { COMMAND, readMethod } from './litgpt/method.ts'
import { readOptimizer } from './litgpt/optimizer.ts'

const places = ['checkpoint_dir', 'initial_checkpoint_dir', 'tokenizer_dir'] as const
const writesBatch = writesAny(['micro_batch_size', 'global_batch_size'])
const writesPlace = writesAny(places)

export const litgpt: Dialect = {
  name: 'LitGPT',
  mayBe: text => writesBatch(text) && writesPlace(text),
  recognise: document => {
    if (document.at(COMMAND) !== undefined) return 'a command of LitGPT'
    const place = places.find(key => document.at(key) !== undefined)
    const batch = ['global_batch_size', 'micro_batch_size'].filter(key => document.at('train', key) !== undefined)
    // Others keep checkpoints in a folder of that name too.
    const isTools = batch.length === 2 || document.fields.has('lora_r')
    return place === undefined || batch.length === 0 || !isTools ? undefined : `${place} beside train.${batch[0]}`
  },
  modelField: document => checkpointName(document.field('checkpoint_dir')),
  // Scaling, and the length of what is generated between steps.
  withoutBearing: /^(?:lora_alpha|data(?:\.|$)|eval\.)/,
  read,
}

/** `checkpoints/meta-llama/Llama-3.2-1B`: where `litgpt download` puts the model of that name. */
function checkpointName(field: Field | undefined): Field | undefined {
  if (field?.value.kind !== 'text') return field
  const text = field.value.text.replace(/^.*(?:^|\/)checkpoints\//, '').replace(/\/$/, '')
  return { ...field, value: { kind: 'text', text } }
}

function read(document: Section, reader: FieldReader, lookUp: ModelLookup): Reading {
  const method = readMethod(reader, document)
  if (method === undefined) return { kind: 'unreadable', problems: reader.problems }
  const model = readModel(reader, checkpointName(document.field('checkpoint_dir')), 'checkpoint_dir', lookUp)
  refuseUnknownModel(reader, document.at('checkpoint_dir'), model)
  const gpus = readDevices(reader, document)
  const precision = readPrecision(reader, document.at('precision'))
  const quantization = readQuantization(reader, document.at('quantize'), { method, precision })
  return languageModelReading(reader, {
    dialect: litgpt.name,
    model,
    batch: readBatch(reader, document, gpus),
    sequence: {
      field: document.at('train', 'max_seq_length'),
      byDefault: {
        value: 1_024,
        source: 'assumed',
        assumption:
          'Sequences of up to 1,024 tokens: train.max_seq_length is not set, so the real length depends on the longest sample.',
      },
    },
    settings: {
      gpus,
      precision,
      quantization,
      optimizer: readOptimizer(reader, document.at('optimizer'), quantization !== undefined),
      attention: reader.note('attention', 'sdpa', "LitGPT's only kernel"),
      lora: method === 'lora' ? readAdapter(reader, document, model) : undefined,
      // finetune/*.py: only what several GPUs share is checkpointed.
      gradientCheckpointing: reader.note('gradientCheckpointing', false, 'never on one GPU'),
      paddedBatches: reader.note('paddedBatches', false, 'LitGPT passes no mask'),
      modelCode: reader.note('modelCode', 'litgpt', "LitGPT's own"),
    },
    loop: 'plain',
  })
}

function refuseUnknownModel(reader: FieldReader, field: Field | undefined, model: CatalogueModel | undefined): void {
  // Whether there is a window LitGPT and the checkpoint's config.json say differently.
  const isKnown =
    model !== undefined && litgptConfigOf(model.config) !== undefined && !/mathstral|phi-3\.5/i.test(model.id)
  if (model === undefined || isKnown) return
  const message = `LitGPT's own ${quote(model.id)} is not modelled yet`
  reader.refuse(field, 'unsupported-model', message, leaveOut)
}

/** utils.py parse_devices: a number, also as text, or `auto` for all that the machine has. */
function readDevices(reader: FieldReader, document: Section): number {
  const field = document.at('devices')
  const isAuto = field?.value.kind === 'text' && field.value.text === 'auto'
  const nodes = reader.wholeNumber(document.at('num_nodes'), { max: 10_000 }) ?? 1
  if (field === undefined && !reader.supplies('gpus') && nodes === 1) {
    return reader.note('gpus', 1, "LitGPT's default")
  }
  const gpus = nodes * readGpus(reader, isAuto ? undefined : field)
  if (gpus > 1) {
    const message = 'How LitGPT divides its models among several GPUs is not modelled yet'
    reader.refuse(field ?? document.at('num_nodes'), 'unsupported-setting', message, leaveOut)
  }
  return gpus
}

/** args.py TrainArgs: micro-steps are what whole micro-batches of its share of the global batch make. */
function readBatch(reader: FieldReader, document: Section, gpus: number): Batch {
  const count = (field: Field) => reader.wholeNumber(field, { max: MAX_BATCH })
  const [batchSize, globalField] = [document.at('train', 'micro_batch_size'), document.at('train', 'global_batch_size')]
  const microBatch = reader.settle('microBatch', batchSize, count, {
    value: 1,
    source: "LitGPT's default",
    assumption: "A batch size of 1, LitGPT's default: train.micro_batch_size is not set.",
  })
  const global = globalField === undefined ? 16 : (reader.wholeNumber(globalField, { max: MAX_BATCH }) ?? microBatch)
  const gradientAccumulation = Math.floor(Math.floor(global / gpus) / microBatch)
  if (gradientAccumulation < 1 && reader.problems.length === 0) {
    const message = `A global batch of ${global} is less than micro-batches of ${microBatch} on ${gpus === 1 ? 'one GPU' : `${gpus} GPUs`}`
    reader.refuse(globalField ?? batchSize, 'batch-mismatch', message, 'Raise train.global_batch_size.')
  }
  reader.note('gradientAccumulation', gradientAccumulation, globalField ?? "LitGPT's default global batch of 16")
  return { microBatch, gradientAccumulation: Math.max(1, gradientAccumulation), batchSize, accumulation: undefined }
}

const precisions: Choices<Precision> = new Map<string, Precision>([
  ['bf16-true', 'bf16'],
  ['bf16-mixed', 'amp-bf16'],
  ['16-mixed', 'amp-fp16'],
  ['32-true', 'fp32'],
])

/** utils.py get_default_supported_precision */
function readPrecision(reader: FieldReader, field: Field | undefined): Precision {
  return reader.settle('precision', field, present => reader.choice(present, precisions), {
    value: 'amp-bf16',
    source: "LitGPT's default",
    assumption: "Weights in fp32 with bf16 autocast, LitGPT's default: no precision is set.",
  })
}
