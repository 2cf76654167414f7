/** Qwen that sees too: Qwen2-VL, 2.5-VL, 3-VL and 3.5; facts from their config.json. */
import { type ModelRow, type Sizes, textConfig } from './model-row.ts'

function qwen2VlRow(sizes: Sizes, isTied: boolean, ids: readonly string[]): ModelRow {
  const vision_config = { depth: 32, embed_dim: 1_280, hidden_size: sizes[1], mlp_ratio: 4, num_heads: 16 }
  const text_config = textConfig('qwen2_vl_text', sizes)
  return { ids, config: { model_type: 'qwen2_vl', tie_word_embeddings: isTied, text_config, vision_config } }
}

function qwen25VlRow(sizes: Sizes, isTied: boolean, ids: readonly string[]): ModelRow {
  const vision_config = { depth: 32, hidden_size: 1_280, intermediate_size: 3_420, out_hidden_size: sizes[1] }
  const text_config = textConfig('qwen2_5_vl_text', sizes)
  return { ids, config: { model_type: 'qwen2_5_vl', tie_word_embeddings: isTied, text_config, vision_config } }
}

const smallQwen3Vision = {
  depth: 24,
  hidden_size: 1_024,
  intermediate_size: 4_096,
  deepstack_visual_indexes: [5, 11, 17],
}
const largeQwen3Vision = {
  depth: 27,
  hidden_size: 1_152,
  intermediate_size: 4_304,
  deepstack_visual_indexes: [8, 16, 24],
}

interface Qwen3VlShape {
  readonly vision: Readonly<Record<string, unknown>>
  readonly isTied: boolean
  readonly experts?: Readonly<Record<string, unknown>>
}

function qwen3VlRow(sizes: Sizes, { vision, isTied, experts }: Qwen3VlShape, ids: readonly string[]): ModelRow {
  const model_type = experts === undefined ? 'qwen3_vl' : 'qwen3_vl_moe'
  const text_config = textConfig(`${model_type}_text`, sizes, { head_dim: 128, ...experts })
  const vision_config = { num_heads: 16, out_hidden_size: sizes[1], ...vision }
  return { ids, config: { model_type, tie_word_embeddings: isTied, text_config, vision_config } }
}

const qwen3Experts = (inner: number) => ({ num_experts: 128, num_experts_per_tok: 8, moe_intermediate_size: inner })

const qwen35Vision = { depth: 27, hidden_size: 1_152, intermediate_size: 4_304, patch_size: 16 }
const smallQwen35Vision = { depth: 24, hidden_size: 1_024, intermediate_size: 4_096, patch_size: 16 }
const tinyQwen35Vision = { depth: 12, hidden_size: 768, intermediate_size: 3_072, patch_size: 16 }

const deltaNet = (valueHeads: number) => ({
  head_dim: 256,
  linear_conv_kernel_dim: 4,
  linear_key_head_dim: 128,
  linear_value_head_dim: 128,
  linear_num_key_heads: 16,
  linear_num_value_heads: valueHeads,
})

interface Qwen35Shape {
  readonly valueHeads: number
  readonly isTied: boolean
  readonly vision: Readonly<Record<string, unknown>>
}

function qwen35Row(sizes: Sizes, { valueHeads, isTied, vision }: Qwen35Shape, ids: readonly string[]): ModelRow {
  const text_config = textConfig('qwen3_5_text', sizes, deltaNet(valueHeads))
  const vision_config = { ...vision, out_hidden_size: sizes[1] }
  return { ids, config: { model_type: 'qwen3_5', tie_word_embeddings: isTied, text_config, vision_config } }
}

interface Qwen35Experts {
  readonly valueHeads: number
  readonly count: number
  readonly perToken: number
  readonly inner: number
}

function qwen35MoeRow(sizes: Sizes, experts: Qwen35Experts, ids: readonly string[]): ModelRow {
  const { intermediate_size: _, ...text } = textConfig('qwen3_5_moe_text', sizes, {
    ...deltaNet(experts.valueHeads),
    num_experts: experts.count,
    num_experts_per_tok: experts.perToken,
    moe_intermediate_size: experts.inner,
    shared_expert_intermediate_size: experts.inner,
  })
  const vision_config = { ...qwen35Vision, out_hidden_size: sizes[1] }
  return { ids, config: { model_type: 'qwen3_5_moe', tie_word_embeddings: false, text_config: text, vision_config } }
}

// biome-ignore format: a table
export const qwenMultimodalRows: readonly ModelRow[] = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  qwen2VlRow([151_936, 1_536, 8_960, 28, 12, 2, 32_768], true, ['Qwen/Qwen2-VL-2B-Instruct', 'Qwen/Qwen2-VL-2B']),
  qwen2VlRow([152_064, 3_584, 18_944, 28, 28, 4, 32_768], false, ['Qwen/Qwen2-VL-7B-Instruct', 'Qwen/Qwen2-VL-7B']),
  qwen25VlRow([151_936, 2_048, 11_008, 36, 16, 2, 128_000], true, ['Qwen/Qwen2.5-VL-3B-Instruct']),
  qwen25VlRow([152_064, 3_584, 18_944, 28, 28, 4, 128_000], false, ['Qwen/Qwen2.5-VL-7B-Instruct']),
  qwen3VlRow([151_936, 2_048, 6_144, 28, 16, 8, 262_144], { vision: smallQwen3Vision, isTied: true }, ['Qwen/Qwen3-VL-2B-Instruct', 'Qwen/Qwen3-VL-2B-Thinking']),
  qwen3VlRow([151_936, 2_560, 9_728, 36, 32, 8, 262_144], { vision: smallQwen3Vision, isTied: true }, ['Qwen/Qwen3-VL-4B-Instruct', 'Qwen/Qwen3-VL-4B-Thinking']),
  qwen3VlRow([151_936, 4_096, 12_288, 36, 32, 8, 262_144], { vision: largeQwen3Vision, isTied: false }, ['Qwen/Qwen3-VL-8B-Instruct', 'Qwen/Qwen3-VL-8B-Thinking']),
  qwen3VlRow([151_936, 5_120, 25_600, 64, 64, 8, 262_144], { vision: largeQwen3Vision, isTied: false }, ['Qwen/Qwen3-VL-32B-Instruct', 'Qwen/Qwen3-VL-32B-Thinking']),
  qwen3VlRow([151_936, 2_048, 6_144, 48, 32, 4, 262_144], { vision: largeQwen3Vision, isTied: false, experts: qwen3Experts(768) }, ['Qwen/Qwen3-VL-30B-A3B-Instruct', 'Qwen/Qwen3-VL-30B-A3B-Thinking']),
  qwen3VlRow([151_936, 4_096, 12_288, 94, 64, 4, 262_144], { vision: largeQwen3Vision, isTied: false, experts: qwen3Experts(1_536) }, ['Qwen/Qwen3-VL-235B-A22B-Instruct', 'Qwen/Qwen3-VL-235B-A22B-Thinking']),
  qwen35Row([248_320, 1_024, 3_584, 24, 8, 2, 262_144], { valueHeads: 16, isTied: true, vision: tinyQwen35Vision }, ['Qwen/Qwen3.5-0.8B', 'Qwen/Qwen3.5-0.8B-Base', 'unsloth/Qwen3.5-0.8B']),
  qwen35Row([248_320, 2_560, 9_216, 32, 16, 4, 262_144], { valueHeads: 32, isTied: true, vision: smallQwen35Vision }, ['Qwen/Qwen3.5-4B', 'Qwen/Qwen3.5-4B-Base', 'unsloth/Qwen3.5-4B']),
  qwen35Row([248_320, 4_096, 12_288, 32, 16, 4, 262_144], { valueHeads: 32, isTied: false, vision: qwen35Vision }, ['Qwen/Qwen3.5-9B', 'Qwen/Qwen3.5-9B-Base', 'unsloth/Qwen3.5-9B']),
  qwen35Row([248_320, 5_120, 17_408, 64, 24, 4, 262_144], { valueHeads: 48, isTied: false, vision: qwen35Vision }, ['Qwen/Qwen3.5-27B', 'unsloth/Qwen3.5-27B']),
  qwen35MoeRow([248_320, 2_048, 512, 40, 16, 2, 262_144], { valueHeads: 32, count: 256, perToken: 8, inner: 512 }, ['Qwen/Qwen3.5-35B-A3B', 'Qwen/Qwen3.5-35B-A3B-Base']),
  qwen35MoeRow([248_320, 3_072, 1_024, 48, 32, 2, 262_144], { valueHeads: 64, count: 256, perToken: 8, inner: 1_024 }, ['Qwen/Qwen3.5-122B-A10B']),
  qwen35MoeRow([248_320, 4_096, 1_024, 60, 32, 2, 262_144], { valueHeads: 64, count: 512, perToken: 10, inner: 1_024 }, ['Qwen/Qwen3.5-397B-A17B']),
]
