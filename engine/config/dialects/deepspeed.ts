/** DeepSpeed's own JSON, as of 0.17: runtime/config.py and runtime/constants.py. It says how to train, never what. */
import type { Dialect } from '../dialect.ts'
import type { Choices, FieldReader } from '../fields.ts'
import { suggest } from '../fields.ts'
import { quote } from '../quote.ts'
import type { Reading } from '../reading.ts'
import type { Field, Section } from '../section.ts'
import { MAX_BATCH, type Optimizer } from '../spec.ts'
import { shardedBy } from '../trainer/sharding.ts'
import { writesAny } from '../written-keys.ts'

const batchKeys = ['train_batch_size', 'train_micro_batch_size_per_gpu', 'gradient_accumulation_steps'] as const
/** One of them beside a batch key makes it DeepSpeed's. */
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

function read(document: Section, reader: FieldReader): Reading {
  const [total, micro, accumulation] = batchKeys.map(key => document.at(key))
  if ([total, micro].every(field => field === undefined || isAuto(field))) {
    return {
      kind: 'not-a-training-config',
      why: 'It leaves its batch size to the training arguments ("auto"), so those are what is checked.',
    }
  }
  readBatch(reader, { total, micro, accumulation })
  readPrecision(reader, document)
  readOptimizer(reader, document)
  shardedBy(reader, document)
  reader.refuse(
    undefined,
    'model-not-in-file',
    'The model and its sequence length cannot be known from the file: a DeepSpeed config never names them',
    'Add a memorymark mapping with model, batch_size and sequence_length to a config of your own, or check the file that names the model.',
  )
  return { kind: 'unreadable', problems: reader.problems }
}

interface BatchFields {
  readonly total: Field | undefined
  readonly micro: Field | undefined
  readonly accumulation: Field | undefined
}

/** train_batch_size = micro-batch × accumulation × GPUs; what is missing follows from the rest. */
function readBatch(reader: FieldReader, { total, micro, accumulation }: BatchFields): void {
  const count = (field: Field | undefined) =>
    field === undefined || isAuto(field) ? undefined : reader.wholeNumber(field, { max: MAX_BATCH })
  const [samples, each, steps] = [count(total), count(micro), count(accumulation)]
  if (each !== undefined && micro !== undefined) reader.note('microBatch', each, micro)
  if (steps !== undefined && accumulation !== undefined) reader.note('gradientAccumulation', steps, accumulation)
  if (samples === undefined || total === undefined) return
  if (each === undefined) {
    const source = `train_batch_size ${samples} over ${steps ?? 1} steps of accumulation on one GPU`
    reader.note('microBatch', Math.max(1, Math.floor(samples / (steps ?? 1))), source)
    return
  }
  const gpus = samples / (each * (steps ?? 1))
  if (Number.isInteger(gpus)) {
    reader.note('gpus', gpus, steps === undefined ? 'train_batch_size, if nothing accumulates' : total)
    return
  }
  reader.refuse(
    total,
    'batch-sizes-disagree',
    `train_batch_size ${samples} is no multiple of ${each} samples a GPU × ${steps ?? 1} steps of accumulation`,
    'Make train_batch_size the product of the micro-batch, the accumulation and the number of GPUs, or leave one of them out.',
  )
}

function isAuto({ value }: Field): boolean {
  return value.kind === 'text' && value.text === 'auto'
}

/** runtime/engine.py: 16-bit weights beside 32-bit masters, whichever of the two is on. */
function readPrecision(reader: FieldReader, document: Section): void {
  const switches = [document.at('bf16', 'enabled'), document.at('fp16', 'enabled')]
  const on = switches.find(field => field?.value.kind === 'flag' && field.value.flag)
  if (on !== undefined) reader.note('precision', 'bf16-master', on)
  else if (!switches.some(field => field !== undefined && isAuto(field))) {
    reader.note('precision', 'fp32', "DeepSpeed's default")
  }
}

/** runtime/engine.py _configure_basic_optimizer: Adam and AdamW become FusedAdam, or DeepSpeedCPUAdam when offloaded. */
const optimizers: Choices<Optimizer> = new Map<string, Optimizer>([
  ['adam', 'adamw-fused'],
  ['adamw', 'adamw-fused'],
  ['lion', 'lion'],
  ['sgd', 'sgd'],
])

function readOptimizer(reader: FieldReader, document: Section): void {
  const field = document.at('optimizer', 'type')
  const name = field?.value.kind === 'text' ? field.value.text : undefined
  if (field === undefined || name === undefined) return
  const optimizer = optimizers.get(name.toLowerCase())
  if (optimizer !== undefined) reader.note('optimizer', optimizer, field)
  else {
    const message = `The optimizer ${quote(name)} is not supported yet`
    reader.refuse(field, 'unsupported-optimizer', message, suggest(name, ['Adam', 'AdamW', 'Lion', 'SGD']))
  }
}
