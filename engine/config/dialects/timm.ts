/** timm's train.py, as of 1.0: the arguments of a run, in a YAML file that --config reads or that an earlier run left (args.yaml). */

import { MAX_BATCH } from '../../training/batch-size.ts'
import type { Optimizer, Precision } from '../../training/choices.ts'
import type { Dialect } from '../dialect.ts'
import type { Default, FieldReader } from '../fields/fields.ts'
import { readGpus } from '../fields/gpus.ts'
import { type ModelLookup, readInputSize, readLabels, readModel } from '../fields/model-fields.ts'
import { stepInPytorch, trainingConfig } from '../fields/training-config.ts'
import type { Reading } from '../reading.ts'
import { quote } from '../text/quote.ts'
import type { Field, Section } from '../text/section.ts'
import { writesAny } from '../text/written-keys.ts'

const ownKeys = [
  'opt',
  'sched',
  'drop_path',
  'aa',
  'smoothing',
  'mixup',
  'cutmix',
  'crop_pct',
  'model_ema',
  'warmup_lr',
  'clip_grad',
  'reprob',
  'remode',
  'color_jitter',
  'train_interpolation',
  'decay_rate',
  'decay_epochs',
  'layer_decay',
  'bce_loss',
  'jsd_loss',
  'epochs',
]
const writesOptimizer = writesAny(['opt'])
const writesOwn = writesAny(['model', 'sched'])
/** This many of timm's own arguments identify its configs even if the model is left to the command line. */
const OWN_KEYS_WITHOUT_MODEL = 6

export const timm: Dialect = {
  name: 'timm',
  mayBe: text => writesOptimizer(text) && writesOwn(text),
  recognise: document => {
    const found = ownKeys.filter(key => fieldOf(document, key) !== undefined)
    if (document.at('opt') === undefined) return undefined
    const model = document.at('model')
    if (model?.value.kind === 'text') return found.length >= 4 ? `model beside ${found.join(', ')}` : undefined
    const isOurs = model === undefined && fieldOf(document, 'batch_size') && found.length >= OWN_KEYS_WITHOUT_MODEL
    return isOurs ? `batch_size beside ${found.join(', ')}` : undefined
  },
  modelField: document => hubName(document.at('model')),
  read,
}

/** Argument names with dashes are written both ways. */
function fieldOf(document: Section, key: string): Field | undefined {
  return document.at(key) ?? document.at(key.replaceAll('_', '-'))
}

/** `resnet50.a1_in1k` → microsoft/resnet-50. timm's own ResNets have the same shape. */
function hubName(field: Field | undefined): Field | undefined {
  if (field?.value.kind !== 'text') return field
  const depth = /^resnet(18|34|50|101|152)(?:\..*)?$/.exec(field.value.text)?.[1]
  return depth === undefined ? field : { ...field, value: { kind: 'text', text: `microsoft/resnet-${depth}` } }
}

function read(document: Section, reader: FieldReader, lookUp: ModelLookup): Reading {
  const [batchSize, accumulation] = [fieldOf(document, 'batch_size'), fieldOf(document, 'grad_accum_steps')]
  const count = (field: Field) => reader.wholeNumber(field, { max: MAX_BATCH })
  const microBatch = reader.settle('microBatch', batchSize, count, {
    ...timms(128),
    assumption: "A batch size of 128, timm's default: the config sets none.",
  })
  const gradientAccumulation = reader.settle('gradientAccumulation', accumulation, count, timms(1))
  const model = readModel(reader, hubName(document.field('model')), 'model', lookUp)
  const image = fieldOf(document, 'img_size')
  const size = readInputSize(reader, model, { sequenceLength: undefined, imageSize: image })
  const settings = {
    gpus: readGpus(reader, undefined),
    labels: readLabels(reader, fieldOf(document, 'num_classes'), model?.defaultTask),
    precision: readPrecision(reader, document),
    optimizer: readOptimizer(reader, document),
    attention: 'sdpa' as const,
    ...channelsLast(reader, fieldOf(document, 'channels_last')),
    gradientCheckpointing: reader.settle(
      'gradientCheckpointing',
      fieldOf(document, 'grad_checkpointing'),
      field => reader.flag(field),
      timms(false),
    ),
  }
  const task = model?.defaultTask
  return trainingConfig(reader, {
    dialect: timm.name,
    model,
    spec: {
      ...stepInPytorch,
      loop: 'plain',
      task,
      microBatch,
      gradientAccumulation,
      ...size,
      ...settings,
      paddedBatches: false,
    },
    batchSize,
    accumulation,
  })
}

function timms<T>(value: T): Default<T> {
  return { value, source: "timm's default" }
}

function channelsLast(reader: FieldReader, field: Field | undefined): { channelsLast?: true } {
  if (field === undefined || reader.flag(field) !== true) return {}
  return { channelsLast: reader.note('channelsLast', true, field) }
}

function readPrecision(reader: FieldReader, document: Section): Precision {
  const amp = document.at('amp')
  if (amp === undefined || reader.flag(amp) !== true) return reader.note('precision', 'fp32', amp ?? "timm's default")
  const type = fieldOf(document, 'amp_dtype')
  const isBrain = type?.value.kind === 'text' && type.value.text === 'bfloat16'
  return reader.note('precision', isBrain ? 'amp-bf16' : 'amp-fp16', type ?? amp)
}

/** timm/optim/_optim_factory.py: sgd is Nesterov's, with momentum 0.9. */
const optimizers: ReadonlyMap<string, Optimizer> = new Map<string, Optimizer>([
  ['sgd', 'sgd-momentum'],
  ['nesterov', 'sgd-momentum'],
  ['momentum', 'sgd-momentum'],
  ['adam', 'adamw'],
  ['adamw', 'adamw'],
  ['lion', 'lion'],
])

function readOptimizer(reader: FieldReader, document: Section): Optimizer {
  return reader.settle(
    'optimizer',
    document.at('opt'),
    field => {
      const name = reader.text(field)
      const known = name === undefined ? undefined : optimizers.get(name)
      if (known !== undefined || name === undefined) return known
      const message = `The optimizer ${quote(name)} is not supported yet`
      return reader.refuse(field, 'unsupported-optimizer', message, `Use ${[...optimizers.keys()].join(', ')}.`)
    },
    timms<Optimizer>('sgd-momentum'),
  )
}
