/** Lightning's command line, as of 2.5: `trainer`, `model` and `data`, each a class and its init_args (pytorch/cli.py). */

import { MAX_BATCH } from '../../training/batch-size.ts'
import type { Optimizer, Precision, Sharding } from '../../training/choices.ts'
import { lightningZero } from '../../training/zero-defaults.ts'
import type { Dialect } from '../dialect.ts'
import type { Choices, Default, FieldReader } from '../fields/fields.ts'
import { readGpus, refuseOtherDevices } from '../fields/gpus.ts'
import { type ModelLookup, readInputSize, readLabels, readModel, readUnwrittenTask } from '../fields/model-fields.ts'
import { orInSettings } from '../fields/supplied.ts'
import { stepInPytorch, trainingConfig } from '../fields/training-config.ts'
import type { Reading } from '../reading.ts'
import { quote } from '../text/quote.ts'
import type { Field, Section } from '../text/section.ts'
import { writesAny } from '../text/written-keys.ts'
import { type ComputedIn, inFloat16 } from '../trainer/autocast.ts'
import type { Sharded } from '../trainer/sharding.ts'

const trainerKeys = [
  'accumulate_grad_batches',
  'precision',
  'max_epochs',
  'max_steps',
  'devices',
  'accelerator',
  'strategy',
]
const writesTrainer = writesAny(['trainer'])
const writesParts = writesAny([
  'class_path',
  'init_args',
  'accumulate_grad_batches',
  'max_epochs',
  'max_steps',
  'precision',
])

export const lightning: Dialect = {
  name: 'Lightning CLI',
  mayBe: text => writesTrainer(text) && writesParts(text),
  recognise: file => {
    const document = fitIn(file)
    const found = trainerKeys.filter(key => document.at('trainer', key) !== undefined)
    const classes = ['model', 'data'].filter(part => document.at(part, 'class_path') ?? document.at(part, 'init_args'))
    const hasBatch = batchSizeOf(document) !== undefined
    if (document.at('trainer')?.value.kind !== 'mapping' || document.fields.has('defaults')) return undefined
    if (found.length === 0)
      return classes.length === 2 ? 'a trainer mapping beside the classes of model and data' : undefined
    if (classes.length === 0 && !hasBatch) return undefined
    return `a trainer mapping with ${found.join(', ')}, beside ${hasBatch ? 'a batch size' : 'a class_path'}`
  },
  modelField: file => modelField(fitIn(file)),
  namesClasses: () => true,
  classField: file => fitIn(file).at('model', 'class_path') ?? fitIn(file).at('model') ?? fitIn(file).at('trainer'),
  read: (file, reader, lookUp) => read(fitIn(file), reader, lookUp),
}

/** The settings of the subcommand `fit`: a file for several subcommands keeps them under that key. */
function fitIn(file: Section): Section {
  const fit = file.at('fit')?.value
  return fit?.kind === 'mapping' && fit.section.at('trainer') !== undefined ? fit.section : file
}

const batchKeys = [
  'batch_size',
  'train_batch_size',
  'per_device_batch_size',
  'micro_batch_size',
  'batch_size_per_device',
]

/** Under data or model, in init_args, dict_kwargs or plain. */
function inParts(document: Section, parts: readonly string[], keys: readonly string[]): Field | undefined {
  for (const part of parts) {
    for (const key of keys) {
      const found =
        document.at(part, 'init_args', key) ?? document.at(part, 'dict_kwargs', key) ?? document.at(part, key)
      if (found !== undefined) return found
    }
  }
  return undefined
}

function batchSizeOf(document: Section): Field | undefined {
  return inParts(document, ['data', 'model'], batchKeys) ?? inLoaders(document.at('data'))
}

/** Levels below `data` in which a data module keeps the settings of its loaders. */
const LOADER_LEVELS = 4
const otherLoader = /\.(val|valid|validation|eval|test|predict|inference)\w*(\.|$)/i

/** The training loader's, if the data module has one class or mapping per loader. */
function inLoaders(data: Field | undefined): Field | undefined {
  if (data?.value.kind !== 'mapping') return undefined
  const sections = data.value.section.nested(LOADER_LEVELS).filter(({ name }) => !otherLoader.test(name))
  return sections.flatMap(section => batchKeys.flatMap(key => section.at(key) ?? [])).find(isCount)
}

function isCount({ value }: Field): boolean {
  return value.kind === 'number' || value.kind === 'text'
}

const modelKeys = ['model_name_or_path', 'pretrained_model_name_or_path', 'model_name', 'model_id', 'pretrained']
/** May also name a part of another model (a U-Net's encoder), unless it is a Hub id. */
const partKeys = ['backbone', 'checkpoint']

function modelField(document: Section): Field | undefined {
  const field = inParts(document, ['model', 'data'], modelKeys)
  if (field?.value.kind === 'text') return field
  const part = inParts(document, ['model', 'data'], partKeys)
  return part?.value.kind === 'text' && part.value.text.includes('/') ? part : undefined
}

function read(document: Section, reader: FieldReader, lookUp: ModelLookup): Reading {
  const batchSize = batchSizeOf(document)
  const accumulation = document.at('trainer', 'accumulate_grad_batches')
  const count = (field: Field) => reader.wholeNumber(field, { max: MAX_BATCH })
  const microBatch = readMicroBatch(reader, document, batchSize)
  const gradientAccumulation = reader.settle('gradientAccumulation', accumulation, count, lightnings(1))
  const model =
    modelField(document) === undefined && !reader.supplies('model')
      ? refuseModel(reader, document)
      : readModel(reader, modelField(document), 'model.init_args.model_name_or_path', lookUp)
  const task = model && readUnwrittenTask(reader, model)
  const sequence = inParts(
    document,
    ['data', 'model'],
    ['max_seq_length', 'max_length', 'max_seq_len', 'sequence_length', 'block_size'],
  )
  const size = readInputSize(reader, model, {
    sequenceLength: sequence,
    imageSize: inParts(document, ['data', 'model'], ['image_size', 'img_size', 'input_size']),
  })
  refuseOtherDevices(reader, document.at('trainer', 'accelerator'))
  const sharded = readStrategy(reader, document.at('trainer', 'strategy'))
  const { sharding } = sharded
  const settings = {
    gpus: readDevices(reader, document, sharding),
    labels: readLabels(reader, inParts(document, ['model', 'data'], ['num_labels', 'num_classes']), task),
    ...readPrecision(reader, document.at('trainer', 'precision'), sharding),
    optimizer: readOptimizer(reader, document),
    attention: 'sdpa' as const,
    gradientCheckpointing: readCheckpointing(reader, document),
    ...sharded,
    ...(sharding?.startsWith('zero') && { zero: lightningZero }),
    ...(isText(document.at('ckpt_path')) && { resumes: true as const }),
  }
  const paddedBatches = task === 'sequence-classification'
  return trainingConfig(reader, {
    dialect: lightning.name,
    model,
    spec: {
      ...stepInPytorch,
      loop: 'lightning',
      task,
      microBatch,
      gradientAccumulation,
      ...size,
      ...settings,
      paddedBatches,
    },
    batchSize,
    accumulation,
    namesBatch: true,
  })
}

/** `fit`'s, whose checkpoint is read to the host (lightning 2.6 fabric/plugins/io/torch_io.py), also with `best`, `last` or `hpc`. */
function isText(field: Field | undefined): field is Field {
  return field?.value.kind === 'text' && field.value.text !== ''
}

function lightnings<T>(value: T): Default<T> {
  return { value, source: "Lightning's default" }
}

function readMicroBatch(reader: FieldReader, document: Section, field: Field | undefined): number | undefined {
  if (field === undefined) {
    const data = document.at('data', 'class_path')?.source ?? 'the data module'
    const message = `The batch size cannot be determined from the file: it is left to the default of ${quote(data)}`
    return reader.refuse(
      undefined,
      'batch-size-not-in-file',
      message,
      'Set data.init_args.batch_size in the config if you want it checked.',
    )
  }
  const count = reader.wholeNumber(field, { max: MAX_BATCH })
  return count === undefined ? undefined : reader.note('microBatch', count, field)
}

function refuseModel(reader: FieldReader, document: Section): undefined {
  const field = document.at('model', 'class_path') ?? document.at('model')
  const name = field?.value.kind === 'text' ? `: ${quote(field.value.text)} is a class in your code` : ''
  return reader.refuse(
    field,
    'model-not-in-file',
    `The model cannot be determined from the file${name}`,
    `Set model.init_args.model_name_or_path to its Hub id, ${orInSettings('model')}.`,
  )
}

/** trainer/connectors/accelerator_connector.py: `auto` and -1 take every GPU of the machine. */
function readDevices(reader: FieldReader, document: Section, sharding: Sharding | undefined): number {
  // `gpus` until 2.0.
  const devices = document.at('trainer', 'devices') ?? document.at('trainer', 'gpus')
  const nodes = document.at('trainer', 'num_nodes')
  const machines = nodes === undefined ? 1 : (reader.wholeNumber(nodes, { max: 10_000 }) ?? 1)
  const each = devicesIn(devices)
  if (each !== undefined && devices !== undefined) return reader.note('gpus', each * machines, devices)
  return readGpus(reader, undefined, sharding) * machines
}

function devicesIn(field: Field | undefined): number | undefined {
  const value = field?.value
  if (value?.kind === 'list') return Math.max(1, value.items.length)
  if (value?.kind === 'number' && value.number >= 1) return Math.floor(value.number)
  const text = value?.kind === 'text' ? value.text.trim() : ''
  // utilities: a single number is a count; with a comma, a list of device indices.
  if (/^\d{1,4}(,\s*\d{0,4}){1,64}$/.test(text)) return text.split(',').filter(index => index.trim() !== '').length
  return /^\d{1,4}$/.test(text) ? Math.max(1, Number(text)) : undefined
}

/** fabric/connector.py _PRECISION_INPUT, with the spellings of 1.x. */
const precisions: Choices<Precision> = new Map<string, Precision>([
  ['32', 'fp32'],
  ['32-true', 'fp32'],
  ['bf16', 'amp-bf16'],
  ['bf16-mixed', 'amp-bf16'],
  ['16', 'amp-fp16'],
  ['16-mixed', 'amp-fp16'],
  ['bf16-true', 'bf16'],
])

function readPrecision(reader: FieldReader, field: Field | undefined, sharding: Sharding | undefined): ComputedIn {
  const spelling =
    field?.value.kind === 'number' ? { ...field, value: { kind: 'text' as const, text: field.source } } : field
  const precision = reader.settle(
    'precision',
    spelling,
    present => reader.choice(present, precisions),
    lightnings<Precision>('fp32'),
  )
  // plugins/precision/fsdp.py: the mixed ones gather parameters in 16 bits, and keep their shards in 32.
  const hasMasters = sharding !== undefined && (precision === 'amp-bf16' || precision === 'amp-fp16')
  if (!hasMasters) return { precision }
  return inFloat16(reader, { precision: 'bf16-master' }, precision === 'amp-fp16' ? field : undefined)
}

const strategies: ReadonlyMap<string, Sharding | undefined> = new Map<string, Sharding | undefined>([
  ['auto', undefined],
  ['ddp', undefined],
  ['single_device', undefined],
  ['singledevice', undefined],
  ['fsdp', 'fsdp'],
  ['deepspeed', 'zero2'],
  ['deepspeed_stage_1', 'zero1'],
  ['deepspeed_stage_2', 'zero2'],
  ['deepspeed_stage_3', 'zero3'],
])

function readStrategy(reader: FieldReader, field: Field | undefined): Sharded {
  const name =
    field?.value.kind === 'text'
      ? field.value.text
      : field?.value.kind === 'mapping'
        ? classNameIn(field.value.section)
        : undefined
  if (field === undefined || name === undefined) return {}
  // strategies/ddp.py registers ddp_spawn, ddp_fork, ddp_notebook, and each with _find_unused_parameters_true or _false.
  const plain = name.replace(/(?:_cpu)?_offload(?:_nvme)?$/, '').replace(/^ddp_\w+$/, 'ddp')
  const known = [plain, name.replace(/Strategy$/, '').toLowerCase()].find(word => strategies.has(word))
  if (known === undefined) {
    reader.refuse(
      field,
      'unsupported-setting',
      `The strategy ${quote(name)} is not modelled yet`,
      'Use ddp, fsdp or deepspeed_stage_1 to 3.',
    )
    return {}
  }
  const sharding = strategies.get(known)
  if (sharding === 'fsdp') return readFsdp(reader, field, name.includes('_offload'))
  if (name.includes('_offload'))
    reader.assumeMore('What the strategy offloads is counted on the GPU: the estimate is high.')
  return sharding === undefined ? {} : { sharding: reader.note('sharding', sharding, field) }
}

/**
 * FSDPStrategy of strategies/fsdp.py: FullyShardedDataParallel around the whole module, and around the layers that its policy names.
 * strategies/parallel.py block_backward_sync: only DistributedDataParallel waits for the last micro-batch.
 */
function readFsdp(reader: FieldReader, field: Field, isOffloaded: boolean): Sharded {
  const given = (key: string) => (field.value.kind === 'mapping' ? field.value.section.at('init_args', key) : undefined)
  const strategy = given('sharding_strategy')
  const sharding = strategy === undefined ? 'fsdp' : reader.choice(strategy, shardingStrategies)
  if (sharding === undefined) return {}
  const policy = given('auto_wrap_policy')
  const wrapsLayers = policy !== undefined && policy.value.kind !== 'empty'
  if (!wrapsLayers)
    reader.assume(
      'FSDP gathers the whole model at once, because its strategy has no `auto_wrap_policy`. If your code wraps layers, it takes less.',
    )
  const offload = given('cpu_offload')
  const offloads = isOffloaded || (offload?.value.kind === 'flag' && offload.value.flag)
  return {
    sharding: reader.note('sharding', sharding, strategy ?? field),
    fsdpVersion: 1,
    syncsEveryMicroBatch: true,
    ...(!wrapsLayers && { wrapsWholeModel: true }),
    ...(offloads && { offload: reader.note('offload', 'optimizer-and-weights', offload ?? field) }),
  }
}

const shardingStrategies: Choices<Sharding> = new Map<string, Sharding>([
  ['FULL_SHARD', 'fsdp'],
  ['SHARD_GRAD_OP', 'fsdp-grad-op'],
])

function classNameIn(section: Section): string | undefined {
  const path = section.at('class_path')?.value
  return path?.kind === 'text' ? path.text.split('.').at(-1) : undefined
}

const optimizers: ReadonlyMap<string, Optimizer> = new Map<string, Optimizer>([
  ['AdamW', 'adamw'],
  ['Adam', 'adamw'],
  ['SGD', 'sgd'],
  ['Adafactor', 'adafactor'],
  ['AdamW8bit', 'adamw-8bit'],
  ['PagedAdamW8bit', 'paged-adamw-8bit'],
])

function readOptimizer(reader: FieldReader, document: Section): Optimizer {
  const field = document.at('optimizer', 'class_path') ?? document.at('model', 'init_args', 'optimizer', 'class_path')
  return reader.settle(
    'optimizer',
    field,
    present => {
      const name = reader.text(present)?.split('.').at(-1)
      const known = name === undefined ? undefined : optimizers.get(name)
      if (known !== undefined || name === undefined)
        return hasMomentum(document) && known === 'sgd' ? 'sgd-momentum' : known
      const message = `The optimizer ${quote(name)} is not supported yet`
      return reader.refuse(present, 'unsupported-optimizer', message, `Use ${[...optimizers.keys()].join(', ')}.`)
    },
    {
      value: 'adamw',
      source: 'in the code',
      assumption: 'AdamW: the config sets no optimizer, so that is up to the code.',
    },
  )
}

function hasMomentum(document: Section): boolean {
  const momentum = document.at('optimizer', 'init_args', 'momentum')?.value
  return momentum?.kind === 'number' && momentum.number > 0
}

function readCheckpointing(reader: FieldReader, document: Section): boolean {
  const field = inParts(document, ['model'], ['gradient_checkpointing', 'activation_checkpointing'])
  return reader.settle('gradientCheckpointing', field, present => reader.flag(present), lightnings(false))
}
