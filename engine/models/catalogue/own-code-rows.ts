/** Models whose code stands in their own repositories; transformers does not build them. Facts from their config.json. */
import { type ModelRow, row, untied } from './model-row.ts'

const mimo = { head_dim: 128, num_nextn_predict_layers: 1, ...untied }

// biome-ignore format: a table
export const ownCodeRows: readonly ModelRow[] = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  row('mimo', [151_680, 4_096, 11_008, 36, 32, 8, 32_768], ['XiaomiMiMo/MiMo-7B-Base', 'XiaomiMiMo/MiMo-7B-SFT', 'XiaomiMiMo/MiMo-7B-RL', 'XiaomiMiMo/MiMo-7B-RL-Zero'], mimo),
]
