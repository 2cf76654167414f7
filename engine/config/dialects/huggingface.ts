/** Arguments of Hugging Face's Trainer, at the top of a file or one or two levels down. */
import type { Dialect } from '../dialect.ts'
import { type Choices, FieldReader } from '../fields.ts'
import { type ModelLookup, readInputSize, readLabels, readModel } from '../model-fields.ts'
import type { Reading } from '../reading.ts'
import type { Section } from '../section.ts'
import { type Attention, MAX_BATCH } from '../spec.ts'
import { writesAny } from '../written-keys.ts'
import {
  type Arguments,
  argumentsOf,
  batchSizeKeys,
  legacyBatchSizeKey,
  modelKeys,
  trainerKeys,
} from './huggingface/arguments.ts'
import { readOptimizer } from './huggingface/optimizer.ts'
import { readPrecision } from './huggingface/precision.ts'
import { readTask, type TaskChoice } from './huggingface/task.ts'
import { refuseUnsupported } from './huggingface/unsupported.ts'

/** TrainingArguments.per_device_train_batch_size. */
const DEFAULT_BATCH = 8
/** What run_clm.py makes of a missing block_size. */
const DEFAULT_BLOCK = 1_024

const sequenceKeys = ['max_seq_length', 'max_length', 'model_max_length', 'block_size', 'max_source_length']
const gpuKeys = ['n_gpus', 'n_gpu', 'num_gpus', 'num_processes', 'nproc_per_node']

const writesBatchSize = writesAny(batchSizeKeys)
const writesModel = writesAny(modelKeys)
const writesTrainerKey = writesAny([legacyBatchSizeKey, ...trainerKeys])

export const huggingface: Dialect = {
  name: 'Hugging Face Trainer',
  mayBe: text => writesBatchSize(text) || (writesModel(text) && writesTrainerKey(text)),
  detects: document => {
    const { find, batchSize } = argumentsOf(document)
    if (batchSize !== undefined && batchSizeKeys.includes(batchSize.key)) return true
    if (batchSize !== undefined) return find(...modelKeys) !== undefined
    return find('model_name_or_path') !== undefined && trainerKeys.filter(key => find(key) !== undefined).length >= 2
  },
  modelField: document => argumentsOf(document).find(...modelKeys),
  read,
}

function read(document: Section, path: string, lookUp: ModelLookup): Reading {
  const reader = new FieldReader(path)
  const trainerArguments = argumentsOf(document)
  const { find, batchSize } = trainerArguments
  const accumulation = find('gradient_accumulation_steps')

  const microBatch = readMicroBatch(reader, trainerArguments)
  const gradientAccumulation = reader.wholeNumber(accumulation, { max: MAX_BATCH }) ?? 1
  const model = readModel(reader, find(...modelKeys), 'model_name_or_path', lookUp)
  const choice = readTask(reader, find, model)
  const size = readInputSize(reader, model, {
    sequenceLength: find(...sequenceKeys),
    imageSize: find('image_size'),
    ...(choice?.task === 'causal-lm' && { length: DEFAULT_BLOCK }),
  })
  const settings = readSettings(reader, trainerArguments, choice)
  refuseUnsupported(reader, find)

  if (model === undefined || choice === undefined || microBatch === undefined || reader.problems.length > 0) {
    return { kind: 'unreadable', problems: reader.problems }
  }
  return {
    kind: 'training-config',
    dialect: huggingface.name,
    model,
    spec: {
      model: model.id,
      task: choice.task,
      framework: 'pytorch',
      step: 'training',
      microBatch,
      gradientAccumulation,
      ...size,
      ...settings,
      // The example scripts pad classification batches to the longest; language models get equal blocks.
      paddedBatches: choice.task === 'sequence-classification',
      loop: 'trainer',
    },
    ...(batchSize && { batchSizeAt: batchSize.at }),
    ...(accumulation && { gradientAccumulationAt: accumulation.at }),
    assumptions: reader.assumptions,
  }
}

function readMicroBatch(reader: FieldReader, { batchSize, batchSizes }: Arguments): number | undefined {
  if (batchSize === undefined) {
    reader.assume(`A batch size of ${DEFAULT_BATCH}, the Trainer's default: the config sets none.`)
    return DEFAULT_BATCH
  }
  if (batchSizes.length > 1) {
    reader.assume(`The batch size is that of line ${batchSize.at.line}, the first of ${batchSizes.length} in the file.`)
  }
  return reader.wholeNumber(batchSize, { max: MAX_BATCH })
}

function readSettings(reader: FieldReader, { find }: Arguments, choice: TaskChoice | undefined) {
  const gpus = find(...gpuKeys)
  if (gpus === undefined) reader.assume('One GPU: the config does not say how many processes run.')
  return {
    gpus: reader.wholeNumber(gpus, { max: 100_000 }) ?? 1,
    labels: readLabels(reader, find('num_labels'), choice?.task, choice?.labels),
    precision: readPrecision(reader, {
      fp16: find('fp16'),
      bf16: find('bf16'),
      weights: find('torch_dtype', 'dtype'),
    }),
    optimizer: readOptimizer(reader, find('optim')),
    attention: readAttention(reader, { find }),
    gradientCheckpointing: reader.flag(find('gradient_checkpointing', 'use_gradient_checkpointing')) ?? false,
  }
}

const implementations: Choices<Attention> = new Map<string, Attention>([
  ['eager', 'eager'],
  ['sdpa', 'sdpa'],
  ['flash_attention_2', 'sdpa'],
])

function readAttention(reader: FieldReader, { find }: Pick<Arguments, 'find'>): Attention {
  const field = find('attn_implementation')
  const attention = reader.choice(field, implementations) ?? 'sdpa'
  if (field?.value.kind === 'text' && field.value.text === 'flash_attention_2') {
    reader.assume('flash_attention_2 is taken as sdpa: the flash kernel and the fused one hold the same bytes.')
  }
  return attention
}
