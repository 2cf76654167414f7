/**
 * More checkpoints that see images or hear; facts from their config.json, or from transformers' config classes where these
 * hold the checkpoint's.
 */
import { type ModelRow, row } from './model-row.ts'

/** transformers' defaults of Glm4vConfig are GLM 4.1 V's; the cards of 4.6 V Flash name the same sizes, and 10 B parameters. */
const glm4vRow = (positions: number, ids: readonly string[]): ModelRow => ({
  ids,
  config: {
    model_type: 'glm4v',
    tie_word_embeddings: false,
    text_config: {
      ...row('glm4v_text', [151_552, 4_096, 13_696, 40, 32, 2, positions], []).config,
      partial_rotary_factor: 0.5,
    },
    vision_config: {},
  },
})

/** Qwen 3's decoder, and the tower of 300 M that transformers' InternVLVisionConfig describes; 8.5 B as the card says. */
const internvl35: ModelRow = {
  ids: ['OpenGVLab/InternVL3_5-8B-HF'],
  config: {
    model_type: 'internvl',
    tie_word_embeddings: false,
    text_config: { ...row('qwen3', [151_936, 4_096, 12_288, 36, 32, 8, 40_960], []).config, head_dim: 128 },
    vision_config: { attention_bias: true },
  },
}

/** Vicuna behind CLIP's large tower for 336 pixels, as LlavaConfig describes it; 7.06 B as the card says. */
const llava15: ModelRow = {
  ids: ['llava-hf/llava-1.5-7b-hf'],
  config: {
    model_type: 'llava',
    text_config: row('llama', [32_064, 4_096, 11_008, 32, 32, 32, 4_096], []).config,
    vision_config: {
      ...{ model_type: 'clip_vision_model', hidden_size: 1_024, intermediate_size: 4_096, num_hidden_layers: 24 },
      ...{ num_attention_heads: 16, image_size: 336, patch_size: 14 },
    },
  },
}

/** Mistral Nemo's decoder; the 25.4 GB of its files are twice its parameters. */
const pixtral12: ModelRow = {
  ids: ['mistral-community/pixtral-12b'],
  config: {
    model_type: 'llava',
    text_config: {
      ...row('mistral', [131_072, 5_120, 14_336, 40, 32, 8, 1_024_000], []).config,
      ...{ head_dim: 128, sliding_window: null },
    },
    vision_config: { model_type: 'pixtral', patch_size: 16 },
  },
}

/** 1.5's config.json, which 1.6 keeps. Its output layer is its own, which the decoder's default in transformers would tie. */
const paddleocr: ModelRow = {
  ids: ['PaddlePaddle/PaddleOCR-VL-1.6', 'PaddlePaddle/PaddleOCR-VL-1.5', 'PaddlePaddle/PaddleOCR-VL'],
  config: {
    model_type: 'paddleocr_vl',
    tie_word_embeddings: false,
    text_config: {
      ...row('paddleocr_vl_text', [103_424, 1_024, 3_072, 18, 16, 2, 131_072], []).config,
      head_dim: 128,
      tie_word_embeddings: false,
    },
    vision_config: {},
  },
}

const voxtralMini: ModelRow = {
  ids: ['mistralai/Voxtral-Mini-3B-2507'],
  config: {
    model_type: 'voxtral',
    text_config: { ...row('llama', [131_072, 3_072, 8_192, 30, 32, 8, 131_072], []).config, head_dim: 128 },
    audio_config: {},
  },
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

/** SmolLM2 1.7B behind SigLIP so400m of 384 pixels; 2.25 B as the cards say. */
const smolVlmRow = (model_type: 'smolvlm' | 'idefics3', words: number, ids: readonly string[]): ModelRow => ({
  ids,
  config: {
    model_type,
    tie_word_embeddings: false,
    text_config: row('llama', [words, 2_048, 8_192, 24, 32, 32, 8_192], []).config,
    vision_config: {
      ...{ hidden_size: 1_152, intermediate_size: 4_304, num_hidden_layers: 27, num_attention_heads: 16 },
      ...{ image_size: 384, patch_size: 14 },
    },
    scale_factor: 3,
  },
})

export const newerMultimodalRows: readonly ModelRow[] = [
  llava15,
  smolVlmRow('smolvlm', 49_280, ['HuggingFaceTB/SmolVLM2-2.2B-Instruct']),
  smolVlmRow('idefics3', 49_155, ['HuggingFaceTB/SmolVLM-Instruct']),
  glm4vRow(65_536, ['zai-org/GLM-4.1V-9B-Base', 'zai-org/GLM-4.1V-9B-Thinking', 'THUDM/GLM-4.1V-9B-Thinking']),
  glm4vRow(131_072, ['zai-org/GLM-4.6V-Flash']),
  internvl35,
  paddleocr,
  voxtralMini,
  pixtral12,
  scout,
  maverick,
]
