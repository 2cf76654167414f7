/** flash-attn's kernels, traced through PyTorch's own: windows without a mask, grouped heads, values narrower than queries. */
import type { Cell } from './cell.ts'

const bf16 = { attention: 'flash', precision: 'bf16' } as const
const amp = { attention: 'flash', precision: 'amp-bf16' } as const
const trainer = { loop: 'trainer' } as const
const ckpt = { gradientCheckpointing: true } as const
const lora = { lora: { rank: 16, targets: ['q_proj', 'v_proj'], dropout: 0 } }
const batch = (microBatch: number, sequenceLength: number) => ({ microBatch, sequenceLength })

export const flashCells: readonly Cell[] = [
  ['google/gemma-2-2b', { ...bf16, ...trainer, ...batch(2, 8192) }],
  ['google/gemma-3-4b-pt', { ...amp, ...trainer, ...ckpt, ...batch(2, 4096) }],
  ['google/gemma-3-1b-pt', { ...bf16, ...batch(4, 2048) }],
  ['mistralai/Mistral-7B-v0.1', { ...bf16, ...trainer, ...batch(1, 8192) }],
  ['allenai/Olmo-3-1025-7B', { ...bf16, ...trainer, ...ckpt, ...lora, ...batch(1, 8192) }],
  ['deepseek-ai/DeepSeek-V2-Lite', { ...bf16, ...trainer, ...batch(1, 1024) }],
  ['openai/gpt-oss-20b', { ...bf16, ...trainer, ...batch(1, 1024) }],
  ['answerdotai/ModernBERT-base', { ...amp, ...batch(8, 1024) }],
  ['bert', { ...amp, ...batch(8, 512) }],
]
