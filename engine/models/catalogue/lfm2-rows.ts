/** LFM2; facts from their config.json, and of the towers from transformers' description of LFM2-VL. */
import { type ModelRow, row, tied } from './model-row.ts'

const attentionAt = (...full_attn_idxs: readonly number[]) => ({ full_attn_idxs, ...tied })

const small = attentionAt(2, 5, 8, 10, 12, 14)

const lfm2Small = row('lfm2', [65_536, 1_024, 6_656, 16, 16, 8, 128_000], ['LiquidAI/LFM2-350M'], small)
const lfm2Medium = row('lfm2', [65_536, 2_048, 12_288, 16, 32, 8, 128_000], ['LiquidAI/LFM2-1.2B'], small)

const layersOf = (count: number, attention: readonly number[]) =>
  Array.from({ length: count }, (_, index) => (attention.includes(index) ? 'full_attention' : 'conv'))

const experts = {
  num_experts: 32,
  num_experts_per_tok: 4,
  moe_intermediate_size: 1_792,
  num_dense_layers: 2,
  layer_types: layersOf(24, [2, 6, 10, 14, 18, 21]),
  ...tied,
}

const visionOf = (hidden_size: number, intermediate_size: number, num_hidden_layers: number) => ({
  hidden_size,
  intermediate_size,
  num_hidden_layers,
  patch_size: 16,
  num_patches: 256,
})

function visionRow(id: string, text: ModelRow, vision_config: ReturnType<typeof visionOf>): ModelRow {
  return {
    ids: [id],
    config: { model_type: 'lfm2_vl', tie_word_embeddings: true, text_config: text.config, vision_config },
  }
}

// biome-ignore format: a table
export const lfm2Rows: readonly ModelRow[] = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  lfm2Small,
  row('lfm2', [65_536, 1_536, 10_240, 16, 24, 8, 128_000], ['LiquidAI/LFM2-700M'], small),
  lfm2Medium,
  row('lfm2', [65_536, 2_048, 10_752, 30, 32, 8, 128_000], ['LiquidAI/LFM2-2.6B'], { ...attentionAt(2, 5, 9, 13, 17, 21, 24, 27), block_auto_adjust_ff_dim: false }),
  row('lfm2_moe', [65_536, 2_048, 7_168, 24, 32, 8, 128_000], ['LiquidAI/LFM2-8B-A1B'], experts),
  visionRow('LiquidAI/LFM2-VL-450M', lfm2Small, visionOf(768, 3_072, 12)),
  visionRow('LiquidAI/LFM2-VL-1.6B', lfm2Medium, visionOf(1_152, 4_304, 27)),
]
