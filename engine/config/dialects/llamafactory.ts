/** LLaMA-Factory, as of 0.9.6: src/llamafactory/hparams/*.py, its defaults; model/adapter.py and model/patcher.py, what they mean. */
import { wordList } from '../../base/word-list.ts'
import type { CatalogueModel } from '../../models/catalogue.ts'
import { isFsdp, type Precision } from '../../training/choices.ts'
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
import {
  type AttentionChoice,
  eagerAttention,
  flashAttention,
  fusedAttention,
  readImplementation,
} from '../trainer/attention.ts'
import { type ComputedIn, computedIn, inFloat16 } from '../trainer/autocast.ts'
import { readEvaluation } from '../trainer/evaluation.ts'
import { readFloat8 } from '../trainer/float8.ts'
import { imageOfEverySample } from '../trainer/images.ts'
import { languageModelReading, readBatch } from '../trainer/language-model.ts'
import { keptWhole, loadsWhole, quantizesOnLoad } from '../trainer/loading.ts'
import { asft, isOn, kto, ordinary, preference, refuseGeneration, reward, type Training } from '../trainer/method.ts'
import { readTrainerOptimizer } from '../trainer/optimizer.ts'
import { readResuming } from '../trainer/resuming.ts'
import { deepSpeedSettings, halfPrecisionSwitch, readDeepSpeed, readFsdp, type Sharded } from '../trainer/sharding.ts'
import { storedQuantization } from '../trainer/stored-quantization.ts'
import { readCheckpointing } from './llamafactory/checkpointing.ts'
import {
  blockwiseField,
  hasAdapters,
  type Method,
  readAdapter,
  readMethod,
  readTrainable,
} from './llamafactory/fine-tuning.ts'

/** Keys that no other tool has, beside `model_name_or_path`. */
const ownKeys = ['finetuning_type', 'cutoff_len', 'template', 'dataset_dir', 'lora_target', 'quantization_bit', 'stage']
const writesModel = writesAny(['model_name_or_path'])
const writesOwn = writesAny(['finetuning_type', 'cutoff_len', 'lora_target', 'stage'])

export const llamafactory: Dialect = {
  name: 'LLaMA-Factory',
  mayBe: text => writesModel(text) && writesOwn(text),
  recognise: file => {
    const document = argumentsIn(file)
    return document && `model_name_or_path beside ${ownKeysIn(document).join(', ')}`
  },
  modelField: file => argumentsIn(file)?.at('model_name_or_path'),
  deepSpeedField: file => argumentsIn(file)?.at('deepspeed'),
  // Unread where nothing is adapted; checkpointing and frozen towers are its defaults. Of 4 bits, nf4 and fp4 take the same.
  withoutBearing:
    /(?:^|\.)(?:lora_(?:rank|target|dropout)|quantization_type|gradient_checkpointing|freeze_(?:vision_tower|multi_modal_projector)|badam_switch_\w+)$/,
  read: (file, reader, lookUp, deepSpeed) => read(argumentsIn(file) ?? file, reader, lookUp, deepSpeed),
}

/** The file, or the mapping in it that a launcher passes on. */
function argumentsIn(file: Section): Section | undefined {
  return file.nested(1).find(section => {
    const trains = section.at('per_device_train_batch_size') ?? section.at('do_train')
    return section.at('model_name_or_path') !== undefined && trains !== undefined && ownKeysIn(section).length >= 2
  })
}

function ownKeysIn(section: Section): readonly string[] {
  return ownKeys.filter(key => section.at(key) !== undefined)
}

function read(document: Section, reader: FieldReader, lookUp: ModelLookup, deepSpeed: DeepSpeedFile): Reading {
  refuseUnmodelled(reader, document)
  const model = readModel(reader, document.field('model_name_or_path'), 'model_name_or_path', lookUp)
  const batch = readBatch(reader, {
    batchSize: document.at('per_device_train_batch_size'),
    defaultBatch: {
      value: 8,
      source: "the Trainer's default",
      assumption: "A batch size of 8, the Trainer's default: the config sets none.",
    },
    accumulation: document.at('gradient_accumulation_steps'),
  })
  const method = readMethod(reader, document.at('finetuning_type'))
  const training = readStage(reader, document, method)
  const sharded = readSharding(reader, document, deepSpeed)
  const quantization = readQuantization(reader, document, method)
  // model/model_utils/quantization.py: packed in the type that it computes in.
  const gpus = readGpus(reader, undefined, sharded.sharding)
  const quantized = { ...sharded, gpus, quantization, storage: 'floats' as const }
  const attention = readAttention(reader, document.at('flash_attn'), model)
  const packing = document.at('neat_packing') ?? document.at('packing')
  const isPacked = packing === undefined ? document.at('stage')?.source === 'pt' : reader.flag(packing) === true
  return languageModelReading(reader, {
    dialect: llamafactory.name,
    model,
    batch,
    sequence: { field: document.at('cutoff_len'), byDefault: { value: 2_048, source: "LLaMA-Factory's default" } },
    // hparams/model_args.py; data/mm_plugin.py _preprocess_image scales larger images down to it.
    pixelLimit: {
      field: document.at('image_max_pixels'),
      byDefault: { value: 768 * 768, source: "LLaMA-Factory's default" },
      key: 'image_max_pixels',
    },
    // data/mm_plugin.py InternVLPlugin: an image stays whole unless the config says otherwise.
    imageHandling: { cuts: reader.flag(document.at('crop_to_patches')) === true },
    settings: {
      gpus,
      ...readPrecision(reader, document, method, { ...sharded, deepSpeed }),
      ...readOptimizer(reader, document),
      attention: attention.attention,
      ...readCheckpointing(reader, document, sharded),
      lora: hasAdapters(method) ? readAdapter(reader, document, model, method) : undefined,
      trainable: readTrainable(reader, document, model, method),
      images: imageOfEverySample(model),
      quantization,
      loadsWhole: loadsWhole(reader, quantized),
      quantizesOnLoad: quantizesOnLoad(quantization, document.at('model_name_or_path')),
      wholeQuantized: keptWhole(reader, quantized),
      float8: readFloat8(reader, document.at('fp8')),
      ...sharded,
      fusedLoss: training.method === undefined ? readFusedLoss(reader, document.at('enable_liger_kernel')) : undefined,
      ...training,
      resumes: readResuming(reader, key => document.at(key)),
      // train/sft/workflow.py: of logits, compute_accuracy keeps the likeliest tokens; nothing else keeps any.
      evaluation: readEvaluation(reader, (...keys) => keys.map(key => document.at(key)).find(Boolean), {
        keepsNoLogits: true,
      }),
      paddedBatches: reader.note(
        'paddedBatches',
        !isPacked && attention.masksPadding,
        packing ?? 'by stage and attention kernel',
      ),
    },
  })
}

const unmodelled = [...['use_galore', 'use_apollo', 'use_llama_pro'], 'use_unsloth', 'use_kt', 'use_mca']
/** For each of these, a value of one changes nothing. */
const divisions = wordList(`
  tensor_model_parallel_size pipeline_model_parallel_size expert_model_parallel_size context_parallel_size
  sequence_parallel_size
`)
const present = ['mixture_of_depths']

function refuseUnmodelled(reader: FieldReader, document: Section): void {
  const fields = [
    ...unmodelled.map(key => document.at(key)).filter(field => isOn(reader, field)),
    ...divisions.map(key => document.at(key)).filter(field => (reader.wholeNumber(field, { max: 100_000 }) ?? 1) > 1),
    ...present.map(key => document.at(key)),
  ]
  for (const field of fields) {
    if (field === undefined) continue
    reader.refuse(field, 'unsupported-setting', `${field.key} is not modelled yet`, leaveOut)
  }
}

/** train/sft/workflow.py: ASFT's loss needs a reference, which trainer_utils.py creates except for adapters. */
function readLoss(reader: FieldReader, document: Section, method: Method): Training {
  const field = document.at('use_asft_loss')
  if (!isOn(reader, field)) return ordinary
  if (method !== 'lora') return asft(reader, field)
  const message = 'use_asft_loss has no reference model when adapters are trained'
  reader.refuse(field, 'unsupported-setting', message, 'Set finetuning_type: full, or remove use_asft_loss.')
  return ordinary
}

/** train/{dpo,kto,rm}: a second model if no adapter can be disabled (trainer_utils.py create_ref_model). */
function readStage(reader: FieldReader, document: Section, method: Method): Training {
  const stage = document.at('stage')
  const name = reader.text(stage)
  if (stage === undefined || name === undefined || /^(?:sft|pt)$/i.test(name)) return readLoss(reader, document, method)
  const other = document.at('ref_model')
  if (other !== undefined) {
    reader.assume(`The reference ${quote(other.source)} is counted as a copy of the trained model.`)
    if (other.source !== document.at('model_name_or_path')?.source) reader.uncounted.push(other)
  }
  const reference = method === 'lora' && other === undefined ? 'adapters-off' : 'copy'
  const loss = document.at('pref_loss')
  const isFree = loss?.value.kind === 'text' && /^(?:orpo|simpo)$/.test(loss.value.text)
  switch (name) {
    case 'dpo':
      return preference(reader, stage, { reference: isFree ? 'none' : reference, style: 'llamafactory' })
    case 'kto':
      return kto(reader, stage, { reference, style: 'llamafactory' })
    case 'orpo':
      // llmtuner/train/orpo of 0.6.2 to 0.7.1.
      reader.assume('The stage is of LLaMA-Factory before 0.8, and counted as stage: dpo with pref_loss: orpo since.')
      return preference(reader, stage, { reference: 'none', style: 'llamafactory' })
    case 'rm':
      return reward(reader, stage, 'value')
    case 'ppo':
      return refuseGeneration(reader, stage, name)
    default:
      reader.refuse(
        stage,
        'unsupported-training',
        `LLaMA-Factory has no stage ${quote(name)}`,
        'Use pt, sft, rm, ppo, dpo or kto.',
      )
      return ordinary
  }
}

/** train/trainer_utils.py create_custom_optimizer: switches that replace `optim`. */
function readOptimizer(reader: FieldReader, document: Section): ReturnType<typeof readTrainerOptimizer> {
  const [mini, muon] = [document.at('use_adam_mini'), document.at('use_muon')]
  if (isOn(reader, mini)) return { optimizer: reader.note('optimizer', 'adam-mini', mini) }
  const named: Field | undefined = isOn(reader, muon) ? { ...muon, value: { kind: 'text', text: 'muon' } } : undefined
  return readTrainerOptimizer(reader, named ?? document.at('optim'))
}

/** hparams/model_args.py: 8 bits, or 4 as nf4, with double quantisation by default. */
function readQuantization(reader: FieldReader, document: Section, method: Method) {
  const bits = document.at('quantization_bit')
  // model/model_utils/quantization.py: the checkpoint's own format takes precedence over quantization_bit.
  const held = storedQuantization(reader, document.at('model_name_or_path'), hasAdapters(method))
  if (bits === undefined || held !== undefined) return held
  const count = reader.wholeNumber(bits, { max: 8 })
  const by = document.at('quantization_method')
  const name = reader.text(by)
  if (name !== undefined && name !== 'bnb' && name !== 'bitsandbytes') {
    return reader.refuse(
      by,
      'unsupported-quantization',
      `Weights quantised with ${quote(name)} are not modelled yet`,
      leaveOut,
    )
  }
  if (count !== undefined && count !== 4 && count !== 8) {
    return reader.refuse(
      bits,
      'unsupported-quantization',
      `${count}-bit base weights are not modelled yet`,
      'Use 4 or 8 bits.',
    )
  }
  if (!hasAdapters(method)) {
    const fix = 'Set finetuning_type: lora, or remove quantization_bit.'
    return reader.refuse(bits, 'quantised-without-adapter', 'Quantised weights cannot be trained without adapters', fix)
  }
  if (count === 8) return reader.note('quantization', 'int8' as const, bits)
  const isSingle = reader.flag(document.at('double_quantization')) === false
  return reader.note('quantization', isSingle ? ('nf4' as const) : ('nf4-double' as const), bits)
}

/**
 * model/adapter.py, init_adapter: trainable parameters are cast to 32 bits, unless `pure_bf16`. So full fine-tuning holds 32-bit
 * weights under autocast, and adapters sit on a 16-bit base model (hparams/parser.py: of the switch that is on, bf16 before fp16;
 * patcher.py: bf16 even if neither is).
 */
function readPrecision(
  reader: FieldReader,
  document: Section,
  method: Method,
  { sharding, deepSpeed }: Sharded & { readonly deepSpeed: DeepSpeedFile },
): ComputedIn {
  const settings = deepSpeedSettings(document.at('deepspeed'), deepSpeed)
  const [bf16, fp16] = (['bf16', 'fp16'] as const).map(key =>
    halfPrecisionSwitch(reader, key, document.at(key), settings),
  )
  const pure = document.at('pure_bf16')
  const on = [pure, bf16, fp16].find(field => field !== undefined && reader.flag(field) === true)
  // hparams/parser.py, since 0.8.3. Before, ZeRO-3 then trained in float32.
  if (pure !== undefined && on === pure && sharding === 'zero3') {
    const message = 'pure_bf16 is incompatible with DeepSpeed ZeRO-3'
    reader.refuse(pure, 'unsupported-setting', message, 'Set bf16: true instead, or use ZeRO-2.')
  }
  const mixed = [bf16, fp16].find(field => field !== undefined && reader.flag(field) === true)
  if (pure !== undefined && on === pure && mixed !== undefined) {
    const message = `${mixed.name} beside pure_bf16 is mixed precision, with which LLaMA-Factory does not start`
    reader.refuse(mixed, 'precision-conflict', message, `Set ${mixed.name} or pure_bf16 to false.`)
  }
  const source = "LLaMA-Factory's default"
  const switched = on === fp16 ? fp16 : undefined
  const blockwise = blockwiseField(reader, document)
  const inType = (precision: Precision, from: Field | string) => ({
    precision: reader.note('precision', precision, from),
  })
  if (blockwise !== undefined) return inType('bf16-master', blockwise)
  const hasMasters = sharding !== undefined && !(isFsdp(sharding) && hasAdapters(method))
  if (hasMasters && on !== undefined) return inFloat16(reader, inType('bf16-master', on), switched)
  if (hasAdapters(method) || (on !== undefined && on === pure)) {
    return inFloat16(reader, computedIn(reader, reader.note('precision', 'bf16', on ?? source), mixed), switched)
  }
  return on === undefined ? inType('fp32', source) : inType(on === fp16 ? 'amp-fp16' : 'amp-bf16', on)
}

const kernels: ReadonlyMap<string, AttentionChoice> = new Map([
  ['sdpa', fusedAttention],
  ['fa2', flashAttention],
  ['fa3', flashAttention],
  ['disabled', eagerAttention],
])

/** model/model_utils/attention.py: `auto`, its default, leaves the choice to transformers. */
function readAttention(
  reader: FieldReader,
  field: Field | undefined,
  model: CatalogueModel | undefined,
): AttentionChoice {
  const isAuto = field?.value.kind === 'text' && field.value.text === 'auto'
  if (field === undefined || isAuto) return readImplementation(reader, undefined, model)
  const choice = reader.choice(field, kernels) ?? fusedAttention
  reader.note('attention', choice.attention, field)
  return choice
}

/** model/model_utils/liger_kernel.py: fuses the loss of the pt and sft stages. */
function readFusedLoss(reader: FieldReader, liger: Field | undefined): true | undefined {
  return liger !== undefined && reader.flag(liger) === true ? reader.note('fusedLoss', true, liger) : undefined
}

function readSharding(reader: FieldReader, document: Section, file: DeepSpeedFile): Sharded {
  const deepspeed = readDeepSpeed(reader, document.at('deepspeed'), file)
  if (deepspeed.sharding !== undefined) return deepspeed
  const config = document.at('fsdp_config')?.value
  return readFsdp(reader, {
    fsdp: document.at('fsdp'),
    config: config?.kind === 'mapping' ? config.section : undefined,
  })
}
