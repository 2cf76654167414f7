/**
 * What a script says by the classes that it calls, where a recipe's keys only suggest it: which trainer runs, whose arguments and
 * adapters they are, and so whose defaults count.
 */
import type { Loop, Optimizer } from '../../../training/choices.ts'
import type { Default } from '../../fields/fields.ts'
import type { Field } from '../../text/section.ts'
import type { FrozenByHand } from './frozen-by-hand.ts'

const trainers = ['trainer', 'sft', 'dpo', 'orpo', 'cpo', 'kto', 'reward', 'grpo', 'rloo', 'generation'] as const
export type DeclaredTrainer = (typeof trainers)[number]

export interface Declared {
  readonly trainer: DeclaredTrainer
  /** Where the trainer's class is called. */
  readonly trainerField: Field
  readonly argumentsOf: 'transformers' | 'trl'
  readonly ofOldTrl?: OfOldTrl
  /** An argument that transformers takes no more from 5.0 on, such as `evaluation_strategy`. */
  readonly ofOldTransformers?: Field
  /** transformers' `from_pretrained` loads the weights, no type is written and nothing casts them. */
  readonly loadsStoredType?: true
  readonly adaptersOf: AdapterDefaults
  /** The trainer is handed a model that is loaded, and neither a reference nor how to load one. */
  readonly loadsReference?: true
  /** The trainer is handed the adapters, and puts them on the model itself. */
  readonly adaptsInTrainer?: true
  /** The arguments are of a class that Unsloth made of TRL's, with defaults of its own. */
  readonly ofUnsloth?: true
  readonly frozen?: FrozenByHand
  /** How many GPUs the script shows itself, as a field. */
  readonly visible?: Field
  /** Its model is loaded with a device_map that spreads it over all GPUs that it sees. */
  readonly dividesLayers?: true
  /** Where the script steps by itself instead of calling a trainer. */
  readonly ownLoop?: OwnLoop
}

/**
 * What TRL has no more since a release: an argument of `SFTConfig(max_seq_length=…)` or `GRPOConfig(vllm_device=…)` since 0.20
 * (trainer/sft_config.py, grpo_config.py), or a name that it exports (trl/__init__.py).
 */
export interface OfOldTrl {
  readonly field: Field
  readonly until: '0.20' | '0.26' | '0.29'
  readonly is: 'taken' | 'exported'
}

export interface OwnLoop {
  /** `PyTorch`, `Lightning`. */
  readonly dialect: string
  readonly loop: Loop
  /** The call that makes it; undefined where another field refuses it. */
  readonly optimizer: { readonly name: Optimizer; readonly field: Field } | undefined
}

/** The name of the field for the precision of an `Accelerator()` that names none. */
export const unsaidByAccelerator = 'Accelerator()'

export interface AdapterDefaults {
  readonly rank: Default<number>
  readonly dropout: number
}

/** TRL 1.10 trainer/model_config.py: what its scripts hand to peft. */
export const trlAdapters: AdapterDefaults = {
  rank: {
    value: 16,
    source: "TRL's default",
    assumption: "Adapters of rank 16, TRL's default: the config sets no lora_r.",
  },
  dropout: 0.05,
}

/** peft 0.18 tuners/lora/config.py. */
export const peftAdapters: AdapterDefaults = {
  rank: { value: 8, source: "peft's default", assumption: "Adapters of rank 8, peft's default: LoraConfig sets no r." },
  dropout: 0,
}

/** The 16-bit type in which the GPU computes, which Unsloth loads weights in by default: unsloth 2025 models/loader.py. */
export const typeOfGpu = 'as the GPU computes'

/** unsloth 2025 models/llama.py get_peft_model. */
export const unslothAdapters: AdapterDefaults = {
  rank: {
    value: 16,
    source: "Unsloth's default",
    assumption: "Adapters of rank 16, Unsloth's default: get_peft_model sets no r.",
  },
  dropout: 0,
}
