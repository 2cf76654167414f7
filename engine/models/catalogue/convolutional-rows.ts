/** LFM2; facts from their config.json. */
import { type ModelRow, row, tied } from './model-row.ts'

const attentionAt = (...full_attn_idxs: readonly number[]) => ({ full_attn_idxs, ...tied })

const small = attentionAt(2, 5, 8, 10, 12, 14)

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

// biome-ignore format: a table
export const convolutionalRows: readonly ModelRow[] = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  row('lfm2', [65_536, 1_024, 6_656, 16, 16, 8, 128_000], ['LiquidAI/LFM2-350M'], small),
  row('lfm2', [65_536, 1_536, 10_240, 16, 24, 8, 128_000], ['LiquidAI/LFM2-700M'], small),
  row('lfm2', [65_536, 2_048, 12_288, 16, 32, 8, 128_000], ['LiquidAI/LFM2-1.2B'], small),
  row('lfm2', [65_536, 2_048, 10_752, 30, 32, 8, 128_000], ['LiquidAI/LFM2-2.6B'], { ...attentionAt(2, 5, 9, 13, 17, 21, 24, 27), block_auto_adjust_ff_dim: false }),
  row('lfm2_moe', [65_536, 2_048, 7_168, 24, 32, 8, 128_000], ['LiquidAI/LFM2-8B-A1B'], experts),
]
