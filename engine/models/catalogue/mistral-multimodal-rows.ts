/**
 * Mistral that sees or hears too: Small 3.1 and 4, Ministral 3, Devstral, Medium 3.5, Pixtral, Voxtral; facts from their
 * config.json, or from transformers' config classes where these hold the checkpoint's.
 */
import { type ModelRow, type Sizes, textConfig } from './model-row.ts'

interface Mistral3Shape {
  readonly isTied: boolean
  readonly tower?: Readonly<Record<string, unknown>>
}

const pixtralTower = { hidden_size: 1_024, intermediate_size: 4_096, num_hidden_layers: 24, patch_size: 14 }
/** Mistral Medium 3.5's, as its config.json stands in public engines' tests. */
const largePixtralTower = { hidden_size: 1_664, intermediate_size: 8_192, num_hidden_layers: 48, patch_size: 14 }

/** Small 3.1: transformers' defaults of Mistral3Config, its output layer its own, as the 24 B of the checkpoint say. */
function mistral3Row(
  textType: 'mistral' | 'ministral3',
  sizes: Sizes,
  { isTied, tower = pixtralTower }: Mistral3Shape,
  ids: readonly string[],
): ModelRow {
  const text_config = textConfig(textType, sizes, { head_dim: 128, sliding_window: null })
  return {
    ids,
    config: { model_type: 'mistral3', tie_word_embeddings: isTied, text_config, vision_config: tower },
  }
}

const ministral3Ids = (size: string) =>
  ['Base-2512', 'Instruct-2512', 'Instruct-2512-BF16', 'Reasoning-2512'].map(
    kind => `mistralai/Ministral-3-${size}-${kind}`,
  )

/**
 * transformers' defaults of Mistral4Config, and for the tower those of Mistral3Config. NVIDIA-NeMo/Automodel's Mistral4Config
 * says the same of the text.
 */
const mistralSmall4: ModelRow = {
  ids: ['mistralai/Mistral-Small-4-119B-2603', 'axolotl-ai-co/Mistral-Small-4-119B-2603-BF16'],
  config: {
    model_type: 'mistral3',
    tie_word_embeddings: false,
    text_config: textConfig('mistral4', [131_072, 4_096, 12_288, 36, 32, 32, 1_048_576], {
      q_lora_rank: 1_024,
      kv_lora_rank: 256,
      qk_nope_head_dim: 64,
      qk_rope_head_dim: 64,
      v_head_dim: 128,
      n_routed_experts: 128,
      num_experts_per_tok: 4,
      moe_intermediate_size: 2_048,
    }),
    vision_config: pixtralTower,
  },
}

/** Mistral Nemo's decoder; the 25.4 GB of its files are twice its parameters. */
const pixtral12: ModelRow = {
  ids: ['mistral-community/pixtral-12b'],
  config: {
    model_type: 'llava',
    text_config: textConfig('mistral', [131_072, 5_120, 14_336, 40, 32, 8, 1_024_000], {
      head_dim: 128,
      sliding_window: null,
    }),
    vision_config: { model_type: 'pixtral', patch_size: 16 },
  },
}

const voxtralMini: ModelRow = {
  ids: ['mistralai/Voxtral-Mini-3B-2507'],
  config: {
    model_type: 'voxtral',
    text_config: textConfig('llama', [131_072, 3_072, 8_192, 30, 32, 8, 131_072], { head_dim: 128 }),
    audio_config: {},
  },
}

// biome-ignore format: a table
export const mistralMultimodalRows: readonly ModelRow[] = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  mistral3Row('mistral', [131_072, 5_120, 32_768, 40, 32, 8, 131_072], { isTied: false }, ['mistralai/Mistral-Small-3.1-24B-Base-2503', 'mistralai/Mistral-Small-3.1-24B-Instruct-2503']),
  mistral3Row('ministral3', [131_072, 3_072, 9_216, 26, 32, 8, 262_144], { isTied: true }, ministral3Ids('3B')),
  mistral3Row('ministral3', [131_072, 4_096, 14_336, 34, 32, 8, 262_144], { isTied: false }, ministral3Ids('8B')),
  mistral3Row('ministral3', [131_072, 5_120, 16_384, 40, 32, 8, 262_144], { isTied: false }, ministral3Ids('14B')),
  mistral3Row('ministral3', [131_072, 5_120, 32_768, 40, 32, 8, 393_216], { isTied: false }, ['mistralai/Devstral-Small-2-24B-Instruct-2512']),
  mistral3Row('ministral3', [131_072, 12_288, 28_672, 88, 96, 8, 262_144], { isTied: false, tower: largePixtralTower }, ['mistralai/Mistral-Medium-3.5-128B', 'axolotl-ai-co/Mistral-Medium-3.5-128B-BF16']),
  mistralSmall4,
  pixtral12,
  voxtralMini,
]
