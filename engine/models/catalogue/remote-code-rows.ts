/** Models whose code stands in their own repositories; transformers does not build them. Facts from their config.json. */
import { type ModelRow, row, textConfig, untied } from './model-row.ts'

const mimo = { head_dim: 128, num_nextn_predict_layers: 1, ...untied }

/** As public engines read its config.json; 11 B, as LLaMA-Factory's examples call it. */
const mossVl: ModelRow = {
  ids: ['OpenMOSS-Team/MOSS-VL-Instruct-0708'],
  config: {
    model_type: 'moss_vl',
    tie_word_embeddings: false,
    text_config: textConfig('moss_vl_text', [151_936, 4_096, 12_288, 48, 32, 8, 262_144], {
      head_dim: 128,
      cross_attention_layers: [2, 6, 10, 14, 18, 22, 26, 30, 34, 38, 42, 46],
    }),
    vision_config: { depth: 27, hidden_size: 1_152, intermediate_size: 4_304, deepstack_visual_indexes: [8, 16, 24] },
  },
}

// biome-ignore format: a table
export const remoteCodeRows: readonly ModelRow[] = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  row('mimo', [151_680, 4_096, 11_008, 36, 32, 8, 32_768], ['XiaomiMiMo/MiMo-7B-Base', 'XiaomiMiMo/MiMo-7B-SFT', 'XiaomiMiMo/MiMo-7B-RL', 'XiaomiMiMo/MiMo-7B-RL-Zero'], mimo),
  mossVl,
]
