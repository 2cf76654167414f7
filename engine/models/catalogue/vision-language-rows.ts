/**
 * Checkpoints that see too, of makers that have few: LLaVA, SmolVLM, GLM-V, InternVL, PaddleOCR-VL; facts from their config.json, or
 * from transformers' config classes where these hold the checkpoint's.
 */
import { type ModelRow, textConfig, untied } from './model-row.ts'

/** Vicuna behind CLIP's large tower for 336 pixels, as LlavaConfig describes it; 7.06 B as the card says. */
const llava15: ModelRow = {
  ids: ['llava-hf/llava-1.5-7b-hf'],
  config: {
    model_type: 'llava',
    text_config: textConfig('llama', [32_064, 4_096, 11_008, 32, 32, 32, 4_096]),
    vision_config: {
      ...{ model_type: 'clip_vision_model', hidden_size: 1_024, intermediate_size: 4_096, num_hidden_layers: 24 },
      ...{ num_attention_heads: 16, image_size: 336, patch_size: 14 },
    },
  },
}

/** SmolLM2 1.7B behind SigLIP so400m of 384 pixels; 2.25 B as the cards say. */
const smolVlmRow = (model_type: 'smolvlm' | 'idefics3', words: number, ids: readonly string[]): ModelRow => ({
  ids,
  config: {
    model_type,
    tie_word_embeddings: false,
    text_config: textConfig('llama', [words, 2_048, 8_192, 24, 32, 32, 8_192]),
    vision_config: {
      ...{ hidden_size: 1_152, intermediate_size: 4_304, num_hidden_layers: 27, num_attention_heads: 16 },
      ...{ image_size: 384, patch_size: 14 },
    },
    scale_factor: 3,
  },
})

/** transformers' defaults of Glm4vConfig are GLM 4.1 V's; the cards of 4.6 V Flash name the same sizes, and 10 B parameters. */
const glm4vRow = (positions: number, ids: readonly string[]): ModelRow => ({
  ids,
  config: {
    model_type: 'glm4v',
    tie_word_embeddings: false,
    text_config: textConfig('glm4v_text', [151_552, 4_096, 13_696, 40, 32, 2, positions], {
      partial_rotary_factor: 0.5,
    }),
    vision_config: {},
  },
})

/** Qwen 3's decoder, and the tower of 300 M that transformers' InternVLVisionConfig describes; 8.5 B as the card says. */
const internvl35: ModelRow = {
  ids: ['OpenGVLab/InternVL3_5-8B-HF'],
  config: {
    model_type: 'internvl',
    tie_word_embeddings: false,
    text_config: textConfig('qwen3', [151_936, 4_096, 12_288, 36, 32, 8, 40_960], { head_dim: 128 }),
    vision_config: { attention_bias: true },
  },
}

/** 1.5's config.json, which 1.6 keeps. Its output layer is its own, which the decoder's default in transformers would tie. */
const paddleocr: ModelRow = {
  ids: ['PaddlePaddle/PaddleOCR-VL-1.6', 'PaddlePaddle/PaddleOCR-VL-1.5', 'PaddlePaddle/PaddleOCR-VL'],
  config: {
    model_type: 'paddleocr_vl',
    tie_word_embeddings: false,
    text_config: textConfig('paddleocr_vl_text', [103_424, 1_024, 3_072, 18, 16, 2, 131_072], {
      head_dim: 128,
      ...untied,
    }),
    vision_config: {},
  },
}

export const visionLanguageRows: readonly ModelRow[] = [
  llava15,
  smolVlmRow('smolvlm', 49_280, ['HuggingFaceTB/SmolVLM2-2.2B-Instruct']),
  smolVlmRow('idefics3', 49_155, ['HuggingFaceTB/SmolVLM-Instruct']),
  glm4vRow(65_536, ['zai-org/GLM-4.1V-9B-Base', 'zai-org/GLM-4.1V-9B-Thinking', 'THUDM/GLM-4.1V-9B-Thinking']),
  glm4vRow(131_072, ['zai-org/GLM-4.6V-Flash']),
  internvl35,
  paddleocr,
]
