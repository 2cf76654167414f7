/** The cells of `bench:accuracy` for methods that learn from answers: the step as TRL 1.8 and 1.13 go about it, and what precedes it. */
import type { TrainingMethod, TrainingSpec } from '../../engine/config/spec.ts'
import type { Cell } from './cells.ts'

type Answers = Extract<TrainingMethod, { kind: 'answers' }>

function answers(changes: Partial<Answers> = {}): Partial<TrainingSpec> {
  const generation = { kind: 'server' } as const
  const terms = { reference: 'none', answerLength: 512, count: 16, generation, tempersInPlace: true } as const
  return { method: { kind: 'answers', ...terms, comparesFeatures: false, ...changes } }
}

const ckpt = { gradientCheckpointing: true } as const
const targets = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']
const adapters = { lora: { rank: 16, targets, dropout: 0.05 } }
const byTransformers = { count: 128, generation: { kind: 'transformers' } } as const
const byFeatures = { count: 32, comparesFeatures: true } as const

export const answerCells: readonly Cell[] = (['HuggingFaceTB/SmolLM2-135M', 'Qwen/Qwen2.5-0.5B'] as const).flatMap(
  model =>
    (
      [
        { ...answers({ tempersInPlace: false }), ...ckpt },
        { ...answers({ reference: 'copy' }), ...ckpt, microBatch: 4 },
        { ...answers({ reference: 'adapters-off' }), ...adapters, ...ckpt },
        { ...answers({ reference: 'adapters-copy' }), lora: { ...adapters.lora, rank: 256 }, ...ckpt },
        { ...answers(), precision: 'amp-bf16' },
        { ...answers(byTransformers), ...adapters, ...ckpt, paddedBatches: true },
        { ...answers(byTransformers), ...adapters, ...ckpt },
        { ...answers({ ...byFeatures, reference: 'adapters-off' }), ...adapters, ...ckpt },
        { ...answers({ ...byFeatures, reference: 'copy' }), ...ckpt },
      ] as const
    ).map(
      (changes): Cell => [
        model,
        { microBatch: 2, sequenceLength: 1024, precision: 'bf16', loop: 'trainer', ...changes },
      ],
    ),
)
