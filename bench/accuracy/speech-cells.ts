/** Speech: Whisper, whose samples are half a minute of sound each and a transcript. */
import type { Cell } from './cell.ts'

const ckpt = { gradientCheckpointing: true } as const
const trainer = { loop: 'trainer' } as const
const lora = { rank: 32, targets: ['q_proj', 'v_proj'], dropout: 0.05 }
const every = { ...lora, targets: ['q_proj', 'k_proj', 'v_proj', 'out_proj', 'fc1', 'fc2'] }

/** What freeze_encoder leaves. */
const frozenEncoder = { trainable: { names: [String.raw`model\.decoder\.`, 'proj_out'], inputGradients: false } }

export const speechCells: readonly Cell[] = [
  ['openai/whisper-tiny', { microBatch: 8, sequenceLength: 448 }],
  ['openai/whisper-tiny', { microBatch: 16, sequenceLength: 225, ...trainer, precision: 'bf16', optimizer: 'sgd' }],
  [
    'openai/whisper-tiny',
    { microBatch: 16, sequenceLength: 225, ...trainer, precision: 'bf16', inFloat16: true, optimizer: 'sgd' },
  ],
  ['openai/whisper-small', { microBatch: 8, sequenceLength: 448, ...trainer, precision: 'amp-bf16' }],
  ['openai/whisper-small', { microBatch: 16, sequenceLength: 225, ...trainer, ...ckpt, precision: 'amp-fp16' }],
  ['openai/whisper-small', { microBatch: 4, sequenceLength: 128, attention: 'eager', precision: 'bf16' }],
  ['openai/whisper-medium', { microBatch: 4, sequenceLength: 448, ...trainer, ...ckpt, precision: 'bf16' }],
  ['openai/whisper-large-v3', { microBatch: 4, sequenceLength: 448, ...trainer, precision: 'bf16', lora: every }],
  ['openai/whisper-large-v3', { microBatch: 8, sequenceLength: 448, ...trainer, ...ckpt, precision: 'bf16', lora }],
  ['openai/whisper-large-v3-turbo', { microBatch: 8, sequenceLength: 300, ...trainer, precision: 'amp-bf16' }],
  ['openai/whisper-small', { microBatch: 8, sequenceLength: 448, ...trainer, precision: 'amp-bf16', ...frozenEncoder }],
  [
    'openai/whisper-small',
    { microBatch: 8, sequenceLength: 448, ...trainer, ...ckpt, precision: 'amp-bf16', ...frozenEncoder },
  ],
  [
    'openai/whisper-large-v3',
    { microBatch: 4, sequenceLength: 448, ...trainer, ...ckpt, precision: 'bf16', lora, ...frozenEncoder },
  ],
]
