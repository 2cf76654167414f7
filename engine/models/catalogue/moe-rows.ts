/** Mixtures of experts; facts from their config.json. */
import { type ModelRow, row, tied, untied } from './model-row.ts'

const qwen3Experts = (experts: number, inner: number) => ({
  head_dim: 128,
  num_experts: experts,
  num_experts_per_tok: 8,
  moe_intermediate_size: inner,
  ...untied,
})

/** transformers' defaults of Qwen3NextConfig. */
const qwen3Next = {
  num_experts: 512,
  num_experts_per_tok: 10,
  moe_intermediate_size: 512,
  shared_expert_intermediate_size: 512,
  ...untied,
}

const qwen15Experts = {
  num_experts: 60,
  num_experts_per_tok: 4,
  moe_intermediate_size: 1_408,
  shared_expert_intermediate_size: 5_632,
  ...untied,
}

/** transformers' defaults of MiniMaxM2Config, and `rotary_dim` of the checkpoints. */
const minimaxM2 = { head_dim: 128, num_local_experts: 256, num_experts_per_tok: 8, rotary_dim: 64, ...untied }

const trinity = (experts: number) => ({
  head_dim: 128,
  num_experts: 128,
  num_experts_per_tok: 8,
  num_shared_experts: 1,
  moe_intermediate_size: experts,
  num_dense_layers: 2,
  sliding_window: 2_048,
  mup_enabled: true,
  ...untied,
})

const kimiLinear = {
  q_lora_rank: null,
  kv_lora_rank: 512,
  qk_nope_head_dim: 128,
  qk_rope_head_dim: 64,
  v_head_dim: 128,
  num_local_experts: 256,
  num_experts_per_tok: 8,
  moe_intermediate_size: 1_024,
  linear_attn_config: {
    head_dim: 128,
    num_heads: 32,
    short_conv_kernel_size: 4,
    full_attn_layers: [4, 8, 12, 16, 20, 24, 27],
    kda_layers: [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25, 26],
  },
  ...untied,
}

const mixtralExperts = { num_local_experts: 8, num_experts_per_tok: 2, sliding_window: null, ...untied }

const gptOss = (experts: number) => ({
  head_dim: 64,
  num_local_experts: experts,
  num_experts_per_tok: 4,
  sliding_window: 128,
  attention_bias: true,
  ...untied,
})

const deepseekV3 = {
  q_lora_rank: 1_536,
  kv_lora_rank: 512,
  qk_nope_head_dim: 128,
  qk_rope_head_dim: 64,
  v_head_dim: 128,
  n_routed_experts: 256,
  n_shared_experts: 1,
  num_experts_per_tok: 8,
  moe_intermediate_size: 2_048,
  first_k_dense_replace: 3,
  ...untied,
}

const deepseekV2Lite = {
  q_lora_rank: null,
  kv_lora_rank: 512,
  qk_nope_head_dim: 128,
  qk_rope_head_dim: 64,
  v_head_dim: 128,
  n_routed_experts: 64,
  n_shared_experts: 2,
  num_experts_per_tok: 6,
  moe_intermediate_size: 1_408,
  first_k_dense_replace: 1,
  ...untied,
}

const glm45Air = {
  head_dim: 128,
  attention_bias: true,
  n_routed_experts: 128,
  n_shared_experts: 1,
  num_experts_per_tok: 8,
  moe_intermediate_size: 1_408,
  first_k_dense_replace: 1,
  ...untied,
}

const deepseekV2 = {
  ...deepseekV2Lite,
  q_lora_rank: 1_536,
  n_routed_experts: 160,
  moe_intermediate_size: 1_536,
}

const glm47Flash = {
  q_lora_rank: 768,
  kv_lora_rank: 512,
  qk_nope_head_dim: 192,
  qk_rope_head_dim: 64,
  v_head_dim: 256,
  n_routed_experts: 64,
  n_shared_experts: 1,
  num_experts_per_tok: 4,
  moe_intermediate_size: 1_536,
  first_k_dense_replace: 1,
  ...untied,
}

const glm5 = {
  ...deepseekV3,
  q_lora_rank: 2_048,
  qk_nope_head_dim: 192,
  v_head_dim: 256,
  index_n_heads: 32,
  index_head_dim: 128,
}

const graniteMoe = (experts: number) => ({ num_local_experts: experts, num_experts_per_tok: 8, ...tied })

// biome-ignore format: a table
export const moeRows: readonly ModelRow[] = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  row('mixtral', [32_000, 4_096, 14_336, 32, 32, 8, 32_768], ['mistralai/Mixtral-8x7B-v0.1', 'mistralai/Mixtral-8x7B-Instruct-v0.1'], mixtralExperts),
  row('mixtral', [32_000, 6_144, 16_384, 56, 48, 8, 65_536], ['mistralai/Mixtral-8x22B-v0.1', 'mistral-community/Mixtral-8x22B-v0.1'], mixtralExperts),
  row('mixtral', [32_768, 6_144, 16_384, 56, 48, 8, 65_536], ['mistralai/Mixtral-8x22B-Instruct-v0.1'], mixtralExperts),
  row('qwen2_moe', [151_936, 2_048, 5_632, 24, 16, 16, 8_192], ['Qwen/Qwen1.5-MoE-A2.7B', 'Qwen/Qwen1.5-MoE-A2.7B-Chat'], qwen15Experts),
  row('qwen3_moe', [151_936, 2_048, 6_144, 48, 32, 4, 40_960], ['Qwen/Qwen3-30B-A3B', 'unsloth/Qwen3-30B-A3B'], qwen3Experts(128, 768)),
  row('qwen3_moe', [151_936, 2_048, 6_144, 48, 32, 4, 32_768], ['Qwen/Qwen3-30B-A3B-Base'], qwen3Experts(128, 768)),
  row('qwen3_moe', [151_936, 2_048, 6_144, 48, 32, 4, 262_144], ['Qwen/Qwen3-30B-A3B-Instruct-2507', 'Qwen/Qwen3-30B-A3B-Thinking-2507'], qwen3Experts(128, 768)),
  row('qwen3_moe', [151_936, 4_096, 12_288, 94, 64, 4, 40_960], ['Qwen/Qwen3-235B-A22B'], qwen3Experts(128, 1_536)),
  row('qwen3_moe', [151_936, 4_096, 12_288, 94, 64, 4, 262_144], ['Qwen/Qwen3-235B-A22B-Instruct-2507', 'Qwen/Qwen3-235B-A22B-Thinking-2507'], qwen3Experts(128, 1_536)),
  row('qwen3_moe', [151_936, 6_144, 8_192, 62, 96, 8, 262_144], ['Qwen/Qwen3-Coder-480B-A35B-Instruct'], qwen3Experts(160, 2_560)),
  row('qwen3_next', [151_936, 2_048, 5_120, 48, 16, 2, 262_144], ['Qwen/Qwen3-Next-80B-A3B-Instruct', 'Qwen/Qwen3-Next-80B-A3B-Thinking'], qwen3Next),
  row('minimax_m2', [200_064, 3_072, 1_536, 62, 48, 8, 196_608], ['MiniMaxAI/MiniMax-M2', 'MiniMaxAI/MiniMax-M2.5'], minimaxM2),
  row('afmoe', [200_192, 1_024, 3_072, 56, 8, 2, 131_072], ['arcee-ai/Trinity-Nano-Preview', 'arcee-ai/Trinity-Nano-Base'], trinity(256)),
  row('afmoe', [200_192, 2_048, 6_144, 32, 32, 4, 131_072], ['arcee-ai/Trinity-Mini'], trinity(1_024)),
  row('kimi_linear', [163_840, 2_304, 9_216, 27, 32, 32, 1_048_576], ['moonshotai/Kimi-Linear-48B-A3B-Instruct', 'moonshotai/Kimi-Linear-48B-A3B-Base'], kimiLinear),
  row('granitemoe', [49_152, 1_024, 512, 24, 16, 8, 4_096], ['ibm-granite/granite-3.0-1b-a400m-base'], graniteMoe(32)),
  row('granitemoe', [49_155, 1_024, 512, 24, 16, 8, 4_096], ['ibm-granite/granite-3.0-1b-a400m-instruct'], graniteMoe(32)),
  row('granitemoe', [49_155, 1_536, 512, 32, 24, 8, 4_096], ['ibm-granite/granite-3.0-3b-a800m-instruct'], graniteMoe(40)),
  row('gpt_oss', [201_088, 2_880, 2_880, 24, 64, 8, 131_072], ['openai/gpt-oss-20b', 'unsloth/gpt-oss-20b', 'openai/gpt-oss-safeguard-20b'], gptOss(32)),
  row('gpt_oss', [201_088, 2_880, 2_880, 36, 64, 8, 131_072], ['openai/gpt-oss-120b', 'unsloth/gpt-oss-120b'], gptOss(128)),
  row('deepseek_v2', [102_400, 2_048, 10_944, 27, 16, 16, 163_840], ['deepseek-ai/DeepSeek-V2-Lite', 'deepseek-ai/DeepSeek-V2-Lite-Chat'], deepseekV2Lite),
  row('deepseek_v2', [102_400, 5_120, 12_288, 60, 128, 128, 163_840], ['deepseek-ai/DeepSeek-V2', 'deepseek-ai/DeepSeek-V2-Chat', 'deepseek-ai/DeepSeek-V2.5', 'deepseek-ai/DeepSeek-V2.5-1210'], deepseekV2),
  row('deepseek_v3', [129_280, 7_168, 18_432, 61, 128, 128, 163_840], ['deepseek-ai/DeepSeek-V3', 'deepseek-ai/DeepSeek-R1', 'deepseek-ai/DeepSeek-V3-0324', 'deepseek-ai/DeepSeek-V3.1'], deepseekV3),
  row('glm4_moe', [151_552, 4_096, 10_944, 46, 96, 8, 131_072], ['zai-org/GLM-4.5-Air', 'zai-org/GLM-4.5-Air-Base'], glm45Air),
  row('deepseek_v32', [129_280, 7_168, 18_432, 61, 128, 128, 163_840], ['deepseek-ai/DeepSeek-V3.2'], { ...deepseekV3, index_n_heads: 64, index_head_dim: 128 }),
  row('glm_moe_dsa', [154_880, 6_144, 12_288, 78, 64, 64, 202_752], ['zai-org/GLM-5', 'zai-org/GLM-5.1'], glm5),
  row('glm_moe_dsa', [154_880, 6_144, 12_288, 78, 64, 64, 1_048_576], ['zai-org/GLM-5.2'], { ...glm5, index_topk_freq: 4, index_skip_topk_offset: 3 }),
  row('glm4_moe_lite', [154_880, 2_048, 10_240, 47, 20, 20, 202_752], ['zai-org/GLM-4.7-Flash'], glm47Flash),
]
