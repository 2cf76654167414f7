/** Mixtures of experts; facts from their config.json. */
import { type ModelRow, row, untied } from './model-row.ts'

const qwen3Experts = (experts: number, inner: number) => ({
  head_dim: 128,
  num_experts: experts,
  num_experts_per_tok: 8,
  moe_intermediate_size: inner,
  ...untied,
})

const qwen15Experts = {
  num_experts: 60,
  num_experts_per_tok: 4,
  moe_intermediate_size: 1_408,
  shared_expert_intermediate_size: 5_632,
  ...untied,
}

const mixtralExperts = { num_local_experts: 8, num_experts_per_tok: 2, sliding_window: null, ...untied }

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
]
