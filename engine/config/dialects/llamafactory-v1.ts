/** LLaMA-Factory's second argument format, as of 0.9.6: src/llamafactory/v1/config/*.py and v1/core/base_trainer.py. */
import type { CatalogueModel } from '../../models/catalogue.ts'
import type { Optimizer, Precision, Sharding } from '../../training/choices.ts'
import type { Dialect } from '../dialect.ts'
import type { FieldReader } from '../fields/fields.ts'
import { readGpus } from '../fields/gpus.ts'
import { type ModelLookup, readModel } from '../fields/model-fields.ts'
import { leaveOut } from '../fields/supplied.ts'
import type { DeepSpeedFile } from '../other-files/deepspeed-file.ts'
import type { Reading } from '../reading.ts'
import { quote } from '../text/quote.ts'
import type { Field, Section } from '../text/section.ts'
import { writesAny } from '../text/written-keys.ts'
import { readLora, readTargets } from '../trainer/adapter.ts'
import { languageModelReading, readBatch } from '../trainer/language-model.ts'
import { isOn } from '../trainer/method.ts'
import { readTrainerOptimizer } from '../trainer/optimizer.ts'
import { deepSpeedSettings, readDeepSpeed, type Sharded } from '../trainer/sharding.ts'
import { readFreeze } from '../trainer/trained-part.ts'

const ownKeys = [
  'model_class',
  'peft_config',
  'dist_config',
  'kernel_config',
  'quant_config',
  'train_dataset',
  'cutoff_len',
]
const writesBatch = writesAny(['micro_batch_size'])
const writesOwn = writesAny(ownKeys)

export const llamafactoryV1: Dialect = {
  name: 'LLaMA-Factory v1',
  mayBe: text => writesBatch(text) && writesOwn(text),
  recognise: document => {
    const found = ownKeys.filter(key => document.at(key) !== undefined)
    const isOurs = document.at('model')?.value.kind === 'text' && document.at('micro_batch_size') !== undefined
    return isOurs && found.length >= 2 ? `model and micro_batch_size beside ${found.join(', ')}` : undefined
  },
  modelField: document => document.at('model'),
  deepSpeedField,
  read,
}

function read(document: Section, reader: FieldReader, lookUp: ModelLookup, deepSpeed: DeepSpeedFile): Reading {
  const model = readModel(reader, document.field('model'), 'model', lookUp)
  const batch = readBatch(reader, {
    batchSize: document.at('micro_batch_size'),
    defaultBatch: { value: 1, source: "LLaMA-Factory's default" },
    accumulation: undefined,
  })
  if (document.at('global_batch_size') !== undefined) {
    reader.assume(
      'No accumulation: it depends on global_batch_size and the number of GPUs, which the config does not say.',
    )
  }
  const division = document.at('dist_config', 'cp_size') ?? document.at('cp_size')
  const dividedBy = reader.wholeNumber(division, { max: 1_000 }) ?? 1
  const method = readMethod(reader, document.at('peft_config', 'name'))
  const hasAdapter = method === 'lora'
  const sharded = readSharding(reader, document, deepSpeed)
  const checkpoints = readCheckpointing(reader, document.at('enable_activation_checkpointing'))
  const targets = document.at('peft_config', 'target_modules')
  return languageModelReading(reader, {
    dialect: llamafactoryV1.name,
    model,
    batch,
    sequence: {
      field: document.at('cutoff_len'),
      byDefault: { value: 2_048, source: "LLaMA-Factory's default" },
      dividedBy,
    },
    settings: {
      // core/utils: there are at least as many GPUs as share a sequence.
      gpus:
        division !== undefined && dividedBy > 1
          ? reader.note('gpus', dividedBy, division)
          : readGpus(reader, undefined, sharded.sharding),
      precision: readPrecision(reader, deepSpeedSettings(deepSpeedField(document), deepSpeed), {
        sharding: sharded.sharding,
        castsTrained: method === 'freeze' && castsTrained(reader, document),
      }),
      optimizer: readOptimizer(reader, document.at('optim_config', 'name')),
      attention: reader.note('attention', 'sdpa', "transformers' default"),
      gradientCheckpointing: checkpoints,
      lora: hasAdapter
        ? readLora(reader, model, {
            rank: document.at('peft_config', 'r'),
            defaultRank: { value: 8, source: "peft's default" },
            dropout: document.at('peft_config', 'lora_dropout'),
            defaultDropout: 0,
            targets: readTargets(reader, targets) ?? 'all',
            targetField: targets,
            ...(isOn(reader, document.at('peft_config', 'use_dora')) && { form: 'dora' }),
          })
        : undefined,
      trainable: method === 'freeze' ? readTrainable(reader, document, model, checkpoints) : undefined,
      quantization: readQuantization(reader, document.at('quant_config', 'quantization_bit'), hasAdapter),
      ...sharded,
      fusedLoss: undefined,
      paddedBatches: reader.note('paddedBatches', true, 'sequences are padded to the longest'),
    },
  })
}

interface Around {
  readonly sharding: Sharding | undefined
  readonly castsTrained: boolean
}

/** core/model_engine.py: loaded in the checkpoint's type; what DeepSpeed or a cast trains has 32-bit masters. */
function readPrecision(
  reader: FieldReader,
  settings: Section | undefined,
  { sharding, castsTrained }: Around,
): Precision {
  const isDeepSpeed = sharding !== undefined && sharding !== 'fsdp'
  const written = isDeepSpeed && settings !== undefined ? writtenPrecision(reader, settings, sharding) : undefined
  const keepsMasters = isDeepSpeed || castsTrained
  const source = "the checkpoint's type, bf16 for most decoders"
  return written ?? reader.note('precision', keepsMasters ? 'bf16-master' : 'bf16', source)
}

/**
 * plugins/model_plugins/deepspeed_utils.py, infer_deepspeed_mixed_precision: bf16 unless DeepSpeed's file turns it off. Without it
 * only ZeRO-3 loads in 32 bits (DeepSpeed 0.19, zero/partition_parameters.py _set_dtype).
 */
function writtenPrecision(reader: FieldReader, settings: Section, sharding: Sharding): Precision | undefined {
  const [bf16, fp16] = [settings.at('bf16', 'enabled'), settings.at('fp16', 'enabled')]
  if (isFlag(fp16, true)) {
    const message = 'LLaMA-Factory v1 trains under DeepSpeed in bf16 only'
    return reader.refuse(fp16, 'unsupported-precision', message, 'Set fp16 off and bf16 on.')
  }
  if (isFlag(bf16, true)) return reader.note('precision', 'bf16-master', bf16)
  const off = [bf16, fp16].find(field => isFlag(field, false))
  return off !== undefined && sharding === 'zero3' ? reader.note('precision', 'fp32', off) : undefined
}

function isFlag(field: Field | undefined, flag: boolean): field is Field {
  return field?.value.kind === 'flag' && field.value.flag === flag
}

type Method = 'lora' | 'freeze' | 'full'

function readMethod(reader: FieldReader, field: Field | undefined): Method {
  const name = reader.text(field)
  if (name === undefined) return 'full'
  if (name === 'lora' || name === 'freeze') return name
  reader.refuse(
    field,
    'unsupported-training',
    `Fine-tuning with ${quote(name)} is not modelled yet`,
    'Use lora, freeze, or no peft_config.',
  )
  return 'full'
}

/** plugins/model_plugins/peft.py: trainable parameters are made float32 by default; FSDP computes with a copy in 16 bits. */
function castsTrained(reader: FieldReader, document: Section): boolean {
  return reader.flag(document.at('peft_config', 'cast_trainable_params_to_fp32')) ?? true
}

function readTrainable(
  reader: FieldReader,
  document: Section,
  model: CatalogueModel | undefined,
  inputGradients: boolean,
) {
  const from = document.at('peft_config', 'name')
  const at = (key: string) => document.at('peft_config', key)
  if (from === undefined) return undefined
  return readFreeze(reader, model, {
    from,
    layers: at('freeze_trainable_layers'),
    modules: at('freeze_trainable_modules'),
    extraModules: at('freeze_extra_modules'),
    inputGradients,
  })
}

function readCheckpointing(reader: FieldReader, field: Field | undefined): boolean {
  return reader.settle('gradientCheckpointing', field, present => reader.flag(present), {
    value: true,
    source: "LLaMA-Factory's default",
  })
}

function readQuantization(reader: FieldReader, bits: Field | undefined, hasAdapter: boolean) {
  const count = reader.wholeNumber(bits, { max: 8 })
  if (bits === undefined || count === undefined) return undefined
  if (count === 4 && hasAdapter) return reader.note('quantization', 'nf4-double' as const, bits)
  return reader.refuse(bits, 'unsupported-quantization', `${count}-bit base weights are not modelled yet`, leaveOut)
}

/** core/base_trainer.py: torch.optim.AdamW with its defaults. */
function readOptimizer(reader: FieldReader, field: Field | undefined): Optimizer {
  if (field?.value.kind === 'text' && field.value.text === 'muon') return readTrainerOptimizer(reader, field).optimizer
  if (field !== undefined) {
    reader.refuse(field, 'unsupported-optimizer', `The optimizer ${quote(field.source)} is not supported yet`, leaveOut)
  }
  return reader.note('optimizer', 'adamw', "LLaMA-Factory's default")
}

function deepSpeedField(document: Section): Field | undefined {
  return isDeepSpeed(document.at('dist_config', 'name')) ? document.at('dist_config', 'config_file') : undefined
}

function isDeepSpeed(name: Field | undefined): boolean {
  return name?.value.kind === 'text' && name.value.text === 'deepspeed'
}

function readSharding(reader: FieldReader, document: Section, file: DeepSpeedFile): Sharded {
  const name = document.at('dist_config', 'name')
  if (isDeepSpeed(name)) return readDeepSpeed(reader, deepSpeedField(document), file)
  return name?.source.startsWith('fsdp') ? { sharding: reader.note('sharding', 'fsdp', name) } : {}
}
