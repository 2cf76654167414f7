/** Hybrids of Mamba and attention. The trace replaces Mamba's kernels by stand-ins. */
import type { TrainingSpec } from '../../engine/training/spec.ts'
import type { Cell } from './cell.ts'

const ckpt = { precision: 'bf16', gradientCheckpointing: true, loop: 'trainer' } as const
const lora = (rank: number, targets: readonly string[]): Partial<TrainingSpec> => ({
  lora: { rank, targets: [...targets], dropout: 0.05 },
})
const attention = ['q_proj', 'k_proj', 'v_proj', 'o_proj']
const gated = ['gate_proj', 'up_proj', 'down_proj']

const falcon = lora(32, [...attention, 'in_proj', ...gated])
const jamba = lora(16, [...attention, ...gated, 'in_proj', 'x_proj', 'out_proj'])

export const mambaCells: readonly Cell[] = [
  ['tiiuae/Falcon-H1-0.5B-Base', { microBatch: 2, sequenceLength: 2048, ...ckpt, ...falcon }],
  ['tiiuae/Falcon-H1-0.5B-Base', { microBatch: 2, sequenceLength: 2048, precision: 'bf16', optimizer: 'sgd' }],
  ['tiiuae/Falcon-H1-1.5B-Base', { microBatch: 4, sequenceLength: 2048, ...ckpt, precision: 'amp-bf16' }],
  ['tiiuae/Falcon-H1-3B-Base', { microBatch: 1, sequenceLength: 4096, ...ckpt, optimizer: 'adamw-8bit' }],
  [
    'nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16',
    { microBatch: 1, sequenceLength: 4096, ...ckpt, ...lora(16, attention) },
  ],
  [
    'nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16',
    { microBatch: 2, sequenceLength: 1024, precision: 'bf16', optimizer: 'sgd' },
  ],
  ['ibm-granite/granite-4.0-tiny-preview', { microBatch: 2, sequenceLength: 2048, ...ckpt, optimizer: 'adamw-8bit' }],
  ['ibm-granite/granite-4.0-tiny-preview', { microBatch: 8, sequenceLength: 2048, ...ckpt, ...lora(16, attention) }],
  ['ai21labs/Jamba-v0.1', { microBatch: 1, sequenceLength: 4096, ...ckpt, ...jamba }],
  ['ai21labs/Jamba-v0.1', { microBatch: 2, sequenceLength: 1024, precision: 'bf16', optimizer: 'sgd' }],
]
