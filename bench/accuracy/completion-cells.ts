/** Cells of `bench:accuracy` for online methods: the step of TRL 1.8 and 1.13, and the generation before it. */
import type { TrainingSpec } from '../../engine/training/spec.ts'
import type { TrainingMethod } from '../../engine/training/training-method.ts'
import type { Cell } from './cell.ts'

type Online = Extract<TrainingMethod, { kind: 'online' }>

function online(changes: Partial<Online> = {}): Partial<TrainingSpec> {
  const generation = { kind: 'server' } as const
  const terms = { reference: 'none', completionLength: 512, completions: 16, generation, tempersInPlace: true } as const
  return { method: { kind: 'online', ...terms, comparesFeatures: false, ...changes } }
}

const ckpt = { gradientCheckpointing: true } as const
const targets = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']
const adapters = { lora: { rank: 16, targets, dropout: 0.05 } }
const liger = { fusedLoss: true } as const
const byTransformers = { completions: 128, generation: { kind: 'transformers' } } as const
const byFeatures = { completions: 32, comparesFeatures: true } as const

export const completionCells: readonly Cell[] = (['HuggingFaceTB/SmolLM2-135M', 'Qwen/Qwen2.5-0.5B'] as const).flatMap(
  model =>
    (
      [
        { ...online({ tempersInPlace: false }), ...ckpt },
        { ...online({ reference: 'copy' }), ...ckpt, microBatch: 4 },
        { ...online({ reference: 'adapters-off' }), ...adapters, ...ckpt },
        { ...online({ reference: 'adapters-copy' }), lora: { ...adapters.lora, rank: 256 }, ...ckpt },
        { ...online(), precision: 'amp-bf16' },
        { ...online(), ...liger, ...ckpt },
        { ...online(), ...liger, precision: 'amp-bf16', gradientAccumulation: 2 },
        { ...online(), ...liger, ...adapters, ...ckpt, microBatch: 8 },
        { ...online(byTransformers), ...adapters, ...ckpt, paddedBatches: true },
        { ...online(byTransformers), ...adapters, ...ckpt },
        { ...online({ ...byFeatures, reference: 'adapters-off' }), ...adapters, ...ckpt },
        { ...online({ ...byFeatures, reference: 'copy' }), ...ckpt },
      ] as const
    ).map(
      (changes): Cell => [
        model,
        { microBatch: 2, sequenceLength: 1024, precision: 'bf16', loop: 'trainer', ...changes },
      ],
    ),
)
