/** Llama that sees too: 3.2 Vision and 4; facts from transformers' config classes and torchtune's builders. */
import { type ModelRow, type Sizes, textConfig } from './model-row.ts'

/** Of five layers the fourth attends to images. */
function mllamaRow(sizes: Sizes, tileSide: number, ids: readonly string[]): ModelRow {
  const cross_attention_layers = Array.from({ length: sizes[3] / 5 }, (_, index) => 3 + 5 * index)
  const text_config = textConfig('mllama_text_model', sizes, { cross_attention_layers })
  return { ids, config: { model_type: 'mllama', text_config, vision_config: { image_size: tileSide } } }
}

/** transformers' Llama4TextConfig is Scout's decoder; the tower, and what is Maverick's: torchtune/models/llama4/_model_builders.py. */
const llama4Tower = { hidden_size: 1_408, image_size: 336, vision_output_dim: 4_096 }
const scout: ModelRow = {
  ids: [
    ...['meta-llama/Llama-4-Scout-17B-16E', 'meta-llama/Llama-4-Scout-17B-16E-Instruct'],
    ...['unsloth/Llama-4-Scout-17B-16E', 'unsloth/Llama-4-Scout-17B-16E-Instruct'],
    'axolotl-quants/Llama-4-Scout-17B-16E-Linearized-bnb-nf4-bf16',
  ],
  config: { model_type: 'llama4', text_config: { max_position_embeddings: 10_485_760 }, vision_config: llama4Tower },
}
const maverick: ModelRow = {
  ids: [
    ...['meta-llama/Llama-4-Maverick-17B-128E', 'meta-llama/Llama-4-Maverick-17B-128E-Instruct'],
    'axolotl-quants/Llama-4-Maverick-17B-128E-Linearized-bnb-nf4-bf16',
  ],
  config: {
    model_type: 'llama4',
    text_config: {
      max_position_embeddings: 1_048_576,
      num_local_experts: 128,
      interleave_moe_layer_step: 2,
      use_qk_norm: false,
    },
    vision_config: llama4Tower,
  },
}

// biome-ignore format: a table
export const llamaMultimodalRows: readonly ModelRow[] = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  // transformers' MllamaConfig; the 90 B and the tiles of the instructed ones: torchtune/models/llama3_2_vision/_model_builders.py
  mllamaRow([128_256, 4_096, 14_336, 40, 32, 8, 131_072], 448, ['meta-llama/Llama-3.2-11B-Vision', 'unsloth/Llama-3.2-11B-Vision']),
  mllamaRow([128_256, 4_096, 14_336, 40, 32, 8, 131_072], 560, ['meta-llama/Llama-3.2-11B-Vision-Instruct', 'unsloth/Llama-3.2-11B-Vision-Instruct', 'alpindale/Llama-3.2-11B-Vision-Instruct']),
  mllamaRow([128_256, 8_192, 28_672, 100, 64, 8, 131_072], 448, ['meta-llama/Llama-3.2-90B-Vision']),
  mllamaRow([128_256, 8_192, 28_672, 100, 64, 8, 131_072], 560, ['meta-llama/Llama-3.2-90B-Vision-Instruct']),
  scout,
  maverick,
]
