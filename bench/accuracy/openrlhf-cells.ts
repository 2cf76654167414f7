/** Cells of `bench:accuracy` for OpenRLHF's losses: fine-tuning, DPO with a copy as reference, and reward models. */
import type { TrainingSpec } from '../../engine/training/spec.ts'
import type { Cell } from './cell.ts'

const openRlhf = { loop: 'openrlhf', attention: 'flash', precision: 'bf16', paddedBatches: false } as const
const ckpt = { gradientCheckpointing: true, reentrantCheckpoints: false } as const

const preferences: Partial<TrainingSpec> = {
  method: { kind: 'preference', reference: 'copy', logProbabilities: 'openrlhf', withCrossEntropy: false },
}
const rewards: Partial<TrainingSpec> = {
  task: 'sequence-classification',
  labels: 1,
  method: { kind: 'reward', head: 'score' },
}

export const openRlhfCells: readonly Cell[] = (['HuggingFaceTB/SmolLM2-135M', 'Qwen/Qwen2.5-0.5B'] as const).flatMap(
  model =>
    (
      [
        { ...ckpt, microBatch: 4 },
        { microBatch: 2 },
        { ...ckpt, microBatch: 2, gradientAccumulation: 2 },
        { ...ckpt, microBatch: 2, ...preferences },
        { microBatch: 1, ...preferences },
        { ...ckpt, microBatch: 2, ...rewards },
      ] as const
    ).map((changes): Cell => [model, { ...openRlhf, sequenceLength: 1024, ...changes }]),
)
