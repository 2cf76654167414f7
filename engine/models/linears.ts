/** Linear layers for adapters, by the last part of their module path, such as `q_proj`. */

export interface Linears {
  /** Every linear module of a block, as peft's `all-linear` finds them. */
  readonly all: readonly string[]
  /** peft 0.21 utils/constants.py TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING; peft refuses where it has none. */
  readonly usual?: readonly string[]
  /** Modules besides, on which peft refuses adapters: Mamba's kernel computes with their weights itself. */
  readonly refused?: readonly string[]
  /** What other releases of transformers call them. */
  readonly alsoCalled?: Readonly<Record<string, readonly string[]>>
  /** The modules of a head for classification, which peft trains whole for TaskType.SEQ_CLS and TOKEN_CLS; `score` in decoders. */
  readonly head?: readonly string[]
}

/** peft 0.21 tuners/tuners_utils.py _check_lora_target_modules_mamba. */
export const refusedByMamba: readonly string[] = ['out_proj', 'conv1d']

/** Names of output layers, which have adapters only where a config names them. */
export const outputLayers: readonly string[] = ['lm_head', 'embed_out']

/** `up_proj` of `shared_expert.up_proj`. */
export function lastNameOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}

export const attentionLinears = ['q_proj', 'k_proj', 'v_proj', 'o_proj'] as const
const gatedLinears = [...attentionLinears, 'gate_proj', 'up_proj', 'down_proj'] as const

/** Llama's linear layers, which most decoders share; `others`: a family's additional ones. */
export function gatedAnd(...others: readonly string[]): Linears {
  return { all: [...gatedLinears, ...others] }
}

/** The linear layers of attention, with `others`. */
export function attentionAnd(...others: readonly string[]): Linears {
  return { all: [...attentionLinears, ...others] }
}

/** Of a block as Llama has it, in the families for which peft knows which of them are usual. */
export const llamaLinears: Linears = { ...gatedAnd(), usual: ['q_proj', 'v_proj'] }

/** Names of the experts' linear layers in transformers 4. */
export interface ExpertNames {
  /** Today both are one matrix, whose adapter has the sum of both ranks. */
  readonly up: readonly [string, string]
  readonly down: string
  readonly router: string
}

export const gateUpDownExperts: ExpertNames = { up: ['gate_proj', 'up_proj'], down: 'down_proj', router: 'gate' }
export const w1w2w3Experts: ExpertNames = { up: ['w1', 'w3'], down: 'w2', router: 'gate' }

/** Of blocks with query, key and value as one projection, under the names that GPT-NeoX and Falcon share. */
export const fusedAttentionLinears: Linears = {
  all: ['query_key_value', 'dense', 'dense_h_to_4h', 'dense_4h_to_h'],
  usual: ['query_key_value'],
}
