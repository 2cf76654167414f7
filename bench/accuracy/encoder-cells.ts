/** Encoders beside BERT, RoBERTa and DistilBERT, as scripts that fine-tune them set them up. */
import type { Cell } from './cell.ts'

const trainer = { loop: 'trainer' } as const
const ckpt = { gradientCheckpointing: true } as const
const mlm = { task: 'masked-lm' } as const
const answers = { task: 'question-answering' } as const
const tokens = { task: 'token-classification', labels: 9 } as const

export const encoderCells: readonly Cell[] = [
  ['bert', { microBatch: 16, sequenceLength: 384, ...answers, paddedBatches: true, ...trainer }],
  ['bert', { microBatch: 12, sequenceLength: 384, ...answers, precision: 'amp-fp16' }],
  ['distilbert/distilbert-base-uncased', { microBatch: 16, sequenceLength: 384, ...answers, ...trainer }],
  [
    'FacebookAI/roberta-base',
    {
      microBatch: 8,
      sequenceLength: 384,
      ...answers,
      lora: { rank: 8, targets: ['query', 'value'], dropout: 0.1, modulesToSave: ['qa_outputs'] },
    },
  ],
  ['microsoft/deberta-v3-base', { microBatch: 8, sequenceLength: 384, ...answers, ...ckpt, ...trainer }],
  ['google/electra-base-discriminator', { microBatch: 16, sequenceLength: 256, ...answers, precision: 'bf16' }],
  ['albert/albert-base-v2', { microBatch: 16, sequenceLength: 384, ...answers }],
  [
    'answerdotai/ModernBERT-base',
    { microBatch: 8, sequenceLength: 512, ...answers, precision: 'amp-bf16', ...trainer },
  ],
  ['almanach/camembert-base', { microBatch: 32 }],
  ['almanach/camembert-base', { microBatch: 16, ...mlm, precision: 'amp-bf16', ...trainer }],
  ['vinai/phobert-base', { microBatch: 16, sequenceLength: 256, ...tokens, ...ckpt, ...trainer }],
  ['google/electra-small-discriminator', { microBatch: 32 }],
  ['google/electra-small-discriminator', { microBatch: 16, ...mlm, precision: 'amp-bf16', ...trainer }],
  ['google/electra-small-discriminator', { microBatch: 16, ...tokens, ...ckpt, attention: 'eager' }],
  ['google/electra-base-discriminator', { microBatch: 16, sequenceLength: 512, paddedBatches: true, ...trainer }],
  [
    'google/electra-base-discriminator',
    { microBatch: 32, lora: { rank: 8, targets: ['query', 'value'], dropout: 0.1 } },
  ],
  ['albert/albert-base-v2', { microBatch: 32 }],
  ['albert/albert-base-v2', { microBatch: 16, ...mlm, precision: 'amp-bf16', ...trainer }],
  ['albert/albert-base-v2', { microBatch: 16, ...tokens, attention: 'eager' }],
  ['albert/albert-base-v2', { microBatch: 16, precision: 'bf16', gradientAccumulation: 2 }],
  ['albert/albert-large-v2', { microBatch: 8, sequenceLength: 512, paddedBatches: true, ...trainer }],
  ['microsoft/deberta-v3-base', { microBatch: 16 }],
  ['microsoft/deberta-v3-base', { microBatch: 16, step: 'forward-backward' }],
  ['microsoft/deberta-v3-base', { microBatch: 16, sequenceLength: 256, ...mlm, precision: 'amp-bf16', ...trainer }],
  ['microsoft/deberta-v3-base', { microBatch: 8, sequenceLength: 512, ...tokens, ...ckpt, ...trainer }],
  ['microsoft/deberta-v3-base', { microBatch: 8, sequenceLength: 512, ...tokens, paddedBatches: true, ...trainer }],
  [
    'microsoft/deberta-v3-base',
    { microBatch: 32, ...tokens, lora: { rank: 8, targets: ['query_proj', 'value_proj'], dropout: 0.1 } },
  ],
  ['microsoft/deberta-v3-xsmall', { microBatch: 32, precision: 'bf16', ...ckpt }],
  ['facebook/esm2_t12_35M_UR50D', { microBatch: 8, sequenceLength: 512 }],
  ['facebook/esm2_t12_35M_UR50D', { microBatch: 8, sequenceLength: 512, ...tokens, paddedBatches: true, ...trainer }],
  ['facebook/esm2_t12_35M_UR50D', { microBatch: 8, sequenceLength: 512, ...mlm, precision: 'amp-fp16', ...trainer }],
  ['facebook/esm2_t30_150M_UR50D', { microBatch: 8, sequenceLength: 256, attention: 'eager', ...ckpt }],
  ['facebook/esm2_t30_150M_UR50D', { microBatch: 8, sequenceLength: 512, precision: 'bf16' }],
  [
    'facebook/esm2_t33_650M_UR50D',
    {
      microBatch: 8,
      sequenceLength: 1_024,
      precision: 'amp-bf16',
      ...trainer,
      lora: { rank: 8, targets: ['query', 'key', 'value'], dropout: 0.1, modulesToSave: ['classifier'] },
    },
  ],
]
