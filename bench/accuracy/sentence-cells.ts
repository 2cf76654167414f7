/** Embeddings of sentences, as sentence-transformers' scripts train them. */
import type { SentenceLoss } from '../../engine/training/choices.ts'
import type { Cell } from './cell.ts'

const pairs = { task: 'sentence-similarity', loop: 'trainer', paddedBatches: true } as const
const by = (loss: SentenceLoss, columns = 2) => ({ ...pairs, sentences: { columns, loss } })
const ckpt = { gradientCheckpointing: true } as const

export const sentenceCells: readonly Cell[] = [
  ['bert', { microBatch: 16, ...pairs }],
  ['bert', { microBatch: 16, ...by('cosent'), precision: 'amp-fp16' }],
  ['bert', { microBatch: 8, sequenceLength: 256, ...by('triplet', 3) }],
  ['bert', { microBatch: 8, ...by('multiple-negatives-ranking', 7), precision: 'amp-bf16' }],
  ['bert', { microBatch: 2048, sequenceLength: 16, ...by('cosent'), ...ckpt }],
  ['bert', { microBatch: 16, ...by('softmax'), labels: 3 }],
  ['bert', { microBatch: 16, ...by('contrastive'), precision: 'bf16', gradientAccumulation: 2 }],
  ['bert', { microBatch: 16, ...pairs, lora: { rank: 8, targets: ['query', 'value'], dropout: 0.1 } }],
  ['BAAI/bge-small-en-v1.5', { microBatch: 64, sequenceLength: 512, ...pairs, ...ckpt, precision: 'amp-bf16' }],
  [
    'BAAI/bge-base-en-v1.5',
    {
      microBatch: 32,
      ...pairs,
      sentences: { columns: 3, loss: 'multiple-negatives-ranking', pooling: 'cls' },
      precision: 'amp-fp16',
    },
  ],
  ['sentence-transformers/all-MiniLM-L6-v2', { microBatch: 64, sequenceLength: 256, ...pairs }],
  ['FacebookAI/roberta-base', { microBatch: 16, ...by('cosine-similarity') }],
  ['FacebookAI/roberta-base', { microBatch: 16, ...by('multiple-negatives-ranking', 3), precision: 'amp-bf16' }],
  ['FacebookAI/xlm-roberta-base', { microBatch: 16, ...pairs, precision: 'amp-fp16' }],
  ['microsoft/mpnet-base', { microBatch: 16, ...pairs }],
  ['sentence-transformers/all-mpnet-base-v2', { microBatch: 16, ...by('cosent'), precision: 'amp-fp16' }],
  [
    'sentence-transformers/all-mpnet-base-v2',
    { microBatch: 8, sequenceLength: 384, ...by('triplet', 3), precision: 'amp-bf16' },
  ],
  ['microsoft/mpnet-base', { microBatch: 16, task: 'token-classification', labels: 9, precision: 'bf16' }],
  ['microsoft/mpnet-base', { microBatch: 16, task: 'masked-lm', loop: 'trainer', precision: 'amp-bf16' }],
  ['microsoft/mpnet-base', { microBatch: 16, gradientAccumulation: 2 }],
  ['distilbert/distilbert-base-uncased', { microBatch: 16, ...pairs }],
  ['answerdotai/ModernBERT-base', { microBatch: 8, sequenceLength: 256, ...pairs }],
  ['answerdotai/ModernBERT-base', { microBatch: 8, ...by('multiple-negatives-ranking', 3), precision: 'amp-bf16' }],
  ['microsoft/deberta-v3-base', { microBatch: 8, ...pairs }],
  ['albert/albert-base-v2', { microBatch: 16, ...by('triplet', 3), precision: 'amp-bf16' }],
  ['google/electra-small-discriminator', { microBatch: 32, ...pairs }],
]
