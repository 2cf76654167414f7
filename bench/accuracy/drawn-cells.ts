/** Cells of combinations drawn at random that lay wrong before their cause was modelled. */
import type { Cell } from './cell.ts'

const trainer = { loop: 'trainer' } as const
const ckpt = { gradientCheckpointing: true } as const
const forward = { step: 'forward-backward' } as const
const classes = { task: 'sequence-classification', labels: 5 } as const

function adapters(rank: number, ...targets: readonly string[]) {
  return { lora: { rank, targets: [...targets], dropout: 0 } }
}

export const drawnCells: readonly Cell[] = [
  [
    'mistralai/Mistral-7B-v0.1',
    { microBatch: 2, sequenceLength: 64, precision: 'bf16', ...trainer, optimizer: 'adafactor' },
  ],
  ['google/flan-t5-xl', { microBatch: 1, sequenceLength: 64, precision: 'bf16', ...trainer, optimizer: 'adafactor' }],
  [
    'FacebookAI/roberta-large',
    {
      microBatch: 16,
      sequenceLength: 512,
      ...classes,
      paddedBatches: true,
      attention: 'eager',
      ...ckpt,
      ...adapters(64, 'query', 'value', 'dense'),
    },
  ],
  [
    'tiiuae/falcon-7b',
    {
      microBatch: 4,
      sequenceLength: 256,
      ...classes,
      ...trainer,
      ...ckpt,
      ...adapters(16, 'dense_h_to_4h', 'dense_4h_to_h'),
    },
  ],
  [
    'tiiuae/falcon-11B',
    { microBatch: 2, sequenceLength: 1024, precision: 'amp-fp16', ...classes, ...trainer, ...adapters(8, 'dense') },
  ],
  [
    'microsoft/Phi-3-mini-4k-instruct',
    {
      microBatch: 1,
      sequenceLength: 2048,
      ...forward,
      ...trainer,
      ...ckpt,
      ...adapters(64, 'qkv_proj', 'gate_up_proj'),
    },
  ],
  [
    'meta-llama/Llama-3.2-1B',
    {
      microBatch: 4,
      sequenceLength: 1024,
      precision: 'bf16',
      ...forward,
      ...trainer,
      ...ckpt,
      ...adapters(16, 'v_proj'),
    },
  ],
  [
    'microsoft/deberta-v3-large',
    {
      microBatch: 8,
      sequenceLength: 128,
      task: 'token-classification',
      labels: 17,
      lora: { rank: 64, targets: ['query_proj', 'key_proj', 'dense'], dropout: 0.05, form: 'dora' },
    },
  ],
]
