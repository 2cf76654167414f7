/** Gemma 3n and 4 as Axolotl's examples train them: adapters on the decoder's projections, or the whole in bfloat16. */
import type { TrainingSpec } from '../../engine/training/spec.ts'
import type { Cell } from './cell.ts'

const projections = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']
const bf16 = { precision: 'bf16', loop: 'trainer' } as const
const ckpt = { gradientCheckpointing: true } as const
const lora: Partial<TrainingSpec> = { ...bf16, ...ckpt, lora: { rank: 16, targets: projections, dropout: 0 } }
const full: Partial<TrainingSpec> = { ...bf16, ...ckpt, optimizer: 'adamw-8bit' }

export const gemmaCells: readonly Cell[] = [
  ['google/gemma-4-E2B-it', { microBatch: 1, sequenceLength: 2048, ...lora }],
  ['google/gemma-4-E2B-it', { microBatch: 2, sequenceLength: 1024, ...full }],
  ['google/gemma-4-E2B-it', { microBatch: 1, sequenceLength: 512, ...bf16, optimizer: 'sgd' }],
  ['google/gemma-4-12B-it', { microBatch: 1, sequenceLength: 2048, ...lora }],
  ['google/gemma-4-26B-A4B', { microBatch: 4, sequenceLength: 2048, ...lora }],
  ['google/gemma-4-31B', { microBatch: 1, sequenceLength: 2048, ...lora }],
]

/** Their tower is from timm, which must be installed. */
export const timmCells: readonly Cell[] = [
  ['google/gemma-3n-E2B-it', { microBatch: 2, sequenceLength: 2048, ...lora }],
  ['google/gemma-3n-E2B-it', { microBatch: 2, sequenceLength: 1024, ...full }],
  ['google/gemma-3n-E4B-it', { microBatch: 1, sequenceLength: 1024, ...bf16, optimizer: 'sgd' }],
]
