/** What a config of ms-swift says; where each default is from stands in ms-swift.ts. */
import type { CatalogueModel } from '../../../models/catalogue.ts'
import { MAX_BATCH } from '../../../training/batch-size.ts'
import type { TrainingSpec } from '../../../training/spec.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { readGpus } from '../../fields/gpus.ts'
import { type ModelLookup, readModel } from '../../fields/model-fields.ts'
import { leaveOut } from '../../fields/supplied.ts'
import type { DeepSpeedFile } from '../../other-files/deepspeed-file.ts'
import type { Reading } from '../../reading.ts'
import type { Field, Section } from '../../text/section.ts'
import { type AttentionChoice, readImplementation } from '../../trainer/attention.ts'
import { readReentrant } from '../../trainer/checkpoints.ts'
import { imageOfEverySample, trainsTowers } from '../../trainer/images.ts'
import { type Batch, languageModelReading, type Sequence } from '../../trainer/language-model.ts'
import { kernelsOfPacked } from '../../trainer/linear-attention.ts'
import { quantizesOnLoad } from '../../trainer/loading.ts'
import { isOn, ordinary } from '../../trainer/method.ts'
import { readTrainerOptimizer } from '../../trainer/optimizer.ts'
import { readResuming } from '../../trainer/resuming.ts'
import { sequenceWithCompletions } from './completions.ts'
import { readAdapter, readMethod, readQuantization, readTowers } from './fine-tuning.ts'
import { readTraining } from './loss.ts'
import { readPrecision } from './precision.ts'
import { readSharding } from './sharding.ts'
import { readClasses } from './task.ts'

export function readMsSwift(
  document: Section,
  reader: FieldReader,
  lookUp: ModelLookup,
  deepSpeed: DeepSpeedFile,
): Reading {
  refuseUnmodelled(reader, document)
  const model = readModel(reader, document.field('model'), '--model', lookUp)
  const method = readMethod(reader, document)
  const sharded = readSharding(reader, document, deepSpeed)
  const gpus = readGpus(reader, undefined, sharded.sharding)
  const batch = readBatch(reader, document, gpus)
  const classes = readClasses(reader, document, model)
  const training =
    classes === undefined ? readTraining(reader, document, { batch, gpus, hasAdapter: method === 'lora' }) : ordinary
  const attention = readAttention(reader, document.at('attn_impl'), model)
  const isPacked = isOn(reader, document.at('packing')) || isOn(reader, document.at('padding_free'))
  const quantization = readQuantization(reader, document, method)
  const isOnline = training.method?.kind === 'online'
  if (!isOnline && classes === undefined) tellLogits(reader, document.at('use_logits_to_keep'))
  readTowers(reader, document, model, method)
  const checkpoints = readCheckpointing(reader, document.at('gradient_checkpointing'))
  const reentrantCheckpoints =
    readReentrant(reader, document.at('gradient_checkpointing_kwargs')) ?? reentrantByDefault(reader, document, gpus)
  return languageModelReading(reader, {
    dialect: 'ms-swift',
    model,
    classes: classes?.labels,
    batch,
    sequence: isOnline ? sequenceWithCompletions(reader, document) : readSequence(document),
    settings: {
      gpus,
      ...readPrecision(reader, document, { isFull: method === 'full', sharding: sharded.sharding }),
      ...readTrainerOptimizer(reader, document.at('optim')),
      attention: attention.attention,
      gradientCheckpointing: checkpoints,
      reentrantCheckpoints,
      ...(method === 'lora' && readAdapter(reader, document, model, { classes, checkpoints })),
      images: imageOfEverySample(model),
      trainsTowers: method === 'full' && isOff(reader, document.at('freeze_vit')) ? trainsTowers(model) : undefined,
      quantization,
      quantizesOnLoad: quantizesOnLoad(quantization, document.at('model')),
      ...sharded,
      ...training,
      evaluation: readEvaluation(reader, document),
      resumes: readResuming(reader, key => document.at(key)),
      versions: kernelsOfPacked(reader, model, isPacked),
      paddedBatches: reader.note(
        'paddedBatches',
        !isPacked && attention.masksPadding,
        document.at('packing') ?? document.at('padding_free') ?? 'by attention kernel',
      ),
    },
  })
}

const switches = ['use_galore', 'use_ray']
/** For each of these, a value of one changes nothing. */
const divisions = ['sequence_parallel_size', 'deepspeed_autotp_size', 'zero_hpz_partition_size']
const replaced = ['optimizer', 'lora_ga_batch_size', 'target_parameters', 'trainable_parameters_regex', 'mrl_dims']
const frozen = ['freeze_parameters', 'freeze_parameters_regex', 'freeze_parameters_ratio', 'trainable_parameters']
/** Arguments that only version 2 had. */
const ofVersion2 = ['sft_type', 'model_id_or_path', 'lora_target_modules', 'quantization_bit']

function refuseUnmodelled(reader: FieldReader, document: Section): void {
  const others = [
    ...switches.map(key => document.at(key)).filter(field => isOn(reader, field)),
    ...divisions.map(key => document.at(key)).filter(field => (reader.wholeNumber(field, { max: 100_000 }) ?? 1) > 1),
    ...[...replaced, ...frozen].map(key => document.at(key)).filter(isSet),
    ...[document.at('lisa_activated_layers')].filter(isSet),
    ...[document.at('tuner_backend')].filter(field => field !== undefined && field.source !== 'peft'),
  ]
  for (const field of others) {
    if (field === undefined) continue
    reader.refuse(field, 'unsupported-setting', `${field.key} is not modelled yet for ms-swift`, leaveOut)
  }
  const old = ofVersion2.map(key => document.at(key)).find(field => field !== undefined)
  if (old === undefined) return
  const message = `${old.key} is an argument of ms-swift 2, whose settings are not read`
  reader.refuse(old, 'unsupported-setting', message, 'Use ms-swift 3.4 or newer, with --model and --train_type.')
}

/** Neither empty nor zero, which are their defaults. */
function isSet(field: Field | undefined): boolean {
  return (
    field !== undefined && field.value.kind !== 'empty' && !(field.value.kind === 'number' && field.value.number === 0)
  )
}

function isOff(reader: FieldReader, field: Field | undefined): boolean {
  return field !== undefined && reader.flag(field) === false
}

/** swift/trainers/arguments.py: one sample, and as many steps as make sixteen samples of all GPUs. */
function readBatch(reader: FieldReader, document: Section, gpus: number): Batch {
  const count = (field: Field) => reader.wholeNumber(field, { max: MAX_BATCH })
  const [batchSize, accumulation] = [
    document.at('per_device_train_batch_size'),
    document.at('gradient_accumulation_steps'),
  ]
  const microBatch = reader.settle('microBatch', batchSize, count, {
    value: 1,
    source: "ms-swift's default",
    assumption: "A batch size of 1, ms-swift's default: none is set.",
  })
  const steps = Math.max(1, Math.ceil(16 / microBatch / gpus))
  const gradientAccumulation = reader.settle('gradientAccumulation', accumulation, count, {
    value: steps,
    source: "ms-swift's default",
    assumption: `Gradient accumulation of ${steps}, ms-swift's default: it fills a step up to 16 samples.`,
  })
  return { microBatch, gradientAccumulation, batchSize, accumulation }
}

/** Without max_length nothing is cut below the model's own limit. */
function readSequence(document: Section): Sequence {
  const isPacked = document.at('packing')?.source.toLowerCase() === 'true'
  const packed = isPacked ? document.at('packing_length') : undefined
  return {
    field: packed ?? document.at('max_length'),
    byDefault: {
      value: 2_048,
      source: 'assumed',
      assumption:
        'Sequences of 2048 tokens: no max_length is set, and ms-swift then cuts only at the limit of the model.',
    },
  }
}

/** Its own name for version 2 of the kernel. */
function readAttention(
  reader: FieldReader,
  field: Field | undefined,
  model: CatalogueModel | undefined,
): AttentionChoice {
  const isOwn = field?.value.kind === 'text' && field.value.text === 'flash_attn'
  return readImplementation(
    reader,
    isOwn ? { ...field, value: { kind: 'text', text: 'flash_attention_2' } } : field,
    model,
  )
}

function readCheckpointing(reader: FieldReader, field: Field | undefined): boolean {
  return reader.settle('gradientCheckpointing', field, present => reader.flag(present), {
    value: true,
    source: "ms-swift's default",
  })
}

/** swift/trainers/mixin.py _fix_gradient_checkpointing, since 3.6, whatever transformers has by default. FSDP's file checkpoints too. */
function reentrantByDefault(reader: FieldReader, document: Section, gpus: number): boolean | undefined {
  if (document.at('deepspeed') !== undefined) return true
  if (document.at('fsdp') !== undefined) return undefined
  return gpus === 1 && !startedByTorchrun(reader)
}

/** swift/cli/main.py: these variables have torchrun start the processes, one too. */
function startedByTorchrun({ launched }: FieldReader): boolean {
  return /^(?:NPROC_PER_NODE|NNODES|--nproc[-_]per[-_]node)$/.test(launched.gpus?.name ?? '')
}

/** swift/trainers/mixin.py prepare_logits_to_keep: for most decoders only from the first answered token on. */
function tellLogits(reader: FieldReader, field: Field | undefined): void {
  if (isOff(reader, field)) return
  reader.assumeMore(
    'Logits are counted for all tokens; ms-swift leaves out those of the prompts, so that the estimate is high where prompts are long.',
  )
}

/** Of one sample at a time by default, which never takes more than training does; the metrics keep no logits. */
function readEvaluation(reader: FieldReader, document: Section): TrainingSpec['evaluation'] {
  const size = document.at('per_device_eval_batch_size')
  const isNone = document.at('eval_strategy')?.source === 'no'
  const microBatch = reader.wholeNumber(size, { max: MAX_BATCH })
  if (size === undefined || microBatch === undefined || isNone) return undefined
  return reader.note('evaluation', { microBatch, lossOnly: true as const }, size)
}
