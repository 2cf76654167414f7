/** Adapters on encoders, whose heads for classification train whole beside them, and on T5. */
import type { TrainingSpec } from '../../engine/training/spec.ts'
import type { Cell } from './cell.ts'

const trainer = { loop: 'trainer' } as const
const ckpt = { gradientCheckpointing: true } as const

function adapters(targets: readonly string[], dropout: number, head: readonly string[] = []): Partial<TrainingSpec> {
  const modulesToSave = head.length > 0 ? { modulesToSave: [...head] } : {}
  return { lora: { rank: 16, targets: [...targets], dropout, ...modulesToSave } }
}

const head = ['classifier']
const ofBert = ['query', 'key', 'value', 'dense']
const ofDistilbert = adapters(['q_lin', 'v_lin'], 0.01, ['pre_classifier', 'classifier'])
const ofModernbert = adapters(['Wqkv', 'Wi', 'Wo', 'dense'], 0.05, head)
const ofVit = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'fc1', 'fc2']

const ofTexts = { task: 'sequence-classification', labels: 5, paddedBatches: true, autocasts: true } as const
const ofDecoder = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']
const withOutput = { lora: { rank: 16, targets: ['q_proj', 'v_proj', 'lm_head'], dropout: 0.05 } }

export const adapterCells: readonly Cell[] = [
  [
    'HuggingFaceTB/SmolLM2-135M',
    {
      microBatch: 8,
      precision: 'bf16',
      step: 'forward-backward',
      dropout: true,
      ...ckpt,
      ...trainer,
      ...adapters(['q_proj', 'v_proj'], 0.1),
    },
  ],
  ['Qwen/Qwen2.5-0.5B', { microBatch: 2, sequenceLength: 1024, precision: 'amp-bf16', ...trainer, ...withOutput }],
  ['Qwen/Qwen2.5-0.5B', { microBatch: 2, sequenceLength: 1024, precision: 'bf16', ...trainer, ...ckpt, ...withOutput }],
  [
    'Qwen/Qwen2.5-0.5B',
    {
      microBatch: 8,
      sequenceLength: 512,
      precision: 'bf16',
      ...trainer,
      ...ckpt,
      ...ofTexts,
      ...adapters(ofDecoder, 0.05, ['score']),
    },
  ],
  ['bert', { microBatch: 32, ...adapters(['query', 'value'], 0.1, head) }],
  ['bert', { microBatch: 16, ...trainer, ...ckpt, precision: 'amp-fp16', ...adapters(ofBert, 0.05, head) }],
  ['FacebookAI/roberta-large', { microBatch: 16, precision: 'amp-bf16', ...trainer, ...adapters(ofBert, 0.1, head) }],
  ['FacebookAI/xlm-roberta-base', { microBatch: 8, sequenceLength: 512, ...adapters(['query', 'value'], 0, head) }],
  ['distilbert/distilbert-base-uncased', { microBatch: 16, sequenceLength: 256, ...trainer, ...ofDistilbert }],
  ['distilbert/distilbert-base-uncased', { microBatch: 32, ...trainer, ...ckpt, ...ofDistilbert }],
  ['answerdotai/ModernBERT-base', { microBatch: 8, sequenceLength: 1024, precision: 'amp-bf16', ...ofModernbert }],
  ['answerdotai/ModernBERT-base', { microBatch: 8, sequenceLength: 1024, ...trainer, ...ckpt, ...ofModernbert }],
  ['facebook/dinov2-base', { microBatch: 32, ...trainer, ...adapters(['q_proj', 'v_proj'], 0.1, head) }],
  ['google/vit-base-patch16-224', { microBatch: 32, ...trainer, ...adapters(['q_proj', 'v_proj'], 0.1, head) }],
  [
    'google/vit-base-patch16-224',
    { microBatch: 64, precision: 'amp-fp16', ...trainer, ...ckpt, ...adapters(ofVit, 0.1, head) },
  ],
  [
    'google-t5/t5-base',
    { microBatch: 8, targetLength: 64, ...trainer, ...adapters(['q', 'k', 'v', 'o', 'wi', 'wo'], 0.1) },
  ],
  [
    'google/flan-t5-base',
    { microBatch: 8, sequenceLength: 512, precision: 'amp-bf16', ...trainer, ...ckpt, ...adapters(['q', 'v'], 0.05) },
  ],
  [
    'facebook/bart-large',
    {
      microBatch: 8,
      sequenceLength: 512,
      targetLength: 128,
      ...trainer,
      ...ckpt,
      ...adapters(['q_proj', 'v_proj'], 0.1),
    },
  ],
]
