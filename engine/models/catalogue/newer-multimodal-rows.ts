/**
 * More checkpoints that see images or hear; facts from their config.json, or from transformers' config classes where these
 * hold the checkpoint's.
 */
import { type ModelRow, row } from './model-row.ts'

/** transformers' defaults of Glm4vConfig are GLM 4.1 V's; the cards of 4.6 V Flash name the same sizes, and 10 B parameters. */
const glm4v: ModelRow = {
  ids: ['zai-org/GLM-4.1V-9B-Base', 'zai-org/GLM-4.1V-9B-Thinking', 'zai-org/GLM-4.6V-Flash'],
  config: {
    model_type: 'glm4v',
    tie_word_embeddings: false,
    text_config: {
      ...row('glm4v_text', [151_552, 4_096, 13_696, 40, 32, 2, 131_072], []).config,
      partial_rotary_factor: 0.5,
    },
    vision_config: {},
  },
}

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

export const newerMultimodalRows: readonly ModelRow[] = [glm4v, internvl35, paddleocr, voxtralMini]
