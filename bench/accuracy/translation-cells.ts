/** Translation and summarisation beside BART and T5, as transformers' examples set them up. */
import type { Cell } from './cell.ts'

const trainer = { loop: 'trainer' } as const
const ckpt = { gradientCheckpointing: true } as const
const queryValue = { rank: 16, targets: ['q_proj', 'v_proj'], dropout: 0.05 }

export const translationCells: readonly Cell[] = [
  ['Helsinki-NLP/opus-mt-en-de', { microBatch: 16, ...trainer }],
  [
    'Helsinki-NLP/opus-mt-en-de',
    { microBatch: 16, sequenceLength: 256, targetLength: 128, precision: 'amp-fp16', ...trainer },
  ],
  ['Helsinki-NLP/opus-mt-en-de', { microBatch: 4, ...ckpt }],
  ['Helsinki-NLP/opus-mt-en-de', { microBatch: 1, optimizer: 'adamw-fused', ...trainer }],
  ['Helsinki-NLP/opus-mt-en-de', { microBatch: 8, step: 'forward-backward' }],
  ['google/pegasus-large', { microBatch: 8, step: 'forward-backward', ...ckpt }],
  ['google/pegasus-large', { microBatch: 16, sequenceLength: 512, targetLength: 64, ...trainer }],
  [
    'google/pegasus-large',
    { microBatch: 16, sequenceLength: 512, targetLength: 128, ...ckpt, precision: 'bf16', ...trainer },
  ],
  ['facebook/nllb-200-distilled-600M', { microBatch: 8, ...trainer }],
  ['facebook/nllb-200-distilled-600M', { microBatch: 8, step: 'forward-backward' }],
  ['facebook/nllb-200-distilled-600M', { microBatch: 8, sequenceLength: 512, attention: 'eager', optimizer: 'sgd' }],
  [
    'facebook/nllb-200-distilled-600M',
    { microBatch: 8, sequenceLength: 256, lora: queryValue, precision: 'bf16', inFloat16: true, ...trainer },
  ],
  ['facebook/nllb-200-distilled-600M', { microBatch: 8, precision: 'bf16', paddedBatches: true, ...trainer }],
  [
    'facebook/nllb-200-distilled-600M',
    { microBatch: 4, sequenceLength: 256, precision: 'amp-bf16', ...ckpt, ...trainer, lora: queryValue },
  ],
]
