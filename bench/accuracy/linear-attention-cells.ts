/** Gated delta nets, as transformers runs them without flash-linear-attention. */
import type { TrainingSpec } from '../../engine/training/spec.ts'
import type { Cell } from './cell.ts'

const trainer = { loop: 'trainer', precision: 'bf16' } as const
const ckpt = { ...trainer, gradientCheckpointing: true } as const
const adapters = (...targets: string[]): Partial<TrainingSpec> => ({ lora: { rank: 8, targets, dropout: 0.05 } })

export const linearAttentionCells: readonly Cell[] = [
  ['Qwen/Qwen3.5-0.8B', { microBatch: 2, sequenceLength: 1024, ...trainer }],
  ['Qwen/Qwen3.5-0.8B', { microBatch: 2, sequenceLength: 1024, ...trainer, precision: 'amp-bf16' }],
  ['Qwen/Qwen3.5-0.8B', { microBatch: 1, sequenceLength: 1000, ...trainer, precision: 'fp32', optimizer: 'sgd' }],
  ['Qwen/Qwen3.5-0.8B', { microBatch: 1, sequenceLength: 512, ...trainer, precision: 'fp32' }],
  ['Qwen/Qwen3.5-2B', { microBatch: 1, sequenceLength: 4096, ...ckpt, optimizer: 'adamw-8bit' }],
  ['Qwen/Qwen3.5-27B', { microBatch: 4, sequenceLength: 512, ...trainer, ...adapters('q_proj', 'v_proj') }],
  [
    'Qwen/Qwen3-Next-80B-A3B-Instruct',
    { microBatch: 2, sequenceLength: 512, ...ckpt, ...adapters('q_proj', 'out_proj') },
  ],
]
