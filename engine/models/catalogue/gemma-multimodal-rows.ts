/**
 * Gemma 3, 3n and 4 that see or hear too. Facts of Gemma 3 from its config.json. The config.json of google/gemma-4-26B-A4B and
 * nvidia/Gemma-4-31B-IT-NVFP4 as ai-dynamo/aiconfigurator holds them; of E2B, E4B and 12B the metadata of their GGUF files, and
 * their per-layer embeddings and shared layers as keras-hub has them. The parameters of Gemma 4 are those of the model cards: 5.1 B,
 * 8 B, 12 B, 25.2 B and 30.7 B beside the towers.
 */
import { type ModelRow, type Sizes, textConfig } from './model-row.ts'

const gemmaVision = {
  hidden_size: 1_152,
  intermediate_size: 4_304,
  num_hidden_layers: 27,
  num_attention_heads: 16,
  num_channels: 3,
  image_size: 896,
  patch_size: 14,
  vision_use_head: false,
}

/** The vocabulary is transformers' default, as the checkpoints leave it out. */
function gemma3Row(sizes: Sizes, headSize: number, ids: readonly string[]): ModelRow {
  const text_config = textConfig('gemma3_text', sizes, { head_dim: headSize, sliding_window: 1_024 })
  return { ids, config: { model_type: 'gemma3', text_config, vision_config: gemmaVision } }
}

type Gemma4Sizes = readonly [
  hidden: number,
  feedForward: number,
  layers: number,
  heads: number,
  keyValueHeads: number,
  window: number,
  positions: number,
]

/** A tower of E2B and E4B is what transformers takes by default. */
const largeVision = {
  hidden_size: 1_152,
  intermediate_size: 4_304,
  num_hidden_layers: 27,
  num_attention_heads: 16,
  num_key_value_heads: 16,
  head_dim: 72,
  standardize: true,
}

function gemma4Text(sizes: Gemma4Sizes, differences: Record<string, unknown>) {
  const [hidden_size, intermediate_size, num_hidden_layers, num_attention_heads, num_key_value_heads] = sizes
  const [, , , , , sliding_window, max_position_embeddings] = sizes
  return {
    hidden_size,
    intermediate_size,
    num_hidden_layers,
    num_attention_heads,
    num_key_value_heads,
    sliding_window,
    max_position_embeddings,
    final_logit_softcapping: 30,
    ...differences,
  }
}

/** E2B and E4B hear too. */
function smallRow(sizes: Gemma4Sizes, differences: Record<string, unknown>, ids: readonly string[]): ModelRow {
  const text_config = gemma4Text(sizes, differences)
  return { ids, config: { model_type: 'gemma4', text_config, vision_config: {}, audio_config: {} } }
}

function largeRow(sizes: Gemma4Sizes, differences: Record<string, unknown>, ids: readonly string[]): ModelRow {
  const text_config = gemma4Text(sizes, {
    attention_k_eq_v: true,
    hidden_size_per_layer_input: 0,
    ...differences,
  })
  return { ids, config: { model_type: 'gemma4', text_config, vision_config: largeVision } }
}

/** Every fifth layer of E2B is a full one, of the others every sixth. */
const fullEvery = (count: number, layers: number) =>
  Array.from({ length: layers }, (_, index) => ((index + 1) % count === 0 ? 'full_attention' : 'sliding_attention'))

const experts = { enable_moe_block: true, num_experts: 128, top_k_experts: 8, moe_intermediate_size: 704 }

/** transformers' defaults are E4B's. */
function gemma3nRow(text_config: Record<string, unknown>, ids: readonly string[]): ModelRow {
  return { ids, config: { model_type: 'gemma3n', text_config, vision_config: {}, audio_config: {} } }
}

const unified: ModelRow = {
  ids: ['google/gemma-4-12B-it', 'google/gemma-4-12B', 'unsloth/gemma-4-12B-it'],
  config: {
    model_type: 'gemma4_unified',
    text_config: gemma4Text([3_840, 15_360, 48, 16, 8, 1_024, 262_144], {
      attention_k_eq_v: true,
      num_global_key_value_heads: 1,
    }),
    vision_config: {},
    audio_config: {},
  },
}

// biome-ignore format: a table
export const gemmaRows: readonly ModelRow[] = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  gemma3Row([262_208, 2_560, 10_240, 34, 8, 4, 131_072], 256, ['google/gemma-3-4b-pt', 'google/gemma-3-4b-it', 'unsloth/gemma-3-4b-it']),
  gemma3Row([262_208, 3_840, 15_360, 48, 16, 8, 131_072], 256, ['google/gemma-3-12b-pt', 'google/gemma-3-12b-it', 'unsloth/gemma-3-12b-it']),
  gemma3Row([262_208, 5_376, 21_504, 62, 32, 16, 131_072], 128, ['google/gemma-3-27b-pt', 'google/gemma-3-27b-it', 'unsloth/gemma-3-27b-it']),
  // hidden, feed-forward, layers, heads, key/value heads, window, positions
  smallRow([1_536, 6_144, 35, 8, 1, 512, 131_072], { num_kv_shared_layers: 20, use_double_wide_mlp: true, layer_types: fullEvery(5, 35) }, ['google/gemma-4-E2B-it', 'google/gemma-4-E2B', 'unsloth/gemma-4-E2B-it']),
  smallRow([2_560, 10_240, 42, 8, 2, 512, 131_072], { num_kv_shared_layers: 18 }, ['google/gemma-4-E4B-it', 'google/gemma-4-E4B', 'unsloth/gemma-4-E4B-it']),
  largeRow([5_376, 21_504, 60, 32, 16, 1_024, 262_144], { num_global_key_value_heads: 4 }, ['google/gemma-4-31B', 'google/gemma-4-31B-it', 'unsloth/gemma-4-31B-it']),
  largeRow([2_816, 2_112, 30, 16, 8, 1_024, 262_144], { num_global_key_value_heads: 2, ...experts }, ['google/gemma-4-26B-A4B', 'google/gemma-4-26B-A4B-it', 'unsloth/gemma-4-26B-A4B-it']),
  unified,
]

/** transformers builds their tower with timm. */
// biome-ignore format: a table
export const gemma3nRows: readonly ModelRow[] = [
  gemma3nRow({}, ['google/gemma-3n-E4B-it', 'google/gemma-3n-E4B', 'unsloth/gemma-3n-E4B-it']),
  gemma3nRow({ num_hidden_layers: 30, intermediate_size: 8_192, num_kv_shared_layers: 10 }, ['google/gemma-3n-E2B-it', 'google/gemma-3n-E2B', 'unsloth/gemma-3n-E2B-it']),
]
