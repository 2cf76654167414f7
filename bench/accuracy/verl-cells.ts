/** Cells of `bench:accuracy` for verl's losses: its supervised fine-tuning, and the actor's update after scoring its responses. */
import type { TrainingSpec } from '../../engine/training/spec.ts'
import type { Cell } from './cell.ts'

const verl = { loop: 'verl', attention: 'flash', precision: 'bf16' } as const
const ckpt = { gradientCheckpointing: true } as const
const targets = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']
const adapters = { lora: { rank: 16, targets, dropout: 0, inWeightsType: true } } as const

type Method = Extract<TrainingSpec['method'], { kind: 'online' }>

function actor(scored: number, paddedBatches = false, entropies?: Method['entropies'], changes: Partial<Method> = {}) {
  const terms = { reference: 'none', completionLength: 768, completions: 16, scored, tempersInPlace: true } as const
  const generation = { kind: 'server' } as const
  return {
    paddedBatches,
    method: {
      kind: 'online',
      generation,
      comparesFeatures: false,
      ...terms,
      ...(entropies && { entropies }),
      ...changes,
    },
  } satisfies Partial<TrainingSpec>
}

export const verlCells: readonly Cell[] = (['HuggingFaceTB/SmolLM2-135M', 'Qwen/Qwen2.5-0.5B'] as const).flatMap(
  model =>
    (
      [
        { ...ckpt, microBatch: 4 },
        { microBatch: 2, ...adapters },
        { ...ckpt, microBatch: 2, gradientAccumulation: 2 },
        { ...ckpt, microBatch: 4, contextParallel: 2, paddedBatches: false },
        { ...ckpt, microBatch: 4, ...actor(4) },
        { ...ckpt, microBatch: 2, ...actor(16) },
        { ...ckpt, microBatch: 4, ...actor(4, true) },
        { ...ckpt, microBatch: 2, ...actor(16, true) },
        { microBatch: 2, ...actor(2), ...adapters },
        { ...ckpt, microBatch: 4, ...actor(2, false, 'trained') },
        { ...ckpt, microBatch: 4, gradientAccumulation: 2, ...actor(2, false, 'logged') },
        { ...ckpt, microBatch: 4, ...actor(2, true, 'trained') },
        { ...ckpt, microBatch: 4, ...actor(2, true, 'logged') },
        { ...ckpt, microBatch: 4, ...actor(2, true, 'always') },
        { ...ckpt, microBatch: 2, ...actor(8, false, undefined, { eagerEntropies: true }) },
        { ...ckpt, microBatch: 4, ...actor(2, false, 'trained', { eagerEntropies: true }) },
      ] as const
    ).map((changes): Cell => [model, { ...verl, sequenceLength: 1024, ...changes }]),
)
