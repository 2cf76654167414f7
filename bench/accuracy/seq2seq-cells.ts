/** T5 and BART with their kin; models of translation alone are in translation-cells.ts. */
import type { Cell } from './cell.ts'

const trainer = { loop: 'trainer' } as const
const ckpt = { gradientCheckpointing: true } as const
const padded = { paddedBatches: true } as const
const sgd = { ...trainer, optimizer: 'sgd' } as const

export const seq2seqCells: readonly Cell[] = [
  ['google-t5/t5-small', { microBatch: 8, sequenceLength: 512 }],
  ['google-t5/t5-small', { microBatch: 8, sequenceLength: 512, attention: 'eager' }],
  ['google-t5/t5-base', { microBatch: 8, sequenceLength: 512, targetLength: 128, precision: 'amp-bf16', ...trainer }],
  ['google-t5/t5-base', { microBatch: 8, sequenceLength: 512, step: 'forward-backward' }],
  ['google-t5/t5-base', { microBatch: 8, sequenceLength: 512, targetLength: 64, precision: 'amp-bf16' }],
  ['google/flan-t5-base', { microBatch: 8, sequenceLength: 1024, targetLength: 64, precision: 'amp-bf16' }],
  ['google-t5/t5-large', { microBatch: 8, sequenceLength: 512, targetLength: 64, ...ckpt, precision: 'bf16' }],
  ['google/flan-t5-small', { microBatch: 2, sequenceLength: 1024, targetLength: 256, optimizer: 'sgd' }],
  ['facebook/bart-base', { microBatch: 8, sequenceLength: 512, targetLength: 128 }],
  ['facebook/bart-base', { microBatch: 8, sequenceLength: 512, targetLength: 128, precision: 'amp-bf16', ...trainer }],
  ['facebook/bart-base', { microBatch: 8, sequenceLength: 512, attention: 'eager', precision: 'bf16' }],
  [
    'facebook/bart-base',
    { microBatch: 4, sequenceLength: 512, paddedBatches: true, precision: 'amp-fp16', ...trainer },
  ],
  ['facebook/bart-base', { microBatch: 8, step: 'forward-backward' }],
  ['facebook/bart-base', { microBatch: 8, step: 'forward-backward', attention: 'eager', precision: 'bf16' }],
  ['facebook/bart-large', { microBatch: 4, sequenceLength: 1024, targetLength: 128, ...ckpt, precision: 'amp-bf16' }],
  ['facebook/mbart-large-50', { microBatch: 4, sequenceLength: 256, targetLength: 256, precision: 'amp-bf16' }],
  ['facebook/mbart-large-50', { microBatch: 4, sequenceLength: 512, ...ckpt, optimizer: 'sgd', ...trainer }],
  ['facebook/mbart-large-50', { microBatch: 8, sequenceLength: 256, step: 'forward-backward' }],
  ['google/mt5-small', { microBatch: 4, sequenceLength: 512, targetLength: 128, precision: 'amp-bf16', ...trainer }],
  ['google/flan-t5-base', { microBatch: 8, sequenceLength: 512, targetLength: 128, paddedBatches: true, ...trainer }],
  ['google/flan-t5-base', { microBatch: 8, sequenceLength: 512, ...ckpt, precision: 'amp-bf16', ...trainer }],
  ['google/flan-t5-base', { microBatch: 8, sequenceLength: 512, precision: 'bf16', inFloat16: true, ...trainer }],
  ['google/flan-t5-large', { microBatch: 4, sequenceLength: 512, precision: 'bf16', gradientAccumulation: 2 }],
  [
    'google/flan-t5-xl',
    { microBatch: 4, sequenceLength: 256, precision: 'bf16', lora: { rank: 16, targets: ['q', 'v'], dropout: 0.05 } },
  ],
  ['Salesforce/codet5p-770m', { microBatch: 4, sequenceLength: 1024, targetLength: 64, ...padded, ...sgd }],
  [
    'Salesforce/codet5p-220m',
    { microBatch: 8, sequenceLength: 512, targetLength: 64, ...padded, ...ckpt, precision: 'amp-bf16', ...sgd },
  ],
  ['google/flan-t5-base', { microBatch: 2, sequenceLength: 777, targetLength: 30, ...padded, ...ckpt, ...sgd }],
  [
    'google/flan-t5-base',
    {
      microBatch: 8,
      sequenceLength: 512,
      targetLength: 32,
      ...padded,
      ...ckpt,
      precision: 'amp-bf16',
      ...trainer,
      lora: { rank: 16, targets: ['q', 'v'], dropout: 0.05 },
    },
  ],
]
