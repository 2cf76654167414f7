/**
 * Cells of `bench:accuracy` for checkpoints in torch.utils.checkpoint's reentrant form, which transformers before 5.0 takes by default,
 * and LLaMA-Factory still does. Most peak where the two forms differ.
 */
import type { TrainingSpec } from '../../engine/training/spec.ts'
import type { Cell } from './cell.ts'

const over = (targets: readonly string[], dropout = 0): Partial<TrainingSpec> => ({
  lora: { rank: 16, targets: [...targets], dropout },
})
const trainer = { loop: 'trainer' } as const

const trainings: readonly Cell[] = [
  ['bert', { microBatch: 128 }],
  ['bert', { microBatch: 32, sequenceLength: 384, paddedBatches: true, ...trainer }],
  ['bert', { microBatch: 32, gradientAccumulation: 2, precision: 'amp-fp16', ...trainer }],
  ['google/electra-base-discriminator', { microBatch: 32, ...over(['query', 'value'], 0.1) }],
  ['facebook/esm2_t12_35M_UR50D', { sequenceLength: 512, task: 'masked-lm', precision: 'amp-fp16', ...trainer }],
  [
    'answerdotai/ModernBERT-base',
    { sequenceLength: 1_024, precision: 'amp-bf16', ...over(['Wqkv', 'Wi', 'Wo'], 0.05) },
  ],
  ['HuggingFaceTB/SmolLM2-135M', { microBatch: 4, sequenceLength: 1_024, precision: 'bf16', ...trainer }],
  [
    'Qwen/Qwen2.5-0.5B',
    { sequenceLength: 1_024, precision: 'bf16', checkpointedLoss: true, ...trainer, ...over(['q_proj', 'v_proj']) },
  ],
  ['google/flan-t5-small', { microBatch: 2, sequenceLength: 1_024, targetLength: 256, optimizer: 'sgd' }],
  [
    'google/vit-base-patch16-224',
    { microBatch: 64, precision: 'amp-fp16', ...trainer, ...over(['q_proj', 'fc1'], 0.1) },
  ],
  ['facebook/dinov2-small', { microBatch: 64, precision: 'amp-bf16', ...trainer }],
  ['facebook/wav2vec2-base', { microBatch: 4, sequenceLength: 320_000, targetLength: 400, ...trainer }],
  ['openai/whisper-small', { microBatch: 4, precision: 'amp-bf16', ...trainer, ...over(['q_proj', 'v_proj']) }],
]

export const checkpointCells: readonly Cell[] = trainings.map(([model, changes]) => [
  model,
  { ...changes, gradientCheckpointing: true, reentrantCheckpoints: true },
])
