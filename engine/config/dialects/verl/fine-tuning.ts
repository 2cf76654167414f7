/** verl's supervised fine-tuning, trainer/fsdp_sft_trainer.py: samples are padded to `data.max_length`, unless GPUs share each of them. */

import { MAX_BATCH } from '../../../training/batch-size.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { leavesGpusOpen, readGpus } from '../../fields/gpus.ts'
import { type ModelLookup, readModel } from '../../fields/model-fields.ts'
import type { Reading } from '../../reading.ts'
import { type Field, Section } from '../../text/section.ts'
import { type Batch, languageModelReading } from '../../trainer/language-model.ts'
import { isOn } from '../../trainer/method.ts'
import { modelOfFineTuning } from './model-field.ts'
import {
  groupsShown,
  readAdapter,
  readCheckpointing,
  readOptimizer,
  readPrecision,
  readSharding,
  readUlysses,
  refuse,
  refuseFsdpSettings,
  refuseImages,
  refuseModelSettings,
  refuseSwitches,
  sectionAt,
} from './settings.ts'

export function readFineTuning(document: Section, reader: FieldReader, lookUp: ModelLookup): Reading {
  const part = sectionAt(document, 'model') ?? Section.of([])
  const model = readModel(reader, modelOfFineTuning(document), 'model.partial_pretrain', lookUp)
  const ofAll = batchOfAllGpus(document)
  const sharded = readSharding(reader, part.at('strategy'), isWhole(document) ? 'fsdp' : 'fsdp2')
  const gpus = readGpus(reader, undefined, sharded.sharding)
  const fsdp = sectionAt(part, 'fsdp_config')
  const removesPadding = isOn(reader, document.at('use_remove_padding'))
  const shared = readUlysses(reader, { fields: [document.at('ulysses_sequence_parallel_size')], gpus, removesPadding })
  if (shared > 1)
    reader.assume('Padding is removed, so that a step takes less where samples are shorter than they may be.')
  refuseModelSettings(reader, part)
  refuseImages(reader, modelOfFineTuning(document), model)
  refuseSwitches(reader, [part.at('enable_activation_offload')])
  refuseFsdpSettings(reader, fsdp)
  // The trainer's own settings have none.
  const size = fsdp?.at('fsdp_size')
  if (size?.value.kind === 'number' && size.value.number !== -1 && size.value.number !== gpus)
    refuse(reader, size, size.name)
  const older = document.at('data', 'micro_batch_size')
  // Where a command sets both, the release has both, and counts the one of each GPU; a copy in the repository may be older, unless
  // its own file has it.
  const isOfCopy = document.at('data', 'balance_dp_token')?.file !== undefined
  const ofEach = document.at('data', 'micro_batch_size_per_gpu')
  const isUnread = ofEach !== undefined && (!isOfCopy || ofEach.file !== undefined)
  if (older !== undefined && older !== ofAll && older.value.kind !== 'empty' && !isUnread)
    refuse(reader, older, older.name)
  const offloads = fsdp?.at('cpu_offload')
  if (offloads !== undefined && reader.flag(offloads) === true) refuse(reader, offloads, offloads.name)
  return languageModelReading(reader, {
    dialect: 'verl',
    loop: 'verl',
    model,
    batch: readBatch(reader, document, { gpus, shared, ofAll }),
    sequence: {
      field: document.at('data', 'max_length'),
      byDefault: { value: 1_024, source: "verl's default" },
      dividedBy: shared,
    },
    settings: {
      gpus,
      ...sharded,
      precision: readPrecision(reader, fsdp?.at('model_dtype')),
      optimizer: readOptimizer(reader, sectionAt(document, 'optim')),
      attention: reader.note('attention', 'flash', "verl's only kernel"),
      gradientCheckpointing: readCheckpointing(reader, part.at('enable_gradient_checkpointing')),
      reentrantCheckpoints: false,
      lora: readAdapter(reader, part, model),
      paddedBatches: reader.note('paddedBatches', shared === 1, 'as verl pads'),
    },
  })
}

/** Nobody overrides balance_dp_token. Releases before 0.4 have only FSDP's first version, and no setting that says so. */
function isWhole(document: Section): boolean {
  return document.at('data', 'balance_dp_token') !== undefined
}

/** Releases before 0.3 count the samples of a micro-batch on all GPUs; later ones leave the setting unread. */
function batchOfAllGpus(document: Section): Field | undefined {
  const at = (key: string) => document.at('data', key)
  const field = at('micro_batch_size')
  return isWhole(document) && at('micro_batch_size_per_gpu') === undefined && field?.value.kind !== 'empty'
    ? field
    : undefined
}

interface Division {
  readonly gpus: number
  /** GPUs that share every sample (Ulysses); one where none do. */
  readonly shared: number
  /** The micro-batch, where it counts samples on all GPUs. */
  readonly ofAll: Field | undefined
}

/** The trainer accumulates as many micro-batches as make `train_batch_size` over all GPUs, and starts only where they do so exactly. */
function readBatch(reader: FieldReader, document: Section, { gpus, shared, ofAll }: Division): Batch {
  const count = (field: Field) => reader.wholeNumber(field, { max: MAX_BATCH })
  const [batchSize, total] = [document.at('data', 'micro_batch_size_per_gpu'), document.at('data', 'train_batch_size')]
  const onEach = (field: Field) => shareOf(reader, field, count(field), gpus)
  const microBatch = ofAll
    ? reader.settle('microBatch', ofAll, onEach, { value: 1, source: 'one on each GPU' })
    : reader.settle('microBatch', batchSize, count, { value: 4, source: "verl's default" })
  const samples = (total && count(total)) ?? 256
  const groups = gpus / shared
  const exact = samples / groups / microBatch
  // Of a number of GPUs that is assumed, nothing is wrong with the batch.
  const gradientAccumulation = leavesGpusOpen(reader) ? Math.max(1, Math.round(exact)) : exact
  if (!Number.isInteger(gradientAccumulation)) {
    const message = `data.train_batch_size ${samples} is no multiple of ${microBatch} samples on ${groupsShown(groups, shared)}, so the training would not start`
    reader.refuse(
      total ?? batchSize ?? ofAll,
      'batch-sizes-disagree',
      message,
      shared === 1
        ? 'Make it a multiple of the micro-batch times the number of GPUs.'
        : 'Make it a multiple of the micro-batch times the number of groups.',
    )
    return { microBatch, gradientAccumulation: 1, batchSize, accumulation: undefined }
  }
  reader.note('gradientAccumulation', gradientAccumulation, total ?? "verl's train_batch_size")
  return { microBatch, gradientAccumulation, batchSize, accumulation: undefined }
}

/** trainer/fsdp_sft_trainer.py of 0.2, _normalize_config_bsz. */
function shareOf(reader: FieldReader, field: Field, samples: number | undefined, gpus: number): number | undefined {
  if (samples === undefined || samples % gpus === 0) return samples && samples / gpus
  const message = `${field.name} ${samples} is no multiple of ${gpus} GPUs, so the training would not start`
  return reader.refuse(field, 'batch-sizes-disagree', message, 'Make it a multiple of the number of GPUs.')
}
