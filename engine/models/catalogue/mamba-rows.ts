/** Hybrids of Mamba and attention; facts from the config.json that public repositories quote. */
import { type ModelRow, row, untied } from './model-row.ts'

type Mamba = readonly [heads: number, headSize: number, stateSize: number, groups: number]

const falconH1 = (mamba_rms_norm: boolean, [heads, headSize, stateSize, groups]: Mamba, attentionHead = 128) => ({
  mamba_rms_norm,
  mamba_d_ssm: heads * headSize,
  mamba_n_heads: heads,
  mamba_d_head: headSize,
  mamba_d_state: stateSize,
  mamba_n_groups: groups,
  mamba_chunk_size: 128,
  head_dim: attentionHead,
  ...untied,
})

// biome-ignore format: a table
export const mambaRows: readonly ModelRow[] = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  row('falcon_h1', [32_784, 1_024, 2_048, 36, 8, 2, 16_384], ['tiiuae/Falcon-H1-0.5B-Base', 'tiiuae/Falcon-H1-0.5B-Instruct'], falconH1(false, [24, 64, 128, 1], 64)),
  row('falcon_h1', [65_536, 2_048, 4_608, 24, 8, 2, 131_072], ['tiiuae/Falcon-H1-1.5B-Base'], falconH1(true, [48, 64, 256, 1])),
  row('falcon_h1', [65_536, 1_280, 3_072, 66, 6, 2, 131_072], ['tiiuae/Falcon-H1-1.5B-Deep-Base'], falconH1(true, [24, 64, 256, 1])),
  row('falcon_h1', [65_536, 2_560, 6_144, 32, 10, 2, 131_072], ['tiiuae/Falcon-H1-3B-Base'], falconH1(true, [32, 128, 256, 1])),
  row('falcon_h1', [130_048, 3_072, 12_288, 44, 12, 2, 262_144], ['tiiuae/Falcon-H1-7B-Base'], falconH1(true, [24, 128, 256, 1])),
  row('falcon_h1', [130_049, 3_072, 12_288, 44, 12, 2, 262_144], ['tiiuae/Falcon-H1-7B-Instruct'], { ...falconH1(true, [24, 128, 256, 1]), mamba_chunk_size: 256 }),
  row('falcon_h1', [261_120, 5_120, 21_504, 72, 20, 4, 262_144], ['tiiuae/Falcon-H1-34B-Base', 'tiiuae/Falcon-H1-34B-Instruct'], falconH1(true, [32, 128, 256, 2])),
]
