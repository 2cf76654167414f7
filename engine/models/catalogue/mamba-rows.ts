/** Hybrids of Mamba and attention; facts from the config.json that public repositories quote. */
import { type ModelRow, row, tied, untied } from './model-row.ts'

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

interface Nemotron3 {
  readonly mambaHeads: number
  readonly experts: number
  readonly perToken: number
  readonly expert: number
  readonly latent?: number
}

/** `pattern`: a letter for the kind of every block. */
const nemotronH = (pattern: string, mambaHeads: number, mambaHeadSize: number) => ({
  hybrid_override_pattern: pattern,
  head_dim: 128,
  ssm_state_size: 128,
  mamba_num_heads: mambaHeads,
  mamba_head_dim: mambaHeadSize,
  n_groups: 8,
  conv_kernel: 4,
  chunk_size: 128,
  ...untied,
})

const nemotron3 = (pattern: string, { mambaHeads, experts, perToken, expert, latent }: Nemotron3) => ({
  ...nemotronH(pattern, mambaHeads, 64),
  moe_intermediate_size: expert,
  moe_shared_expert_intermediate_size: 2 * expert,
  n_routed_experts: experts,
  num_experts_per_tok: perToken,
  ...(latent !== undefined && { moe_latent_size: latent }),
})

const NO_EXPERTS = [0, 0] as const

/** Granite 4: every tenth layer attends, from the sixth on. */
const graniteHybrid = (mambaHeads: number, shared: number, [experts, perToken]: readonly [number, number]) => ({
  layer_types: Array.from({ length: 40 }, (_, index) => (index % 10 === 5 ? 'attention' : 'mamba')),
  position_embedding_type: 'nope',
  mamba_n_heads: mambaHeads,
  mamba_d_head: 64,
  mamba_d_state: 128,
  mamba_n_groups: 1,
  mamba_chunk_size: 256,
  shared_intermediate_size: shared,
  num_local_experts: experts,
  num_experts_per_tok: perToken,
  ...tied,
})

// biome-ignore format: a table
export const mambaRows: readonly ModelRow[] = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  row('falcon_h1', [32_784, 1_024, 2_048, 36, 8, 2, 16_384], ['tiiuae/Falcon-H1-0.5B-Base', 'tiiuae/Falcon-H1-0.5B-Instruct'], falconH1(false, [24, 64, 128, 1], 64)),
  row('falcon_h1', [65_536, 2_048, 4_608, 24, 8, 2, 131_072], ['tiiuae/Falcon-H1-1.5B-Base'], falconH1(true, [48, 64, 256, 1])),
  row('falcon_h1', [65_537, 2_048, 4_608, 24, 8, 2, 131_072], ['tiiuae/Falcon-H1-1.5B-Instruct'], falconH1(true, [48, 64, 256, 1])),
  row('falcon_h1', [65_536, 1_280, 3_072, 66, 6, 2, 131_072], ['tiiuae/Falcon-H1-1.5B-Deep-Base'], falconH1(true, [24, 64, 256, 1])),
  row('falcon_h1', [65_536, 2_560, 6_144, 32, 10, 2, 131_072], ['tiiuae/Falcon-H1-3B-Base'], falconH1(true, [32, 128, 256, 1])),
  row('falcon_h1', [130_048, 3_072, 12_288, 44, 12, 2, 262_144], ['tiiuae/Falcon-H1-7B-Base'], falconH1(true, [24, 128, 256, 1])),
  row('falcon_h1', [130_049, 3_072, 12_288, 44, 12, 2, 262_144], ['tiiuae/Falcon-H1-7B-Instruct'], { ...falconH1(true, [24, 128, 256, 1]), mamba_chunk_size: 256 }),
  row('jamba', [65_536, 4_096, 14_336, 32, 32, 8, 262_144], ['ai21labs/Jamba-v0.1', 'ai21labs/AI21-Jamba-1.5-Mini'], untied),
  // Its feed-forward's width is what makes its published 398 B parameters, 94 B of them active.
  row('jamba', [65_536, 8_192, 24_576, 72, 64, 8, 262_144], ['ai21labs/AI21-Jamba-1.5-Large'], untied),
  row('nemotron_h', [131_072, 4_480, 15_680, 56, 40, 8, 131_072], ['nvidia/NVIDIA-Nemotron-Nano-9B-v2', 'nvidia/NVIDIA-Nemotron-Nano-9B-v2-Base'], nemotronH('M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-', 128, 80)),
  row('nemotron_h', [131_072, 2_688, 1_856, 52, 32, 2, 262_144], ['nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16', 'nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-Base-BF16'], nemotron3('MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME', { mambaHeads: 64, experts: 128, perToken: 6, expert: 1_856 })),
  row('nemotron_h', [131_072, 4_096, 2_688, 88, 32, 2, 262_144], ['nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16'], nemotron3('MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME', { mambaHeads: 128, experts: 512, perToken: 22, expert: 2_688, latent: 1_024 })),
  // The preview has other words and two experts less than the model that it became.
  row('granitemoehybrid', [49_160, 1_536, 512, 40, 12, 4, 131_072], ['ibm-granite/granite-4.0-tiny-preview', 'ibm-granite/granite-4.0-tiny-base-preview'], graniteHybrid(48, 1_024, [62, 6])),
  row('granitemoehybrid', [100_352, 2_560, 8_192, 40, 40, 8, 131_072], ['ibm-granite/granite-4.0-micro', 'ibm-granite/granite-4.0-micro-base'], { ...graniteHybrid(80, 8_192, NO_EXPERTS), layer_types: Array.from({ length: 40 }, () => 'attention'), position_embedding_type: 'rope' }),
  row('granitemoehybrid', [100_352, 2_048, 8_192, 40, 32, 8, 131_072], ['ibm-granite/granite-4.0-h-micro', 'ibm-granite/granite-4.0-h-micro-base'], graniteHybrid(64, 8_192, NO_EXPERTS)),
  row('granitemoehybrid', [100_352, 1_536, 512, 40, 12, 4, 131_072], ['ibm-granite/granite-4.0-h-tiny', 'ibm-granite/granite-4.0-h-tiny-base'], graniteHybrid(48, 1_024, [64, 6])),
  row('granitemoehybrid', [100_352, 4_096, 768, 40, 32, 8, 131_072], ['ibm-granite/granite-4.0-h-small', 'ibm-granite/granite-4.0-h-small-base'], graniteHybrid(128, 1_536, [72, 10])),
  row('falcon_h1', [261_120, 5_120, 21_504, 72, 20, 4, 262_144], ['tiiuae/Falcon-H1-34B-Base', 'tiiuae/Falcon-H1-34B-Instruct'], falconH1(true, [32, 128, 256, 2])),
]
