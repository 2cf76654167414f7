/** Axolotl, as of 0.18: src/axolotl/utils/schemas/{config,training,peft}.py, its defaults; loaders/model.py, what they mean. */
import { familyOf } from '../../models/architecture.ts'
import type { CatalogueModel } from '../../models/catalogue.ts'
import { isFsdp, type Optimizer } from '../../training/choices.ts'
import type { TrainedPart } from '../../training/spec.ts'
import type { Dialect } from '../dialect.ts'
import type { Default, FieldReader } from '../fields/fields.ts'
import { type ModelLookup, readModel } from '../fields/model-fields.ts'
import { leaveOut } from '../fields/supplied.ts'
import type { DeepSpeedFile } from '../other-files/deepspeed-file.ts'
import type { Reading } from '../reading.ts'
import type { Field, Section } from '../text/section.ts'
import { writesAny } from '../text/written-keys.ts'
import { readLora, tellOfEarlierAdapters } from '../trainer/adapter.ts'
import {
  type AttentionChoice,
  eagerAttention,
  flashAttention,
  fusedAttention,
  readImplementation,
} from '../trainer/attention.ts'
import { fsdpCheckpoints, readReentrant } from '../trainer/checkpoints.ts'
import { readFloat8 } from '../trainer/float8.ts'
import { oneImage, trainsTowers } from '../trainer/images.ts'
import { languageModelReading, readBatch, type Sequence } from '../trainer/language-model.ts'
import { kernelsOfPacked } from '../trainer/linear-attention.ts'
import { quantizesOnLoad } from '../trainer/loading.ts'
import {
  isOn,
  kto,
  maskedDiffusion,
  ordinary,
  type PreferenceTerms,
  preference,
  refuseGeneration,
  reward,
  type Training,
  tellOfWholeLogits,
} from '../trainer/method.ts'
import { readTrainerOptimizer } from '../trainer/optimizer.ts'
import { readResuming } from '../trainer/resuming.ts'
import { readTensorParallel } from '../trainer/tensor-parallel.ts'
import { areLowered, readsAdapter, readTrainable, targetsOf } from './axolotl/adapters.ts'
import { type Around, readGenerated } from './axolotl/completions.ts'
import { readEvaluation } from './axolotl/evaluation.ts'
import { readExpertStyle, readExpertTargets, readQuantizedExperts } from './axolotl/experts.ts'
import { contextParallel, division, readExpertParallel, readMesh, readSharding } from './axolotl/parallelism.ts'
import { readFakeQuantization, readPrecision, readQuantization } from './axolotl/weights.ts'

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
/** Axolotl trains on one of these. */
const dataKeys = ['datasets', 'pretraining_dataset']
/** Options of alpaca-lora's finetune.py, which calls its model and its micro-batch as Axolotl does. */
const alpacaLoraKeys = ['data_path', 'cutoff_len']
const writesModel = writesAny(['base_model'])
const writesOwn = writesAny(['micro_batch_size', 'sequence_len', 'sample_packing', 'val_set_size'])

export const axolotl: Dialect = {
  name: 'Axolotl',
  mayBe: text => writesModel(text) && writesOwn(text),
  recognise: document => {
    const writes = (key: string) => document.fields.has(key)
    const found = ownKeys.filter(writes)
    const isTraining = writes('micro_batch_size') || found.length >= 2
    const isOther = alpacaLoraKeys.some(writes) && !dataKeys.some(writes)
    return writes('base_model') && isTraining && !isOther ? `base_model beside ${found.join(', ')}` : undefined
  },
  // Unread where there is no adapter, or no images; the types follow bf16 and fp16.
  withoutBearing: /^(?:lora_(?:r|dropout|target_\w+|modules_to_save)|freeze_mm_modules|torch_dtype)$/,
  // axolotl/utils/__init__.py set_pytorch_cuda_alloc_conf, which its command line calls first.
  expandsSegments: true,
  modelField: document => document.at('base_model'),
  deepSpeedField: document => document.at('deepspeed'),
  read,
}

function read(document: Section, reader: FieldReader, lookUp: ModelLookup, deepSpeed: DeepSpeedFile): Reading {
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
  refuseTeacher(reader, document)
  tellOfOwnCode(reader, document)
  const hasAdapter = readsAdapter(reader, document.at('adapter'))
  if (hasAdapter && isOn(reader, document.at('relora'))) {
    reader.assume('Memory is counted between two merges of ReLoRA; the memory of a merge itself is not.')
  }
  // loaders/adapter.py load_lora: PeftModel.from_pretrained.
  if (hasAdapter) tellOfEarlierAdapters(reader, document.at('lora_model_dir'))
  const unfrozen = document.at('unfrozen_parameters')?.value
  if (hasAdapter && unfrozen?.kind === 'list' && unfrozen.items.length > 0) {
    reader.assume(
      'The adapters are counted as trainable, although unfrozen_parameters freezes everything that it does not name, including them.',
    )
  }
  const sharded = readSharding(reader, document, deepSpeed)
  const mesh = readMesh(reader, document, sharded.sharding)
  const training = readTraining(reader, document, { batch, gpus: mesh.gpus, hasAdapter })
  const attention = readAttention(reader, document, model)
  const byFsdp = isFsdp(sharded.sharding) ? fsdpCheckpoints(reader, document.at('fsdp_config')) : undefined
  const checkpoints = readCheckpointing(reader, document, byFsdp)
  const offloadsCheckpoints = checkpoints ? readOffloading(reader, document) : undefined
  const packing = document.at('sample_packing')
  const isPacked = packing !== undefined && reader.flag(packing) === true
  const expertTargets = hasAdapter ? readExpertTargets(reader, document) : undefined
  const quantization = readQuantization(reader, document, hasAdapter)
  return languageModelReading(reader, {
    dialect: axolotl.name,
    model,
    batch,
    sequence: {
      ...sequenceOf(document, training),
      dividedBy: division(reader, contextParallel(document)),
    },
    imageSize: readSide(document),
    settings: {
      ...mesh,
      ...readPrecision(reader, document, sharded, hasAdapter),
      ...readTrainerOptimizer(reader, document.at('optimizer'), defaultOptimizer, groupsByRate(document)),
      attention: attention.attention,
      gradientCheckpointing: checkpoints,
      fusedNorms: readFusedNorms(reader, document.at('liger_rms_norm')),
      offloadsCheckpoints,
      reentrantCheckpoints: byFsdp
        ? false
        : (readReentrant(reader, document.at('gradient_checkpointing_kwargs')) ??
          (checkpoints && !offloadsCheckpoints ? reentrantByDefault(reader, document, model) : undefined)),
      expertStyle: readExpertStyle(reader, document, model, expertTargets !== undefined),
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
            ...(expertTargets && { parameters: expertTargets }),
            ...(areLowered(document, training) && { inWeightsType: true }),
            ...(isOn(reader, document.at('peft_use_dora')) && { form: 'dora' }),
          })
        : undefined,
      trainable: hasAdapter
        ? undefined
        : (readTrainable(reader, document, checkpoints) ?? readLanguageOnly(reader, document, model, checkpoints)),
      // processing_strategies.py: a config that names a processor trains on images.
      images: document.at('processor_type') === undefined ? undefined : oneImage(model),
      trainsTowers: hasAdapter ? undefined : readTowers(reader, document, model),
      quantization,
      quantizesOnLoad: quantizesOnLoad(quantization, document.at('base_model')),
      fakeQuantization: readFakeQuantization(reader, document),
      float8: readFloat8(reader, document.at('fp8')),
      tensorParallel: readTensorParallel(reader, document.at('tensor_parallel_size'), false),
      expertParallel: readExpertParallel(reader, document.at('expert_parallel_size')),
      quantizedExperts: readQuantizedExperts(reader, document.at('quantize_moe_experts'), sharded),
      ...sharded,
      fusedLoss: training.method === undefined ? readFusedLoss(reader, document) : undefined,
      ...training,
      evaluation: readEvaluation(reader, document, batch),
      // The second goes on where there is a checkpoint.
      resumes: readResuming(reader, key => document.at(key) ?? document.at('auto_resume_from_checkpoints')),
      versions: kernelsOfPacked(reader, model, isPacked),
      paddedBatches: reader.note(
        'paddedBatches',
        training.method?.kind === 'masked-diffusion' || (!isPacked && attention.masksPadding),
        packing ?? 'by the attention kernel',
      ),
    },
  })
}

/** integrations/hatchery: a stub replaces the model, and a remote service trains it. */
function refuseRemote(reader: FieldReader, plugins: Field | undefined): void {
  const names = plugins?.value.kind === 'list' ? plugins.value.items : []
  if (!names.some(item => item.kind === 'text' && /HatcheryPlugin$/.test(item.text))) return
  const message = 'A remote service trains this model, so none of it is on a GPU here'
  reader.refuse(
    plugins,
    'trained-elsewhere',
    message,
    'Exclude this config: add it to ignore in .github/memorymark.yml.',
  )
}

/** A trainer of the team's own, the layers that Spectrum freezes, and a cross-entropy on top of DPO's. */
const ownKeysOfSteps = ['trainer_cls', 'spectrum_top_fraction', 'rpo_alpha']

/** Like those, plugins that are not Axolotl's own may change any part of the step. */
function tellOfOwnCode(reader: FieldReader, document: Section): void {
  const plugins = document.at('plugins')
  const names = plugins?.value.kind === 'list' ? plugins.value.items : []
  const isOwn = names.some(item => item.kind === 'text' && !item.text.startsWith('axolotl.'))
  const fields = [isOwn ? plugins : undefined, ...ownKeysOfSteps.map(key => document.at(key))]
  for (const field of fields) if (field !== undefined && field.value.kind !== 'empty') reader.uncounted.push(field)
}

/** integrations/kd: the teacher's likeliest tokens come with the data, and a loss of its own learns from them. */
function refuseTeacher(reader: FieldReader, document: Section): void {
  const field = document.at('kd_trainer')
  if (!isOn(reader, field)) return
  reader.refuse(field, 'unsupported-training', "Distillation by Axolotl's KD trainer is not modelled yet", leaveOut)
}

/** Completions follow prompts whatever sequence_len says: if it leaves no room for a prompt, it is counted as the prompt's length. */
function sequenceOf(document: Section, { method }: Training): Pick<Sequence, 'field' | 'byDefault'> {
  const field = document.at('sequence_len')
  const written = field?.value.kind === 'number' ? field.value.number : undefined
  const answer = method?.kind === 'online' ? method.completionLength : 0
  if (written === undefined || written < 1 || written > answer) {
    return { field, byDefault: { value: 512 + answer, source: "Axolotl's default" } }
  }
  const value = written + answer
  const assumption = `Sequences of ${value} tokens: prompts of up to sequence_len, and completions of up to ${answer}.`
  return { field: undefined, byDefault: { value, source: 'prompt and completion', assumption } }
}

/** core/builders/rl.py and core/builders/causal.py: TRL's trainers. */
function readTraining(reader: FieldReader, document: Section, around: Around): Training {
  const { hasAdapter } = around
  const [rewards, steps] = [document.at('reward_model'), document.at('process_reward_model')]
  if (isOn(reader, rewards)) return reward(reader, rewards, 'score')
  if (isOn(reader, steps)) return reward(reader, steps, 'steps')
  const diffusion = document.at('diffusion')
  if (diffusion !== undefined) return maskedDiffusion(reader, diffusion)
  const rl = document.at('rl')
  const name = reader.text(rl)
  if (rl === undefined || name === undefined) return ordinary
  tellOfWholeLogits(reader, document.at('dpo_use_liger_kernel'))
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

/** train.py setup_reference_model: a second model whenever there is no adapter to disable, even if its results were precomputed. */
function readReference(reader: FieldReader, document: Section, hasAdapter: boolean): PreferenceTerms['reference'] {
  if (!hasAdapter || isOn(reader, document.at('rl_adapter_ref_model'))) return 'copy'
  return isOn(reader, document.at('precompute_ref_log_probs')) ? 'none' : 'adapters-off'
}

/** processing_strategies.py: images are padded to a square of `image_size`; a pair is its width and height. */
function readSide(document: Section): Field | undefined {
  const field = document.at('image_size')
  return document.at('processor_type') !== undefined && field?.value.kind === 'number' ? field : undefined
}

/** The same switch, where images run through the frozen tower. */
function readLanguageOnly(
  reader: FieldReader,
  document: Section,
  model: CatalogueModel | undefined,
  inputGradients: boolean,
): TrainedPart | undefined {
  const field = document.at('freeze_mm_modules')
  const parts = model && familyOf(model.config).parts
  if (parts === undefined || !isOn(reader, field) || document.at('processor_type') === undefined) return undefined
  return reader.note<TrainedPart>('trainable', { names: [...parts.language], inputGradients }, field ?? 'as written')
}

/** utils/freeze.py: with `freeze_mm_modules`, only the decoder trains. */
function readTowers(reader: FieldReader, document: Section, model: CatalogueModel | undefined): true | undefined {
  const isFrozen = reader.flag(document.at('freeze_mm_modules')) === true
  return document.at('processor_type') === undefined || isFrozen ? undefined : trainsTowers(model)
}

/** utils/trainer.py: FSDP's own switch has the same effect, and wraps the same layers. */
function readCheckpointing(reader: FieldReader, document: Section, byFsdp: Field | undefined): boolean {
  const field = byFsdp ?? document.at('gradient_checkpointing')
  return reader.settle('gradientCheckpointing', field, present => (offloads(present) ? true : reader.flag(present)), {
    value: false,
    source: "Axolotl's default",
  })
}

/** utils/config/__init__.py and core/builders/base.py, whatever transformers has by default. */
function reentrantByDefault(reader: FieldReader, document: Section, model: CatalogueModel | undefined): boolean {
  const isOther = ['unfrozen_parameters', 'rl'].some(key => (document.at(key)?.value.kind ?? 'empty') !== 'empty')
  const isReentrant = !isOther && !/^gemma4(_unified)?$/.test(model?.config.model_type ?? '')
  return reader.note('reentrantCheckpoints', isReentrant, "Axolotl's default")
}

function offloads(choice: Field | undefined): boolean {
  return (
    choice?.value.kind === 'text' &&
    /^(offload|offload_disk|unsloth|legacy|disk|hidden_states)$/.test(choice.value.text)
  )
}

/** core/trainers/mixins/activation_checkpointing.py: the blocks' inputs wait on the host for the backward pass. */
function readOffloading(reader: FieldReader, document: Section): true | undefined {
  const [own, elsewhere] = [document.at('gradient_checkpointing'), document.at('activation_offloading')]
  const field = offloads(own) ? own : offloads(elsewhere) || isOn(reader, elsewhere) ? elsewhere : undefined
  return field && reader.note('offloadsCheckpoints', true, field)
}

/** The older switches, in the order in which loaders/model.py checks them. */
const kernels: readonly (readonly [key: string, choice: AttentionChoice])[] = [
  ['flash_attention', flashAttention],
  ['xformers_attention', flashAttention],
  ['flex_attention', flashAttention],
  ['sdp_attention', fusedAttention],
  ['eager_attention', eagerAttention],
]

function readAttention(reader: FieldReader, document: Section, model: CatalogueModel | undefined): AttentionChoice {
  for (const [key, choice] of kernels) {
    const field = document.at(key)
    if (field === undefined || reader.flag(field) !== true) continue
    reader.note('attention', choice.attention, field)
    return choice
  }
  return readImplementation(reader, document.at('attn_implementation'), model)
}

/** integrations/liger: one kernel for RMSNorm. */
function readFusedNorms(reader: FieldReader, field: Field | undefined): true | undefined {
  return isOn(reader, field) && field !== undefined ? reader.note('fusedNorms', true, field) : undefined
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

/** core/trainers/mixins/optimizer.py: with one of these it groups the parameters itself, and leaves embeddings to the optimizer. */
const rateKeys = ['embedding_lr', 'embedding_lr_scale', 'loraplus_lr_ratio', 'lr_groups']

function groupsByRate(document: Section): boolean {
  return rateKeys.map(key => document.at(key)).some(field => field !== undefined && field.value.kind !== 'empty')
}

const defaultOptimizer: Default<Optimizer> = {
  value: 'adamw-fused',
  source: "Axolotl's default",
  assumption: "Fused AdamW, Axolotl's default: the config sets no optimizer.",
}
