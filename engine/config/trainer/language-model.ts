/** What the dialects of tools that fine-tune decoders share, once each has interpreted its own keys. */
import type { CatalogueModel } from '../../models/catalogue.ts'
import type { ImageHandling } from '../../models/images.ts'
import { MAX_BATCH } from '../../training/batch-size.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { Default, FieldReader } from '../fields/fields.ts'
import { type InputSize, readInputSize, readMeanLength } from '../fields/model-fields.ts'
import { stepInPytorch, trainingConfig } from '../fields/training-config.ts'
import type { Reading } from '../reading.ts'
import { quote } from '../text/quote.ts'
import type { Field } from '../text/section.ts'
import { tellIdleAdapters } from './adapter.ts'
import { largestImage, type PixelLimit } from './images.ts'

type Settings = Pick<
  TrainingSpec,
  | 'gpus'
  | 'precision'
  | 'autocasts'
  | 'inFloat16'
  | 'optimizer'
  | 'optimizerInBackward'
  | 'attention'
  | 'gradientCheckpointing'
  | 'lora'
  | 'trainable'
  | 'images'
  | 'trainsTowers'
  | 'quantization'
  | 'quantizedExperts'
  | 'expertStyle'
  | 'fakeQuantization'
  | 'float8'
  | 'tensorParallel'
  | 'expertParallel'
  | 'sharding'
  | 'zero'
  | 'syncsEveryMicroBatch'
  | 'offload'
  | 'fusedLoss'
  | 'modelCode'
  | 'rotatesPairs'
  | 'fusedNorms'
  | 'chunkedLoss'
  | 'checkpointedLoss'
  | 'compiled'
  | 'uncompiledLoss'
  | 'eightBitEmbeddings'
  | 'offloadsCheckpoints'
  | 'fsdpVersion'
  | 'wrapsWholeModel'
  | 'shardedOver'
  | 'selectiveCheckpoints'
  | 'checkpointsModules'
  | 'reentrantCheckpoints'
  | 'method'
  | 'dropout'
  | 'evaluation'
  | 'resumes'
  | 'loadsWhole'
  | 'quantizesOnLoad'
  | 'wholeQuantized'
  | 'paddedBatches'
  | 'checkpointEvery'
  | 'versions'
>

type OptionalKey<T> = { [Key in keyof T]-?: Record<never, never> extends Pick<T, Key> ? Key : never }[keyof T]
type Optional = OptionalKey<Settings>

export interface LanguageModelConfig {
  readonly dialect: string
  readonly model: CatalogueModel | undefined
  /** Classes of texts, where the model classifies them by no method of its own. */
  readonly classes?: number | undefined
  readonly batch: Batch
  readonly sequence: Sequence
  /** Pixels of the side that the tool scales images beside text to. */
  readonly imageSize?: Field | undefined
  /** Where the tool has a limit for images beside text. */
  readonly pixelLimit?: PixelLimit
  readonly imageHandling?: ImageHandling
  /** `trainer` by default: most tools' loops keep neither logits nor a key/value cache through the backward pass. */
  readonly loop?: 'trainer' | 'plain' | 'verl' | 'torchtitan' | 'nemo-rl' | 'nemo-rl-v2' | 'openrlhf'
  /** Settings that are absent from the spec may be undefined here. */
  readonly settings: { readonly [Key in Optional]?: Settings[Key] | undefined } & Required<Omit<Settings, Optional>>
}

export interface Batch {
  readonly microBatch: number
  readonly gradientAccumulation: number
  readonly batchSize: Field | undefined
  readonly accumulation: Field | undefined
}

export interface BatchFields {
  readonly batchSize: Field | undefined
  readonly defaultBatch: Default<number>
  readonly accumulation: Field | undefined
}

export function readBatch(reader: FieldReader, { batchSize, defaultBatch, accumulation }: BatchFields): Batch {
  const count = (field: Field) => reader.wholeNumber(field, { max: MAX_BATCH })
  const none: Default<number> = { value: 1, source: 'no accumulation' }
  return {
    microBatch: reader.settle('microBatch', batchSize, count, defaultBatch),
    gradientAccumulation: reader.settle('gradientAccumulation', accumulation, count, none),
    batchSize,
    accumulation,
  }
}

export interface Sequence {
  readonly field: Field | undefined
  /** The default of the source `assumed`, if the tool has none either. */
  readonly byDefault: Default<number>
  /** Several sequences in one row, none of which is as long. */
  readonly isRow?: boolean
  /** GPUs among which every sequence is divided (context parallelism); one when absent. */
  readonly dividedBy?: number
}

export function languageModelReading(reader: FieldReader, config: LanguageModelConfig): Reading {
  const { model, batch, settings } = config
  const size = divided(reader, readSequence(reader, config), config.sequence)
  const images = size.images ?? settings.images ?? readImages(reader, config, size.sequenceLength)
  const { task, labels } = taskOf(config)
  tellIdleAdapters(reader, settings.lora, settings.fusedLoss)
  if (model !== undefined && !model.tasks.includes(task)) {
    reader.refuse(
      undefined,
      'unsupported-task',
      `The model ${quote(model.id)} is not supported for ${task}`,
      'Use a decoder model, or exclude this config from the check.',
    )
  }
  return trainingConfig(reader, {
    dialect: config.dialect,
    model,
    spec: {
      ...stepInPytorch,
      task,
      microBatch: batch.microBatch,
      gradientAccumulation: batch.gradientAccumulation,
      ...size,
      labels,
      ...present({ ...settings, images }),
      loop: config.loop ?? 'trainer',
    },
    batchSize: batch.batchSize,
    accumulation: batch.accumulation,
  })
}

function readImages(
  reader: FieldReader,
  { model, pixelLimit, imageHandling }: LanguageModelConfig,
  length: number | undefined,
): TrainingSpec['images'] {
  if (model === undefined || pixelLimit === undefined || length === undefined) return undefined
  return largestImage(reader, model, pixelLimit, { length, handling: imageHandling })
}

function taskOf({ classes, settings }: LanguageModelConfig): Pick<TrainingSpec, 'task' | 'labels'> {
  return classes === undefined ? taskOfMethod(settings.method) : { task: 'sequence-classification', labels: classes }
}

/** Reward models are classifiers, but for LLaMA-Factory's value head beside the output layer. */
export function taskOfMethod(method: TrainingSpec['method']): Pick<TrainingSpec, 'task' | 'labels'> {
  if (method?.kind !== 'reward' || method.head === 'value') return { task: 'causal-lm', labels: 2 }
  return { task: 'sequence-classification', labels: method.head === 'steps' ? 2 : 1 }
}

/** Drops undefined entries, as the spec requires. */
function present(settings: LanguageModelConfig['settings']): Settings {
  const {
    optimizerInBackward,
    lora,
    trainable,
    images,
    trainsTowers,
    quantization,
    quantizedExperts,
    expertStyle,
    fakeQuantization,
    float8,
    tensorParallel,
    expertParallel,
    ...others
  } = settings
  const {
    sharding,
    fsdpVersion,
    wrapsWholeModel,
    shardedOver,
    zero,
    syncsEveryMicroBatch,
    offload,
    method,
    dropout,
    evaluation,
    resumes,
    loadsWhole,
    quantizesOnLoad,
    wholeQuantized,
    autocasts,
    inFloat16,
    ...rest
  } = others
  const {
    fusedLoss,
    modelCode,
    rotatesPairs,
    fusedNorms,
    chunkedLoss,
    checkpointedLoss,
    compiled,
    uncompiledLoss,
    eightBitEmbeddings,
    offloadsCheckpoints,
    selectiveCheckpoints,
    checkpointsModules,
    reentrantCheckpoints,
    versions,
    ...always
  } = rest
  return {
    ...always,
    ...(autocasts && { autocasts }),
    ...(inFloat16 && { inFloat16 }),
    ...(optimizerInBackward && { optimizerInBackward }),
    ...(lora && { lora }),
    ...(trainable && { trainable }),
    ...(images && { images }),
    ...(trainsTowers && { trainsTowers }),
    ...(quantization && { quantization }),
    ...(quantizedExperts && { quantizedExperts }),
    ...(expertStyle && { expertStyle }),
    ...(fakeQuantization && { fakeQuantization }),
    ...(float8 && { float8 }),
    ...(tensorParallel && { tensorParallel }),
    ...(expertParallel && { expertParallel }),
    ...(sharding && { sharding }),
    ...(zero && { zero }),
    ...(syncsEveryMicroBatch && { syncsEveryMicroBatch }),
    ...(offload && { offload }),
    ...(fusedLoss !== undefined && { fusedLoss }),
    ...(modelCode && { modelCode }),
    ...(rotatesPairs && { rotatesPairs }),
    ...(fusedNorms && { fusedNorms }),
    ...(chunkedLoss && { chunkedLoss }),
    ...(checkpointedLoss && { checkpointedLoss }),
    ...(compiled && { compiled }),
    ...(uncompiledLoss && { uncompiledLoss }),
    ...(eightBitEmbeddings && { eightBitEmbeddings }),
    ...(offloadsCheckpoints && { offloadsCheckpoints }),
    ...(selectiveCheckpoints && { selectiveCheckpoints }),
    ...(checkpointsModules && { checkpointsModules }),
    ...(fsdpVersion && { fsdpVersion }),
    ...(wrapsWholeModel && { wrapsWholeModel }),
    ...(shardedOver && { shardedOver }),
    ...(reentrantCheckpoints !== undefined && { reentrantCheckpoints }),
    ...(method && { method }),
    ...(evaluation && { evaluation }),
    ...(resumes && { resumes }),
    ...(loadsWhole && { loadsWhole }),
    ...(quantizesOnLoad && { quantizesOnLoad }),
    ...(wholeQuantized && { wholeQuantized }),
    ...(dropout !== undefined && { dropout }),
    ...(versions && { versions }),
  }
}

/** For both Ulysses and ring attention: every GPU holds its part of the tokens, or all tokens of its part of the heads. */
function divided(
  reader: FieldReader,
  size: InputSize,
  { dividedBy = 1 }: Sequence,
): InputSize & Pick<TrainingSpec, 'contextParallel'> {
  if (size.sequenceLength === undefined || dividedBy === 1) return size
  const { meanLength: _, ...longest } = size
  const sequenceLength = Math.ceil(size.sequenceLength / dividedBy)
  reader.assume(
    `Each of ${dividedBy} GPUs holds ${sequenceLength} of the ${size.sequenceLength} tokens of a sequence; their communication buffers are not counted.`,
  )
  return { ...longest, sequenceLength, contextParallel: dividedBy }
}

function readSequence(
  reader: FieldReader,
  { model, sequence, imageSize, imageHandling }: LanguageModelConfig,
): InputSize {
  const { value: length, source } = sequence.byDefault
  const field = reader.fieldFor('sequence_length', sequence.field)
  if (field !== undefined || imageSize !== undefined || reader.supplies('image_size')) {
    const byTool = { tokens: length, isKnown: source !== 'assumed' }
    return readInputSize(reader, model, { sequenceLength: field, imageSize, imageHandling, length: byTool })
  }
  const sequenceLength = sequence.isRow ? length : Math.min(length, model?.maxPositions ?? length)
  reader.note('sequenceLength', sequenceLength, source)
  if (source === 'assumed') reader.leavesLengthOpen = true
  reader.assume(
    sequence.byDefault.assumption ?? `Sequences of ${sequenceLength} tokens, ${source}: the config sets no length.`,
  )
  return { sequenceLength, ...readMeanLength(reader) }
}
