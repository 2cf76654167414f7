/**
 * OpenRLHF, as of 0.11.0: cli/train_sft.py, train_dpo.py and train_rm.py, the options and their defaults; models/actor.py,
 * models/model.py and trainer/*.py, what they mean. Releases since 0.3.6 have the same defaults but where it is said, and 0.10.2 gave
 * the options other names. There is no file of settings: the command is the config.
 */
import { hasExperts, isVisionLanguageModel } from '../../models/architecture.ts'
import type { CatalogueModel } from '../../models/catalogue.ts'
import { MAX_BATCH } from '../../training/batch-size.ts'
import type { Quantization } from '../../training/choices.ts'
import type { Dialect } from '../dialect.ts'
import type { FieldReader } from '../fields/fields.ts'
import { leavesGpusOpen, readGpus } from '../fields/gpus.ts'
import { type ModelLookup, readModel } from '../fields/model-fields.ts'
import type { Reading } from '../reading.ts'
import type { Field, Section } from '../text/section.ts'
import { type Lora, readLora, readTargets } from '../trainer/adapter.ts'
import { type AttentionChoice, flashAttention, readImplementation } from '../trainer/attention.ts'
import { type Batch, languageModelReading } from '../trainer/language-model.ts'
import { quantizesOnLoad } from '../trainer/loading.ts'
import { isOn } from '../trainer/method.ts'
import { storedQuantization } from '../trainer/stored-quantization.ts'
import { type Command, readCommand, readTraining } from './openrlhf/commands.ts'
import { readPrecision, readSharding, refuse, refuseUnmodelled } from './openrlhf/engine.ts'
import { COMMAND, optionIn } from './openrlhf/options.ts'

export const openRlhf: Dialect = {
  name: 'OpenRLHF',
  mayBe: () => false,
  recognise: document => (document.at(COMMAND) === undefined ? undefined : 'a command of OpenRLHF'),
  modelField: document => optionIn(document, 'pretrain'),
  // Scaling, data, and the loop around the step.
  withoutBearing:
    /^(?:data|ckpt|logger|eval|adam|muon)\.|(?:^|\.)(?:lora_alpha|lora\.alpha|target_modules|ring_head_stride|ring_attn_head_stride|disable_trace_cache|disable_fast_tokenizer|nll_loss_coef|pretrain_mode|max_ckpt_mem|label_smoothing|input_template|max_samples)$/,
  read,
}

function read(document: Section, reader: FieldReader, lookUp: ModelLookup): Reading {
  const command = readCommand(reader, document)
  if (command === undefined) return { kind: 'unreadable', problems: reader.problems }
  refuseUnmodelled(reader, document)
  const model = readModel(reader, optionIn(document, 'pretrain'), '--pretrain', lookUp)
  refuseModel(reader, document, model)
  const sharded = readSharding(reader, document)
  const gpus = readGpus(reader, undefined, sharded.sharding)
  const ring = readRing(reader, document, gpus)
  const packing = optionIn(document, 'packing_samples')
  const isPacked = isOn(reader, packing)
  const attention = readAttention(reader, document, { model, isPacked })
  const lora = readAdapter(reader, document, model)
  const quantization = readQuantization(reader, document, { hasAdapter: lora !== undefined, ...sharded })
  tellOfKernels(reader, document, command)
  if (isPacked)
    reader.assume(
      'The sequences of a micro-batch are joined without padding (packing_samples): a step takes less where they are shorter than they may be.',
    )
  return languageModelReading(reader, {
    dialect: openRlhf.name,
    loop: 'openrlhf',
    model,
    batch: readBatch(reader, document, { command, gpus, ring }),
    sequence: {
      field: optionIn(document, 'max_len'),
      byDefault: { value: command === 'train_sft' ? 2_048 : 512, source: "OpenRLHF's default" },
      dividedBy: ring,
    },
    settings: {
      gpus,
      ...sharded,
      precision: readPrecision(reader, document),
      // deepspeed.ops.adam's FusedAdam; its kin on the host has its state there.
      optimizer: reader.note('optimizer', 'adamw-fused', "OpenRLHF's only AdamW"),
      attention: attention.attention,
      gradientCheckpointing: readSwitch(reader, 'gradientCheckpointing', optionIn(document, 'gradient_checkpointing')),
      reentrantCheckpoints: readSwitch(
        reader,
        'reentrantCheckpoints',
        optionIn(document, 'gradient_checkpointing_use_reentrant'),
      ),
      lora,
      quantization,
      quantizesOnLoad: quantizesOnLoad(quantization, optionIn(document, 'pretrain')),
      ...readTraining(reader, document, command),
      paddedBatches: reader.note(
        'paddedBatches',
        !isPacked && attention.masksPadding,
        packing ?? 'by attention kernel',
      ),
    },
  })
}

function readSwitch(
  reader: FieldReader,
  setting: 'gradientCheckpointing' | 'reentrantCheckpoints',
  field: Field | undefined,
): boolean {
  const byDefault = { value: false, source: "OpenRLHF's default" }
  return reader.settle(setting, field, present => reader.flag(present), byDefault)
}

function refuseModel(reader: FieldReader, document: Section, model: CatalogueModel | undefined): void {
  if (model === undefined) return
  const field = optionIn(document, 'pretrain')
  if (isVisionLanguageModel(model.config)) refuse(reader, field, 'A model that reads images')
  if (!hasExperts(model.config)) return
  reader.assume("The router's balancing loss is not counted; OpenRLHF has the model compute it for experts.")
  const how = optionIn(document, 'experts_implementation')
  if (how !== undefined) refuse(reader, how, how.name)
}

/** GPUs that hold one sequence together. */
function readRing(reader: FieldReader, document: Section, gpus: number): number {
  const field = optionIn(document, 'ring_attn_size')
  const ring = (field && reader.wholeNumber(field, { max: 1_000 })) ?? 1
  if (ring === 1 || gpus % ring === 0) return ring
  const message = `${gpus} GPUs are not divided by ${field?.name} ${ring}, so the training would not start`
  reader.refuse(field, 'batch-sizes-disagree', message, 'Make it a divisor of the number of GPUs.')
  return 1
}

interface Terms {
  readonly command: Command
  readonly gpus: number
  readonly ring: number
}

/** DeepSpeed accumulates as many micro-batches as make the batch of all GPUs, and starts only where they do so exactly. */
function readBatch(reader: FieldReader, document: Section, { command, gpus, ring }: Terms): Batch {
  const count = (field: Field) => reader.wholeNumber(field, { max: MAX_BATCH })
  const [batchSize, total] = [optionIn(document, 'micro_train_batch_size'), optionIn(document, 'train_batch_size')]
  const source = "OpenRLHF's default"
  const microBatch = reader.settle('microBatch', batchSize, count, { value: command === 'train_rm' ? 1 : 8, source })
  const samples = (total && count(total)) ?? 128
  const gradientAccumulation = (samples * ring) / microBatch / gpus
  const batch = { microBatch, batchSize, accumulation: undefined }
  if (Number.isInteger(gradientAccumulation))
    return {
      ...batch,
      gradientAccumulation: reader.note('gradientAccumulation', gradientAccumulation, total ?? source),
    }
  const what = `a batch of ${samples} (${total?.name ?? 'the default'}) is no multiple of micro-batches of ${microBatch} on ${gpus === 1 ? 'one GPU' : `each of ${gpus} GPUs`}`
  if (leavesGpusOpen(reader)) {
    const message = `On how many GPUs this trains cannot be determined from the file: ${what}, as many as are assumed`
    const fix = 'Start it with --num_gpus, or set gpus for this path in the overrides of .github/memorymark.yml.'
    reader.refuse(total ?? batchSize, 'not-in-file', message, fix)
  } else {
    const message = `A step does not come out even: ${what}, so that DeepSpeed would not start`
    const fix = 'Make it a multiple of the micro-batch times the number of GPUs.'
    reader.refuse(total ?? batchSize, 'batch-sizes-disagree', message, fix)
  }
  return { ...batch, gradientAccumulation: 1 }
}

interface Beside {
  readonly model: CatalogueModel | undefined
  readonly isPacked: boolean
}

/** `--attn_implementation` since 0.8.10; before, `--flash_attn` in place of eager attention. Packing takes flash attention anyway. */
function readAttention(reader: FieldReader, document: Section, { model, isPacked }: Beside): AttentionChoice {
  const [kernel, flash] = [optionIn(document, 'attn_implementation'), document.at('flash_attn')]
  if (kernel !== undefined && !(isPacked && !kernel.source.includes('flash_attention')))
    return readImplementation(reader, kernel, model)
  const from = isOn(reader, flash) ? flash : isPacked ? optionIn(document, 'packing_samples') : undefined
  const old = document.at('bf16')
  if (from === undefined && old !== undefined) {
    const message =
      'Which attention this takes depends on the release: eager before OpenRLHF 0.8.10, which takes far more memory, and FlashAttention 2 since'
    const fix = 'Set --attn_implementation flash_attention_2, or before 0.8.10 --flash_attn.'
    reader.refuse(old, 'not-in-file', message, fix)
  }
  reader.note('attention', 'flash', from ?? "OpenRLHF's default")
  return flashAttention
}

function readAdapter(reader: FieldReader, document: Section, model: CatalogueModel | undefined): Lora | undefined {
  const rank = optionIn(document, 'lora_rank')
  if (rank === undefined || (reader.wholeNumber(rank, { min: 0, max: 10_000 }) ?? 0) === 0) return undefined
  const targetField = optionIn(document, 'target_modules')
  return readLora(reader, model, {
    rank,
    defaultRank: { value: 0, source: "OpenRLHF's default" },
    dropout: optionIn(document, 'lora_dropout'),
    defaultDropout: 0,
    targets: readTargets(reader, targetField) ?? 'all-linear',
    targetField,
  })
}

interface Held {
  readonly hasAdapter: boolean
  readonly sharding?: string
}

/** models/actor.py: NF4 with quantised constants. */
function readQuantization(
  reader: FieldReader,
  document: Section,
  { hasAdapter, sharding }: Held,
): Quantization | undefined {
  const field = optionIn(document, 'load_in_4bit')
  const held = storedQuantization(reader, optionIn(document, 'pretrain'), hasAdapter)
  if (held !== undefined || !isOn(reader, field)) return held
  if (sharding === 'zero3') refuse(reader, field, `${field.name} under ZeRO-3`)
  if (optionIn(document, 'lora_rank') === undefined) {
    const message = 'Quantised weights cannot be trained without adapters'
    return reader.refuse(field, 'quantised-without-adapter', message, 'Set --lora_rank, or leave it out.')
  }
  return reader.note('quantization', 'nf4-double', field)
}

/** The loss is computed outside the model, where Liger fuses none; train_rm.py takes no such option. */
function tellOfKernels(reader: FieldReader, document: Section, command: Command): void {
  if (command === 'train_rm' || !isOn(reader, optionIn(document, 'use_liger_kernel'))) return
  reader.assumeMore(
    "Norms and products are counted as transformers has them; Liger's kernels keep less of them: the estimate is high.",
  )
}
