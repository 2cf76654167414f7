/** DeepSpeed's own JSON, as of 0.17: runtime/config.py and runtime/constants.py. It says how to train, but never what. */

import { MAX_BATCH } from '../../training/batch-size.ts'
import type { Optimizer, Precision, Sharding } from '../../training/choices.ts'
import type { Dialect } from '../dialect.ts'
import { type FieldReader, suggest } from '../fields/fields.ts'
import { readGpus } from '../fields/gpus.ts'
import { type ModelLookup, readModel } from '../fields/model-fields.ts'
import { addModel } from '../fields/supplied.ts'
import type { Reading } from '../reading.ts'
import { quote } from '../text/quote.ts'
import type { Field, Section } from '../text/section.ts'
import { writesAny } from '../text/written-keys.ts'
import { type ComputedIn, inFloat16 } from '../trainer/autocast.ts'
import { type Batch, languageModelReading } from '../trainer/language-model.ts'
import { shardedBy } from '../trainer/sharding.ts'

const batchKeys = ['train_batch_size', 'train_micro_batch_size_per_gpu', 'gradient_accumulation_steps'] as const
/** Together with a batch key, any of these identifies a DeepSpeed config. */
const ownKeys = [
  'zero_optimization',
  'fp16',
  'bf16',
  'optimizer',
  'steps_per_print',
  'wall_clock_breakdown',
  'zero_allow_untested_optimizer',
]

const writesBatch = writesAny(['train_batch_size', 'train_micro_batch_size_per_gpu'])
const writesOwn = writesAny(ownKeys)

export const deepspeed: Dialect = {
  name: 'DeepSpeed',
  mayBe: text => writesBatch(text) && writesOwn(text),
  recognise: document => {
    const batch = batchKeys.filter(key => document.at(key) !== undefined)
    const isMapping = (key: string) => document.at(key)?.value.kind === 'mapping'
    const found = ownKeys.filter(key => document.at(key) !== undefined)
    const isOurs = ['zero_optimization', 'fp16', 'bf16', 'optimizer'].some(isMapping)
    const hasBatch = batch.some(key => key !== 'gradient_accumulation_steps')
    return hasBatch && isOurs ? `${batch.join(', ')} beside ${found.join(', ')}` : undefined
  },
  modelField: () => undefined,
  read,
}

function read(document: Section, reader: FieldReader, lookUp: ModelLookup): Reading {
  const [total, micro, accumulation] = batchKeys.map(key => document.at(key))
  if ([total, micro].every(field => field === undefined || isAuto(field))) {
    return {
      kind: 'not-a-training-config',
      why: 'It leaves its batch size to the training arguments ("auto"), so MemoryMark checks those instead.',
    }
  }
  const sharded = shardedBy(reader, document)
  const batch = readBatch(reader, { total, micro, accumulation }, sharded.sharding)
  const isWholeOrFaulty = reader.supplies('model') || reader.problems.length > 0
  const model = reader.supplies('model')
    ? readModel(reader, undefined, 'the model in a memorymark mapping', lookUp)
    : undefined
  reader.assume(
    'No adapters and no gradient checkpointing: that is up to the training code, and the config does not say.',
  )
  const reading = languageModelReading(reader, {
    dialect: deepspeed.name,
    model,
    batch,
    sequence: { field: undefined, byDefault: { value: 512, source: 'assumed' } },
    settings: {
      gpus: batch.gpus,
      ...readPrecision(reader, document),
      optimizer: readOptimizer(reader, document),
      attention: 'sdpa',
      gradientCheckpointing: false,
      lora: undefined,
      quantization: undefined,
      ...sharded,
      fusedLoss: undefined,
      paddedBatches: false,
    },
  })
  return isWholeOrFaulty ? reading : { kind: 'not-a-training-config', why: partOnly }
}

const partOnly = `It is DeepSpeed's part of a training, and names no model: that is for the script that loads it to say. ${addModel}`

interface BatchFields {
  readonly total: Field | undefined
  readonly micro: Field | undefined
  readonly accumulation: Field | undefined
}

/** train_batch_size = micro-batch × accumulation × GPUs; what is missing follows from the rest. */
function readBatch(
  reader: FieldReader,
  { total, micro, accumulation }: BatchFields,
  sharding: Sharding | undefined,
): Batch & { readonly gpus: number } {
  const count = (field: Field | undefined) =>
    field === undefined || isAuto(field) ? undefined : reader.wholeNumber(field, { max: MAX_BATCH })
  const [samples, each, steps] = [count(total), count(micro), count(accumulation)]
  const gradientAccumulation = steps ?? 1
  if (steps !== undefined && accumulation !== undefined) reader.note('gradientAccumulation', steps, accumulation)
  const fields = {
    batchSize: each === undefined ? undefined : micro,
    accumulation: steps === undefined ? undefined : accumulation,
  }
  if (each !== undefined && micro !== undefined) {
    reader.note('microBatch', each, micro)
    const gpus = gpusIn(reader, { total, samples, each: each * gradientAccumulation, sharding })
    return { microBatch: each, gradientAccumulation, gpus, ...fields }
  }
  const gpus = readGpus(reader, undefined, sharding)
  const microBatch = Math.max(1, Math.floor((samples ?? 1) / gradientAccumulation / gpus))
  reader.note('microBatch', microBatch, 'train_batch_size over the accumulation and the GPUs')
  return { microBatch, gradientAccumulation, gpus, ...fields }
}

function gpusIn(
  reader: FieldReader,
  {
    total,
    samples,
    each,
    sharding,
  }: { total: Field | undefined; samples: number | undefined; each: number; sharding: Sharding | undefined },
): number {
  if (total === undefined || samples === undefined) {
    return readGpus(reader, undefined, sharding)
  }
  const gpus = samples / each
  if (Number.isInteger(gpus)) return reader.note('gpus', gpus, total)
  reader.refuse(
    total,
    'batch-sizes-disagree',
    `train_batch_size ${samples} is not a multiple of the ${each} samples that one GPU accumulates`,
    'Make it the product of micro-batch, accumulation and number of GPUs, or omit one of them.',
  )
  return 1
}

function isAuto({ value }: Field): boolean {
  return value.kind === 'text' && value.text === 'auto'
}

/** runtime/engine.py: weights in the 16 bits of the switch that is on, beside 32-bit masters. */
function readPrecision(reader: FieldReader, document: Section): ComputedIn {
  const inType = (precision: Precision, from: Field | string) => ({
    precision: reader.note('precision', precision, from),
  })
  const fp16 = document.at('fp16', 'enabled')
  const switches = [document.at('bf16', 'enabled'), fp16]
  const on = switches.find(field => field?.value.kind === 'flag' && field.value.flag)
  if (on !== undefined) return inFloat16(reader, inType('bf16-master', on), on === fp16 ? on : undefined)
  const open = switches.find(field => field !== undefined && isAuto(field))
  if (open === undefined) return inType('fp32', "DeepSpeed's default")
  reader.assume('16-bit weights with 32-bit master weights: the config leaves the precision to the training arguments.')
  return inType('bf16-master', 'left to the training arguments')
}

/** runtime/engine.py _configure_basic_optimizer: Adam and AdamW become FusedAdam, or DeepSpeedCPUAdam when offloaded. */
const optimizers: ReadonlyMap<string, Optimizer> = new Map<string, Optimizer>([
  ['adam', 'adamw-fused'],
  ['adamw', 'adamw-fused'],
  // ops/lamb/fused_lamb.py: two moments, and a trust ratio computed on the way.
  ['lamb', 'adamw-fused'],
  ['lion', 'lion'],
  ['sgd', 'sgd'],
])

function readOptimizer(reader: FieldReader, document: Section): Optimizer {
  return reader.settle(
    'optimizer',
    document.at('optimizer', 'type'),
    field => {
      const name = reader.text(field)
      const optimizer = name === undefined ? undefined : optimizers.get(name.toLowerCase())
      if (optimizer !== undefined || name === undefined) return optimizer
      const message = `The optimizer ${quote(name)} is not supported yet`
      return reader.refuse(
        field,
        'unsupported-optimizer',
        message,
        suggest(name, ['Adam', 'AdamW', 'Lamb', 'Lion', 'SGD']),
      )
    },
    { value: 'adamw', source: 'in the training code', assumption: 'AdamW: the config sets no optimizer.' },
  )
}
