/** The linear layers that get adapters, by their module names in transformers. */

import type { ModelConfig } from '../../models/architecture.ts'
import type { CatalogueModel } from '../../models/catalogue.ts'
import { ownLinearsOf } from '../../models/decoders/families.ts'
import { attentionLinears as attention, gatedLinears, type Linears } from '../../models/decoders/family.ts'
import { isMambaLayer } from '../../models/decoders/granite-hybrid.ts'
import { blockKindsOf } from '../../models/decoders/nemotron-h.ts'
import { expertNamesOf } from '../../models/expert-names.ts'

type Family = ModelConfig['model_type']

const gated: Linears = { all: gatedLinears }

const deltaNet = ['in_proj_qkv', 'in_proj_z', 'in_proj_b', 'in_proj_a', 'out_proj'] as const

const lfm2 = ['q_proj', 'k_proj', 'v_proj', 'out_proj', 'in_proj', 'w1', 'w2', 'w3'] as const

/** DeepSeek's attention, with every projection that a query may go through. */
const latent = [
  'q_proj',
  'q_a_proj',
  'q_b_proj',
  'kv_a_proj_with_mqa',
  'kv_b_proj',
  'o_proj',
  'gate_proj',
  'up_proj',
  'down_proj',
] as const

const glmVision: Linears = { all: [...gated.all, 'gate_up_proj', 'qkv', 'proj'] }

const llama: Linears = { ...gated, usual: ['q_proj', 'v_proj'] }

const layerInputs = ['per_layer_input_gate', 'per_layer_projection', 'per_layer_model_projection'] as const

const altUp = ['modality_router', 'prediction_coefs', 'correction_coefs', '0', '1', '2'] as const
const gemma3nText = [...gated.all, ...layerInputs, ...altUp, 'linear_left', 'linear_right']
const gemma3nAudio = [
  'ffw_layer_1',
  'ffw_layer_2',
  'pos_proj',
  'post',
  'linear_start',
  'linear_end',
  'input_proj_linear',
]

/** What else a Gemma 4 has beside the projections of its decoder; those of its towers are modules within others, `linear`. */
function gemma4Linears(config: Extract<ModelConfig, { model_type: 'gemma4' }>): Linears {
  const { text_config: text, vision_config: vision, audio_config: audio } = config
  const all = [
    ...gated.all,
    ...(text.hidden_size_per_layer_input > 0 ? layerInputs : []),
    ...(text.enable_moe_block ? ['proj'] : []),
    ...(vision || audio ? ['linear', 'embedding_projection'] : []),
    ...(vision ? ['input_proj'] : []),
    ...(audio ? ['relative_k_proj', 'output_proj', 'input_proj_linear'] : []),
  ]
  return { all, usual: ['q_proj', 'v_proj'] }
}

/** peft refuses adapters on the output of Mamba 2, which its kernel computes itself; so too below. */
function nemotronHLinears(config: Extract<ModelConfig, { model_type: 'nemotron_h' }>): Linears {
  const kinds = blockKindsOf(config)
  const has = (kind: (typeof kinds)[number], linears: readonly string[]) => (kinds.includes(kind) ? linears : [])
  const latentProjections = config.moe_latent_size ? ['fc1_latent_proj', 'fc2_latent_proj'] : []
  const feedForward = kinds.includes('moe') || kinds.includes('mlp') ? ['up_proj', 'down_proj'] : []
  const all = [
    ...has('full_attention', attention),
    ...has('linear_attention', ['in_proj']),
    ...feedForward,
    ...has('moe', latentProjections),
  ]
  return { all }
}

function graniteHybridLinears(config: Extract<ModelConfig, { model_type: 'granitemoehybrid' }>): Linears {
  const layers = Array.from({ length: config.num_hidden_layers }, (_, index) => isMambaLayer(config, index))
  const all = [
    ...(layers.includes(false) ? attention : []),
    ...(layers.includes(true) ? ['in_proj'] : []),
    'input_linear',
    'output_linear',
  ]
  return { all }
}

/** Experts are no linear modules: transformers 5 holds each matrix of all of them as one parameter. */
const linears: Readonly<Partial<Record<Family, Linears>>> = {
  llama,
  mistral: llama,
  qwen2: llama,
  qwen3: llama,
  gemma: llama,
  gemma2: llama,
  gemma3_text: llama,
  stablelm: llama,
  ministral3: gated,
  smollm3: gated,
  seed_oss: gated,
  granite: gated,
  olmo2: gated,
  olmo3: gated,
  hunyuan_v1_dense: gated,
  ernie4_5: gated,
  arcee: { all: [...attention, 'up_proj', 'down_proj'] },
  nemotron: { all: [...attention, 'up_proj', 'down_proj'] },
  cohere: gated,
  cohere2: gated,
  mimo: { all: [...gated.all, 'input_proj'] },
  glm4: { all: [...attention, 'gate_up_proj', 'down_proj'] },
  starcoder2: { all: [...attention, 'c_fc', 'c_proj'] },
  lfm2: { all: lfm2 },
  lfm2_moe: { all: lfm2 },
  lfm2_vl: { all: [...lfm2, 'fc1', 'fc2', 'linear_1', 'linear_2'] },
  kimi_linear: { all: [...latent, 'k_proj', 'v_proj', 'f_a_proj', 'f_b_proj', 'b_proj', 'g_a_proj', 'g_b_proj'] },
  minimax_m2: { all: attention },
  afmoe: { all: [...gated.all, 'gate'] },
  mixtral: { all: attention, usual: ['q_proj', 'v_proj'] },
  qwen2_moe: { all: [...gated.all, 'shared_expert_gate'] },
  qwen3_moe: { all: attention },
  olmoe: { all: attention },
  qwen3_next: { all: [...gated.all, 'shared_expert_gate', 'in_proj_qkvz', 'in_proj_ba', 'out_proj'] },
  gpt_oss: { all: attention },
  glm4_moe: { all: gated.all },
  deepseek_v2: { all: latent },
  deepseek_v3: { all: latent },
  deepseek_v32: { all: [...latent, 'wq_b', 'wk', 'weights_proj'] },
  glm_moe_dsa: { all: [...latent, 'wq_b', 'wk', 'weights_proj'] },
  glm4_moe_lite: { all: latent },
  mistral4: { all: latent },
  qwen3_5: { all: [...gated.all, ...deltaNet, 'qkv', 'proj', 'linear_fc1', 'linear_fc2'] },
  qwen3_5_moe: { all: [...gated.all, ...deltaNet, 'shared_expert_gate', 'qkv', 'proj', 'linear_fc1', 'linear_fc2'] },
  jamba: { all: [...gated.all, 'in_proj', 'x_proj', 'dt_proj', 'out_proj'] },
  falcon_h1: { all: [...gated.all, 'in_proj'] },
  granitemoe: { all: attention },
  granitemoeshared: { all: [...attention, 'input_linear', 'output_linear'] },
  gemma3n: { all: [...gemma3nText, ...gemma3nAudio, 'embedding_projection'] },
  gemma3n_text: { all: gemma3nText },
  gemma4_text: gated,
  gemma4_unified: { all: [...gated.all, 'patch_dense', 'embedding_projection'] },
  gemma3: { all: [...gated.all, 'out_proj', 'fc1', 'fc2'] },
  smolvlm: { all: [...gated.all, 'out_proj', 'fc1', 'fc2', 'proj'] },
  idefics3: { all: [...gated.all, 'out_proj', 'fc1', 'fc2', 'proj'] },
  llama4: { all: [...gated.all, 'linear', 'fc1', 'fc2', 'linear_1'] },
  mllama: { all: [...gated.all, 'fc1', 'fc2', 'multi_modal_projector'] },
  mistral3: { all: [...gated.all, 'merging_layer', 'linear_1', 'linear_2'] },
  qwen2_vl: { all: [...gated.all, 'qkv', 'proj', 'fc1', 'fc2', '0', '2'] },
  qwen2_5_vl: { all: [...gated.all, 'qkv', 'proj', '0', '2'] },
  qwen3_vl: { all: [...gated.all, 'qkv', 'proj', 'linear_fc1', 'linear_fc2'] },
  qwen3_vl_moe: { all: [...attention, 'qkv', 'proj', 'linear_fc1', 'linear_fc2'] },
  glm4v: glmVision,
  glm46v: glmVision,
  moss_vl: { all: [...gated.all, 'qkv', 'proj', 'linear_fc1', 'linear_fc2'] },
  internvl: { all: [...gated.all, 'projection_layer', 'fc1', 'fc2', 'linear_1', 'linear_2'] },
  paddleocr_vl: { all: [...gated.all, 'out_proj', 'fc1', 'fc2', 'linear_1', 'linear_2'] },
  llava: { all: [...gated.all, 'out_proj', 'fc1', 'fc2', 'linear_1', 'linear_2'] },
  voxtral: { all: [...gated.all, 'out_proj', 'fc1', 'fc2', 'linear_1', 'linear_2'] },
  phi: { all: ['q_proj', 'k_proj', 'v_proj', 'dense', 'fc1', 'fc2'], usual: ['q_proj', 'v_proj', 'fc1', 'fc2'] },
  phi3: { all: ['qkv_proj', 'o_proj', 'gate_up_proj', 'down_proj'], usual: ['qkv_proj'] },
  gpt2: { all: ['c_attn', 'c_proj', 'c_fc'], usual: ['c_attn'] },
  gpt_bigcode: { all: ['c_attn', 'c_proj', 'c_fc'], usual: ['c_attn'] },
  gptj: { all: ['q_proj', 'k_proj', 'v_proj', 'out_proj', 'fc_in', 'fc_out'], usual: ['q_proj', 'v_proj'] },
  gpt_neo: { all: ['q_proj', 'k_proj', 'v_proj', 'out_proj', 'c_fc', 'c_proj'], usual: ['q_proj', 'v_proj'] },
  gpt_neox: { all: ['query_key_value', 'dense', 'dense_h_to_4h', 'dense_4h_to_h'], usual: ['query_key_value'] },
  falcon: { all: ['query_key_value', 'dense', 'dense_h_to_4h', 'dense_4h_to_h'], usual: ['query_key_value'] },
  opt: { all: ['q_proj', 'k_proj', 'v_proj', 'out_proj', 'fc1', 'fc2'], usual: ['q_proj', 'v_proj'] },
}

/** Names that select the experts of a model for adapters. */
export function expertTargetsOf({ config }: CatalogueModel): readonly string[] {
  const names = expertNamesOf(config)
  return names === undefined ? [] : [...names.up, names.down]
}

export function linearsOf({ family, config }: CatalogueModel): Linears | undefined {
  switch (config.model_type) {
    case 'gemma4':
      return gemma4Linears(config)
    case 'nemotron_h':
      return nemotronHLinears(config)
    case 'granitemoehybrid':
      return graniteHybridLinears(config)
    default:
      return commonLinearsOf(family, config)
  }
}

function commonLinearsOf(family: Family, config: ModelConfig): Linears | undefined {
  const found = ownLinearsOf(family) ?? linears[family]
  if (found === undefined) return undefined
  if ('text_config' in config && 'kv_lora_rank' in config.text_config) {
    return { all: [...new Set([...latent, ...found.all])] }
  }
  if (!('q_lora_rank' in config || 'kv_lora_rank' in config)) return found
  // Queries go through a narrow projection or straight, never both.
  const absent = config.q_lora_rank ? ['q_proj'] : ['q_a_proj', 'q_b_proj']
  return { all: found.all.filter(linear => !absent.includes(linear)) }
}
