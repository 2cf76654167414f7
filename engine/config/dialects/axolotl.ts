/** Axolotl, as of 0.18: src/axolotl/utils/schemas/{config,training,peft}.py, its defaults; loaders/model.py, what they mean. */
import type { CatalogueModel } from '../../models/catalogue.ts'
import type { Dialect } from '../dialect.ts'
import type { FieldReader } from '../fields.ts'
import { languageModelReading, readBatch, readGpus, type Sequence } from '../language-model.ts'
import { type ModelLookup, readModel } from '../model-fields.ts'
import { quote } from '../quote.ts'
import type { Reading } from '../reading.ts'
import type { Field, Section } from '../section.ts'
import type { Precision, TrainingSpec } from '../spec.ts'
import { type LoraFields, readLora, readTargets, type Targets } from '../trainer/adapter.ts'
import {
  type AttentionChoice,
  eagerAttention,
  flashAttention,
  fusedAttention,
  readImplementation,
} from '../trainer/attention.ts'
import { readFloat8 } from '../trainer/float8.ts'
import { oneImage, trainsTowers } from '../trainer/images.ts'
import {
  denoising,
  isOn,
  kto,
  ordinary,
  type PreferenceTerms,
  preference,
  refuseGeneration,
  reward,
  type Training,
} from '../trainer/method.ts'
import { readTrainerOptimizer } from '../trainer/optimizer.ts'
import { readDeepSpeed, readFsdp, type Sharded } from '../trainer/sharding.ts'
import { storedQuantization } from '../trainer/stored-quantization.ts'
import { readTensorParallel } from '../trainer/tensor-parallel.ts'
import { readLisa, readUnfrozen } from '../trainer/trained-part.ts'
import { writesAny } from '../written-keys.ts'
import { type Around, readGenerated } from './axolotl/answers.ts'

/** Keys that no other tool has. */
const ownKeys = [
  'micro_batch_size',
  'sequence_len',
  'sample_packing',
  'val_set_size',
  'lora_target_linear',
  'adapter',
  'datasets',
]
const writesModel = writesAny(['base_model'])
const writesOwn = writesAny(['micro_batch_size', 'sequence_len', 'sample_packing', 'val_set_size'])

export const axolotl: Dialect = {
  name: 'Axolotl',
  mayBe: text => writesModel(text) && writesOwn(text),
  recognise: document => {
    const found = ownKeys.filter(key => document.fields.has(key))
    const isTraining = document.fields.has('micro_batch_size') || found.length >= 2
    return document.fields.has('base_model') && isTraining ? `base_model beside ${found.join(', ')}` : undefined
  },
  modelField: document => document.at('base_model'),
  read,
}

function read(document: Section, reader: FieldReader, lookUp: ModelLookup): Reading {
  const model = readModel(reader, document.field('base_model'), 'base_model', lookUp)
  const batch = readBatch(reader, {
    batchSize: document.at('micro_batch_size'),
    defaultBatch: {
      value: 1,
      source: "Axolotl's default",
      assumption: "A batch size of 1, Axolotl's default: the config sets none.",
    },
    accumulation: document.at('gradient_accumulation_steps'),
  })
  refuseRemote(reader, document.at('plugins'))
  const hasAdapter = readsAdapter(reader, document.at('adapter'))
  if (hasAdapter && isOn(reader, document.at('relora'))) {
    reader.assume('The adapters are counted as between two merges of ReLoRA; what a merge takes is not.')
  }
  const unfrozen = document.at('unfrozen_parameters')?.value
  if (hasAdapter && unfrozen?.kind === 'list' && unfrozen.items.length > 0) {
    reader.assume(
      'The adapters are counted as training, though unfrozen_parameters freezes whatever it does not name, them too.',
    )
  }
  const gpus = readMesh(reader, document)
  const training = readTraining(reader, document, { batch, gpus, hasAdapter })
  const sharded = readSharding(reader, document)
  const attention = readAttention(reader, document)
  const checkpoints = readCheckpointing(reader, document)
  const packing = document.at('sample_packing')
  const isPacked = packing !== undefined && reader.flag(packing) === true
  return languageModelReading(reader, {
    dialect: axolotl.name,
    model,
    batch,
    sequence: {
      ...sequenceOf(document, training),
      dividedBy: division(reader, contextParallel(document)),
    },
    settings: {
      gpus,
      precision: readPrecision(reader, document, sharded, hasAdapter),
      optimizer: readTrainerOptimizer(reader, document.at('optimizer'), {
        value: 'adamw-fused',
        source: "Axolotl's default",
        assumption: "Fused AdamW, Axolotl's default: the config sets no optimizer.",
      }),
      attention: attention.attention,
      gradientCheckpointing: checkpoints,
      lora: hasAdapter
        ? readLora(reader, model, {
            rank: document.at('lora_r'),
            defaultRank: {
              value: 8,
              source: "peft's default",
              assumption: "Adapters of rank 8, peft's default: the config sets no lora_r.",
            },
            dropout: document.at('lora_dropout'),
            defaultDropout: 0,
            targets: targetsOf(reader, document),
            targetField: document.at('lora_target_modules') ?? document.at('adapter'),
            modulesToSave: document.at('lora_modules_to_save'),
            ...readExpertAdapters(reader, document),
            ...(areLowered(document, training) && { inWeightsType: true }),
            ...(isOn(reader, document.at('peft_use_dora')) && { form: 'dora' }),
          })
        : undefined,
      trainable: hasAdapter ? undefined : readTrainable(reader, document, checkpoints),
      // processing_strategies.py: a config that names a processor trains on images.
      images: document.at('processor_type') === undefined ? undefined : oneImage(model),
      trainsTowers: hasAdapter ? undefined : readTowers(reader, document, model),
      quantization: readQuantization(reader, document, hasAdapter),
      fakeQuantization: readFakeQuantization(reader, document),
      float8: readFloat8(reader, document.at('fp8')),
      tensorParallel: readTensorParallel(reader, document.at('tensor_parallel_size'), false),
      expertParallel: readExpertParallel(reader, document.at('expert_parallel_size')),
      quantizedExperts: readExperts(reader, document.at('quantize_moe_experts')),
      linearExperts: readLinearExperts(reader, model, document.at('llama4_linearized_experts')),
      ...sharded,
      fusedLoss: training.method === undefined ? readFusedLoss(reader, document) : undefined,
      ...training,
      paddedBatches: reader.note(
        'paddedBatches',
        training.method?.kind === 'denoising' || (!isPacked && attention.masksPadding),
        packing ?? 'by the attention kernel',
      ),
    },
  })
}

/** integrations/hatchery: a stub stands in for the model, and a service trains it. */
function refuseRemote(reader: FieldReader, plugins: Field | undefined): void {
  const names = plugins?.value.kind === 'list' ? plugins.value.items : []
  if (!names.some(item => item.kind === 'text' && /HatcheryPlugin$/.test(item.text))) return
  const message = 'A remote service trains this model: nothing of it is on a GPU here'
  reader.refuse(
    plugins,
    'trained-elsewhere',
    message,
    'Leave this config out: add it to ignore in .github/memorymark.yml.',
  )
}

/** Answers follow prompts whatever sequence_len says: where it has no room for a prompt, it is counted as the prompt's. */
function sequenceOf(document: Section, { method }: Training): Pick<Sequence, 'field' | 'byDefault'> {
  const field = document.at('sequence_len')
  const written = field?.value.kind === 'number' ? field.value.number : undefined
  const answer = method?.kind === 'answers' ? method.answerLength : 0
  if (written === undefined || written < 1 || written > answer) {
    return { field, byDefault: { value: 512 + answer, source: "Axolotl's default" } }
  }
  const value = written + answer
  const assumption = `Sequences of ${value} tokens: prompts of up to sequence_len, and answers of up to ${answer}.`
  return { field: undefined, byDefault: { value, source: 'prompt and answer', assumption } }
}

/** core/builders/rl.py and core/builders/causal.py: TRL's trainers. */
function readTraining(reader: FieldReader, document: Section, around: Around): Training {
  const { hasAdapter } = around
  const [rewards, steps] = [document.at('reward_model'), document.at('process_reward_model')]
  if (isOn(reader, rewards)) return reward(reader, rewards, 'score')
  if (isOn(reader, steps)) return reward(reader, steps, 'steps')
  const diffusion = document.at('diffusion')
  if (diffusion !== undefined) return denoising(reader, diffusion)
  const rl = document.at('rl')
  const name = reader.text(rl)
  if (rl === undefined || name === undefined) return ordinary
  if (isOn(reader, document.at('dpo_use_liger_kernel'))) {
    reader.assume(
      "The logits are counted whole, though Liger's loss goes through them in chunks: the estimate is high.",
    )
  }
  const reference = readReference(reader, document, hasAdapter)
  switch (name) {
    case 'dpo':
    case 'ipo':
      return preference(reader, rl, { reference, style: 'trl' })
    case 'simpo':
      return preference(reader, rl, { reference: hasAdapter ? 'none' : 'copy', style: 'trl', withCrossEntropy: true })
    case 'orpo':
      return preference(reader, rl, { reference: 'none', style: 'trl', withCrossEntropy: true })
    case 'kto':
      return kto(reader, rl, { reference, style: 'trl' })
    case 'grpo':
    case 'gdpo':
    case 'ebft':
      return readGenerated(reader, document, rl, around)
    default:
      return refuseGeneration(reader, rl, name)
  }
}

/** train.py setup_reference_model: a second model wherever there is no adapter to turn off, even if its results were precomputed. */
function readReference(reader: FieldReader, document: Section, hasAdapter: boolean): PreferenceTerms['reference'] {
  if (!hasAdapter || isOn(reader, document.at('rl_adapter_ref_model'))) return 'copy'
  return isOn(reader, document.at('precompute_ref_log_probs')) ? 'none' : 'adapters-off'
}

/**
 * peft's target_parameters: it adds the adapters' products to the experts' matrices; integrations/kernels keeps them apart, and
 * dequantises experts in chunks.
 */
function readExpertAdapters(
  reader: FieldReader,
  document: Section,
): Pick<LoraFields, 'parameters' | 'inExpertKernels'> {
  const field = document.at('lora_target_parameters')
  const names = field && readTargets(reader, field)
  if (names === undefined || typeof names === 'string') return {}
  const parameters = names.filter(name => /_proj$/.test(name))
  const hasKernels = ['use_scattermoe', 'use_sonicmoe'].some(key => isOn(reader, document.at(key)))
  if (!hasKernels) return { parameters }
  reader.assume(
    "Experts in Axolotl's kernels are counted row by row, and whole where they are dequantised: the estimate is high rather than low.",
  )
  return { parameters, inExpertKernels: true }
}

function readTrainable(reader: FieldReader, document: Section, checkpoints: boolean): TrainingSpec['trainable'] {
  const unfrozen = readUnfrozen(reader, document.at('unfrozen_parameters'), checkpoints)
  // core/builders/causal.py: LISA is on where both are set.
  if (unfrozen !== undefined || document.at('lisa_step_interval') === undefined) return unfrozen
  return readLisa(reader, document.at('lisa_n_layers'), checkpoints)
}

function readsAdapter(reader: FieldReader, field: Field | undefined): boolean {
  const adapter = reader.text(field)
  if (adapter === undefined || adapter === '') return false
  if (adapter === 'lora' || adapter === 'qlora') return true
  reader.refuse(field, 'unsupported-setting', `The adapter ${quote(adapter)} is not modelled yet`, 'Use lora or qlora.')
  return true
}

/** TRL's GRPOTrainer casts adapters over quantised weights to bfloat16. */
function areLowered(document: Section, { method }: Training): boolean {
  const isQuantised = ['load_in_4bit', 'load_in_8bit'].some(key => {
    const value = document.at(key)?.value
    return value?.kind === 'flag' && value.flag
  })
  return method?.kind === 'answers' && isQuantised
}

function targetsOf(reader: FieldReader, document: Section): Targets {
  const isAll = reader.flag(document.at('lora_target_linear')) === true
  return isAll ? 'all' : (readTargets(reader, document.at('lora_target_modules')) ?? 'usual')
}

/** utils/freeze.py: `freeze_mm_modules` leaves the decoder alone to train. */
function readTowers(reader: FieldReader, document: Section, model: CatalogueModel | undefined): true | undefined {
  const isFrozen = reader.flag(document.at('freeze_mm_modules')) === true
  return document.at('processor_type') === undefined || isFrozen ? undefined : trainsTowers(model)
}

/** loaders/model.py: adapters with load_in_4bit get nf4 with double quantisation. */
function readQuantization(reader: FieldReader, document: Section, hasAdapter: boolean) {
  const eight = document.at('load_in_8bit')
  if (eight !== undefined && reader.flag(eight) === true && hasAdapter) {
    return reader.note('quantization', 'int8' as const, eight)
  }
  const four = document.at('load_in_4bit')
  const gptq = document.at('gptq')
  if (isOn(reader, gptq)) {
    if (hasAdapter) return reader.note('quantization', 'gptq' as const, gptq)
    const message = 'Weights stored by GPTQ cannot be trained without an adapter'
    return reader.refuse(gptq, 'quantised-without-adapter', message, 'Set adapter: lora.')
  }
  if (four === undefined || reader.flag(four) !== true) {
    return storedQuantization(reader, document.at('base_model'), hasAdapter)
  }
  if (hasAdapter) return reader.note('quantization', 'nf4-double' as const, four)
  return reader.refuse(
    four,
    'quantised-without-adapter',
    '4-bit weights cannot be trained without an adapter',
    'Set adapter: qlora, or load_in_4bit: false.',
  )
}

/** utils/distributed.py: the GPUs are the product of what each kind of parallelism asks for. */
function readMesh(reader: FieldReader, document: Section): number {
  const sizes = [
    ...[document.at('dp_shard_size'), contextParallel(document)],
    ...[document.at('tensor_parallel_size'), document.at('expert_parallel_size')],
  ]
  const fields = sizes.filter(field => field !== undefined)
  const [first] = fields
  if (first === undefined) return readGpus(reader, undefined)
  const gpus = fields.reduce((product, field) => product * division(reader, field), 1)
  return reader.note('gpus', gpus, first)
}

/** schemas/validation.py: the second is its older name, which still means the same. */
function contextParallel(document: Section): Field | undefined {
  return document.at('context_parallel_size') ?? document.at('sequence_parallel_degree')
}

function division(reader: FieldReader, field: Field | undefined): number {
  return reader.wholeNumber(field, { max: 1_000 }) ?? 1
}

function readExpertParallel(reader: FieldReader, field: Field | undefined): number | undefined {
  const gpus = division(reader, field)
  return field === undefined || gpus === 1 ? undefined : reader.note('expertParallel', gpus, field)
}

/** utils/quantization.py: torchao's QATConfig; without a group size 32 inputs share a scale. */
function readFakeQuantization(reader: FieldReader, document: Section): TrainingSpec['fakeQuantization'] {
  const field = document.at('qat')
  const [activations, weights] = [document.at('qat', 'activation_dtype'), document.at('qat', 'weight_dtype')]
  if (field === undefined) return undefined
  const format = [weights?.source].find(type => type === 'nvfp4' || type === 'mxfp4')
  if (format !== undefined && activations?.source === format) {
    return reader.note('fakeQuantization', { groupSize: fourBitGroups[format], format }, field)
  }
  if (activations?.source !== 'int8' || weights?.source !== 'int4') {
    const types = [activations, weights].map(type => type?.source ?? 'none').join(' and ')
    const message = `Quantisation-aware training in ${quote(types)} is not modelled yet`
    return reader.refuse(
      weights ?? field,
      'unsupported-training',
      message,
      'Use int8 activations and int4 weights, or nvfp4 for both.',
    )
  }
  const group = document.at('qat', 'group_size')
  const groupSize = group === undefined ? 32 : reader.wholeNumber(group, { max: 1_000_000 })
  return groupSize === undefined ? undefined : reader.note('fakeQuantization', { groupSize }, field)
}

/** Numbers that share a scale. */
const fourBitGroups = { nvfp4: 16, mxfp4: 32 } as const

/** monkeypatch/moe_quant.py: experts are quantised as they are loaded, and dequantised while their block runs. */
function readExperts(reader: FieldReader, field: Field | undefined): true | undefined {
  return isOn(reader, field) ? reader.note('quantizedExperts', true, field) : undefined
}

/** monkeypatch/models/llama4/modeling.py. */
function readLinearExperts(reader: FieldReader, model: CatalogueModel | undefined, field: Field | undefined) {
  return model?.family === 'llama4' && isOn(reader, field) ? reader.note('linearExperts', true, field) : undefined
}

/**
 * utils/config resolve_dtype: `bf16` (by default `auto`) and `fp16` load the weights in 16 bits; the Trainer's autocast above
 * them changes nothing. DeepSpeed, and FSDP for weights that train, add 32-bit masters (accelerate: accelerator.py, upcast).
 */
function readPrecision(reader: FieldReader, document: Section, { sharding }: Sharded, hasAdapter: boolean): Precision {
  const half: Precision = sharding === undefined || (sharding === 'fsdp' && hasAdapter) ? 'bf16' : 'bf16-master'
  const bf16 = document.at('bf16') ?? document.at('bfloat16')
  const fp16 = document.at('fp16') ?? document.at('float16')
  if (fp16 !== undefined && reader.flag(fp16) === true) {
    reader.assume('16-bit floats are counted as bf16: they hold the same bytes.')
    return reader.note('precision', half, fp16)
  }
  if (bf16 === undefined) return reader.note('precision', half, "Axolotl's default, bf16: auto")
  if (isAuto(bf16)) {
    reader.assume('Weights in bf16: bf16: auto means it on every GPU since Ampere.')
    return reader.note('precision', half, bf16)
  }
  if (bf16.source === 'full' || reader.flag(bf16) === true) return reader.note('precision', half, bf16)
  const tf32 = document.at('tf32')
  const usesTf32 = tf32 === undefined || isAuto(tf32) || reader.flag(tf32) === true
  return reader.note('precision', usesTf32 ? 'tf32' : 'fp32', tf32 ?? bf16)
}

function isAuto(field: Field): boolean {
  return field.value.kind === 'text' && field.value.text === 'auto'
}

/** utils/trainer.py: FSDP's own switch is as good, and wraps the same layers. */
function readCheckpointing(reader: FieldReader, document: Section): boolean {
  const own = document.at('gradient_checkpointing')
  const ofFsdp = ['activation_checkpointing', 'fsdp_activation_checkpointing'].map(key =>
    document.at('fsdp_config', key),
  )
  const field = own ?? ofFsdp.find(each => isOn(reader, each))
  const elsewhere = document.at('activation_offloading')
  const offloads = (choice: Field | undefined) =>
    choice?.value.kind === 'text' &&
    /^(offload|offload_disk|unsloth|legacy|disk|hidden_states)$/.test(choice.value.text)
  if (offloads(field) || offloads(elsewhere) || isOn(reader, offloads(elsewhere) ? undefined : elsewhere)) {
    reader.assume('Checkpoints are counted on the GPU, though the config moves them to the host: the estimate is high.')
  }
  return reader.settle('gradientCheckpointing', field, present => (offloads(present) ? true : reader.flag(present)), {
    value: false,
    source: "Axolotl's default",
  })
}

/** The older switches, in the order in which loaders/model.py asks for them. */
const kernels: readonly (readonly [key: string, choice: AttentionChoice])[] = [
  ['flash_attention', flashAttention],
  ['xformers_attention', flashAttention],
  ['flex_attention', flashAttention],
  ['sdp_attention', fusedAttention],
  ['eager_attention', eagerAttention],
]

function readAttention(reader: FieldReader, document: Section): AttentionChoice {
  for (const [key, choice] of kernels) {
    const field = document.at(key)
    if (field === undefined || reader.flag(field) !== true) continue
    reader.note('attention', choice.attention, field)
    return choice
  }
  return readImplementation(reader, document.at('attn_implementation'))
}

/** integrations/liger and integrations/cut_cross_entropy: the latter's plugin switches it on. */
function readFusedLoss(reader: FieldReader, document: Section): boolean | undefined {
  const liger = document.at('liger_fused_linear_cross_entropy')
  if (liger !== undefined && reader.flag(liger) === true) return reader.note('fusedLoss', true, liger)
  const plugins = document.at('plugins')
  const isCut =
    plugins?.value.kind === 'list' &&
    plugins.value.items.some(item => item.kind === 'text' && /cut_cross_entropy/i.test(item.text))
  const cut = document.at('cut_cross_entropy')
  if (plugins === undefined || !isCut || (cut !== undefined && reader.flag(cut) === false)) return undefined
  return reader.note('fusedLoss', true, plugins)
}

/** deepspeed_configs/zero2.json of Axolotl's repository: its name does not say that it offloads. */
const offloadingFile = /deepspeed_configs\/zero2(?:_torch_compile)?\.json["']?$/

function readSharding(reader: FieldReader, document: Section): Sharded {
  const file = document.at('deepspeed')
  const deepspeed = readDeepSpeed(reader, file)
  if (file !== undefined && offloadingFile.test(file.source)) {
    reader.assume("The optimizer's state is on the host: Axolotl's own zero2.json offloads it.")
    return { ...deepspeed, offload: reader.note('offload', 'optimizer', file) }
  }
  if (deepspeed.sharding !== undefined) return deepspeed
  const config = document.at('fsdp_config')?.value
  return readFsdp(reader, {
    fsdp: document.at('fsdp'),
    config: config?.kind === 'mapping' ? config.section : undefined,
  })
}
