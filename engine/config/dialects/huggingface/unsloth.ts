/**
 * How a step differs under Unsloth. Sources: unsloth 2026.8 models/llama.py, models/rl.py and kernels/fast_lora.py;
 * unsloth_zoo/gradient_checkpointing.py.
 */
import { wordList } from '../../../base/word-list.ts'
import { familyOf, isAudioModel, isVisionLanguageModel } from '../../../models/architecture.ts'
import type { CatalogueModel } from '../../../models/catalogue.ts'
import { isOfFourBits } from '../../../training/choices.ts'
import type { TrainingSpec } from '../../../training/spec.ts'
import { isBefore } from '../../../training/versions.ts'
import type { Default, FieldReader } from '../../fields/fields.ts'
import type { Field } from '../../text/section.ts'
import { type LoraFields, namesIn } from '../../trainer/adapter.ts'
import { type Declared, unslothAdapters } from './declared.ts'
import type { Find } from './task.ts'

/** Every block's input waits on the host. That of the last one does not, which is not told apart. */
export function isOffloadedByUnsloth(field: Field | undefined): field is Field {
  return field?.value.kind === 'text' && field.value.text === 'unsloth'
}

/** models/rl.py: what its configs set in the place of TRL's own defaults. */
export const unslothDefaults = {
  microBatch: 4,
  gradientAccumulation: {
    value: 2,
    source: "Unsloth's default",
    assumption: "2 steps of accumulation, the default of Unsloth's configs: the script sets none.",
  },
  optimizer: {
    value: 'adamw-8bit',
    source: "Unsloth's default",
    assumption: "AdamW in 8 bits, the default of Unsloth's configs: the script sets no optim.",
  },
} satisfies {
  readonly microBatch: number
  readonly gradientAccumulation: Default<number>
  readonly optimizer: Default<TrainingSpec['optimizer']>
}

/**
 * models/rl.py: its configs evaluate four samples at a time by default, and its trainers as many as they train with, where those are
 * fewer than the Trainer's default of eight.
 */
export function evaluatedByUnsloth(
  declared: Declared | undefined,
  microBatch: number | undefined,
): { readonly defaultBatch?: number; readonly inPlaceOfDefault?: number | undefined } {
  if (declared?.adaptersOf !== unslothAdapters || declared.trainer === 'trainer') return {}
  return {
    ...(declared.ofUnsloth && { defaultBatch: unslothDefaults.microBatch }),
    ...(microBatch !== undefined && microBatch < 8 && { inPlaceOfDefault: microBatch }),
  }
}

/** models/loader.py: in 4 bits it loads the checkpoint that Unsloth has quantised, in place of the one that is named. */
export function loadsQuantisedByUnsloth(declared: Declared | undefined): boolean {
  return declared?.adaptersOf === unslothAdapters
}

/** What stands for an expert's two layers among `target_modules`. */
const expertTargets = ['gate_proj', 'up_proj', 'down_proj']

/**
 * models/mapper.py and models/_utils.py (get_moe_target_modules): its 4-bit checkpoints of gpt-oss hold each expert as two linear
 * layers, which run one expert after the other (unsloth_zoo/temporary_patches/gpt_oss.py) and get adapters of their own.
 */
export function readUnslothExperts(
  reader: FieldReader,
  declared: Declared | undefined,
  model: CatalogueModel | undefined,
  {
    lora,
    quantization,
    targets,
  }: Pick<TrainingSpec, 'lora' | 'quantization'> & { readonly targets: Field | undefined },
): Pick<TrainingSpec, 'quantizedExperts' | 'expertStyle' | 'lora'> {
  const isInFourBits = loadsQuantisedByUnsloth(declared) && isOfFourBits(quantization)
  if (!isInFourBits || model?.family !== 'gpt_oss') return {}
  const named = (targets && namesIn(targets)) ?? expertTargets
  const adapted = expertTargets.filter(
    name => named.includes(name) || (name === 'gate_proj' && named.includes('gate_up_proj')),
  )
  return {
    quantizedExperts: true,
    expertStyle: reader.note('expertStyle', 'linear', "Unsloth's checkpoint"),
    ...(lora && { lora: { ...lora, targets: [...new Set([...lora.targets, ...adapted])] } }),
  }
}

/** unsloth_zoo 2026.8 peft_utils.py SKIP_QUANTIZATION_MODULES: those that count, since heads and routers are never quantised. */
const unquantizedNames = wordList(`
  multi_modal_projector merger modality_projection mamba audio_tower vision_tower vision_embedder embed_vision embed_audio
`)

/** models/vision.py and llama.py have what they quantise left out these. */
export function readUnslothModules(
  reader: FieldReader,
  declared: Declared | undefined,
  model: CatalogueModel | undefined,
  quantization: TrainingSpec['quantization'],
): TrainingSpec['unquantized'] {
  if (!loadsQuantisedByUnsloth(declared) || model === undefined || quantization === undefined) return undefined
  if (model.unquantized === undefined && isOfFourBits(quantization) && !/-bnb-4bit$/i.test(model.id)) {
    reader.assume(
      'Unsloth loads its own 4-bit copy of the model where it has one, and a dynamic copy keeps some layers in 16 bits. Which ones is not known here: the weights may take more.',
    )
  }
  const { config } = model
  const hasThem = isVisionLanguageModel(config) || isAudioModel(config) || familyOf(config).recurrence?.(config)
  if (!hasThem) return undefined
  return reader.note('unquantized', { names: [...unquantizedNames], rule: 'either' as const }, "Unsloth's loader")
}

/** trainer.py create_optimizer: with a rate of their own UnslothTrainer groups the embeddings itself, and leaves their state to the optimizer. */
export function groupsEmbeddings(find: Find): boolean {
  const rate = find('embedding_learning_rate')
  return rate !== undefined && rate.value.kind !== 'empty'
}

/** models/loader.py: those that models/llama.py loads, the only ones whose embeddings train whole where they are among the targets. */
const ofLlama: ReadonlySet<string> = new Set(['llama', 'mistral', 'gemma', 'gemma2', 'qwen2', 'qwen3'])

/**
 * How modules train whole beside adapters: embeddings that are among the targets, and where the originals wait. With its own
 * checkpointing it moves these to disk (models/_utils.py offload_input_embeddings).
 */
export function savedByUnsloth(
  declared: Declared | undefined,
  model: CatalogueModel | undefined,
  checkpoints: Field | undefined,
): Pick<LoraFields, 'trainsTables' | 'savedOnHost'> {
  if (declared?.adaptersOf !== unslothAdapters || model === undefined || !ofLlama.has(model.family)) return {}
  return { trainsTables: true, ...(isOffloadedByUnsloth(checkpoints) && { savedOnHost: true }) }
}

type Kernels = Partial<
  Pick<TrainingSpec, 'unslothKernels' | 'fusedLoss' | 'fusedNorms' | 'attention' | 'paddedBatches'>
>

/** unsloth_zoo 2026.8 model_lists.py FORCE_FLOAT32: float16 does not reach far enough for what these compute. */
const beyondFloat16 = /^(?:gemma3|gemma4|glm4_moe|gpt_oss|qwen3_5|qwen3_moe)/

/** temporary_patches/gemma.py, gemma4_float32.py and qwen3_moe_float32.py: the hidden states, and what the feed-forward computes. */
export function tellFloat32(
  reader: FieldReader,
  declared: Declared | undefined,
  model: CatalogueModel | undefined,
): void {
  if (!loadsQuantisedByUnsloth(declared) || model === undefined || !beyondFloat16.test(model.family)) return
  reader.assume(
    'A GPU with bf16. On others, such as T4 and V100, Unsloth computes parts of this model in float32, which takes more memory than is counted.',
  )
}

/**
 * Its kernels leave out adapters with dropout, and nothing else, by what it prints when it puts them on: "will patch all other layers,
 * except LoRA matrices". `hasOwnLoss`: the model computes the loss from labels.
 */
export function readUnslothKernels(
  reader: FieldReader,
  declared: Declared | undefined,
  { lora, hasOwnLoss }: { readonly lora: TrainingSpec['lora']; readonly hasOwnLoss: boolean },
): Kernels {
  if (declared?.adaptersOf !== unslothAdapters || lora === undefined) return {}
  const unslothKernels = lora.dropout > 0 ? undefined : reader.note('unslothKernels', true as const, 'get_peft_model')
  // models/llama.py since unsloth#1340 of November 2024, which wants transformers 4.46.
  const isFused = hasOwnLoss && !isBefore(reader.versions, 'transformers', '4.46')
  if (isFused) {
    reader.assume(
      "Unsloth's fused loss, which holds no logits while it trains, as it is unless UNSLOTH_RETURN_LOGITS is set.",
    )
  }
  return {
    ...(unslothKernels && { unslothKernels }),
    fusedNorms: true,
    // Flash attention or xformers, which are passed no mask in training.
    attention: reader.note('attention', 'flash', "Unsloth's kernels"),
    paddedBatches: reader.note('paddedBatches', false, "Unsloth's kernels"),
    ...(isFused && { fusedLoss: true }),
  }
}
