/** What is run: the full plan, and a rehearsal with models that a CPU runs in milliseconds. */
import { specOf } from '../../engine/config/adjusted-spec.ts'
import type { ModelConfig } from '../../engine/models/architecture.ts'
import { findModel } from '../../engine/models/catalogue.ts'
import { modelConfig } from '../../engine/models/model-config.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'

export interface Subject {
  readonly name: string
  readonly spec: TrainingSpec
  readonly config: ModelConfig
}

export interface Plan {
  /** Trials of the facts: every precision once. */
  readonly precisions: readonly Subject[]
  /** Models whose attention is measured in both orders of PyTorch's kernels, with and without a mask. */
  readonly attention: readonly Subject[]
  readonly cells: readonly Subject[]
  readonly sweeps: readonly Subject[]
  readonly curves: readonly Subject[]
  /** A micro-batch that fits no GPU. */
  readonly tooLarge: number
}

type Changes = Partial<TrainingSpec>

const inputs: Readonly<Record<string, Changes>> = {
  bert: { sequenceLength: 128 },
  gpt2: { sequenceLength: 512, task: 'causal-lm' },
  resnet: { imageSize: 224 },
}

const batches: Readonly<Record<string, readonly number[]>> = { bert: [8, 64], gpt2: [2, 8], resnet: [8, 64] }

/** Each with every model at every batch size, if the model supports it. */
const variants: readonly Changes[] = [
  {},
  { precision: 'amp-bf16' },
  { precision: 'bf16', optimizer: 'sgd-momentum' },
  { step: 'forward-backward' },
  { precision: 'amp-fp16', optimizer: 'adamw-fused' },
  { gradientCheckpointing: true },
  { precision: 'amp-bf16', gradientCheckpointing: true, loop: 'trainer' },
  { gradientAccumulation: 2, optimizer: 'adamw-loop' },
]

const precisions = ['fp32', 'tf32', 'bf16', 'amp-bf16', 'amp-fp16'] as const

const curves: readonly (readonly [name: string, changes: Changes])[] = [
  ['bert', { precision: 'amp-bf16' }],
  ['gpt2', { precision: 'amp-bf16' }],
  ['resnet', { precision: 'amp-fp16' }],
  ['bert', {}],
  ['gpt2', { precision: 'bf16' }],
  ['resnet', {}],
  ['bert', { precision: 'tf32', sequenceLength: 512 }],
  ['gpt2', { precision: 'bf16', gradientCheckpointing: true }],
  ['bert', { precision: 'bf16', optimizer: 'adamw-fused' }],
  ['gpt2', { precision: 'tf32' }],
]

export function wholePlan(): Plan {
  return planOf(subjectOf, Object.keys(inputs), variants, name => batches[name] ?? [1], curves, 2 ** 17)
}

/** Tiny forms of two models: two variants, one sweep and one curve. */
export function rehearsal(): Plan {
  const plan = planOf(tiny, ['bert', 'gpt2'], variants.slice(0, 2), () => [2], curves.slice(0, 1), 2 ** 12)
  return { ...plan, sweeps: plan.sweeps.slice(0, 1) }
}

function planOf(
  subject: (name: string, changes: Changes) => Subject,
  names: readonly string[],
  variantsTaken: readonly Changes[],
  batchesOf: (name: string) => readonly number[],
  curvesTaken: typeof curves,
  tooLarge: number,
): Plan {
  const cells = names.flatMap(name =>
    variantsTaken
      .filter(({ gradientCheckpointing }) => !(gradientCheckpointing && name === 'resnet'))
      .flatMap(variant => batchesOf(name).map(microBatch => subject(name, { ...variant, microBatch }))),
  )
  return {
    precisions: precisions.map(precision => subject('bert', { precision, microBatch: batchesOf('bert')[0] ?? 1 })),
    attention: [false, true].map(paddedBatches => subject('bert', { precision: 'bf16', paddedBatches, microBatch: 8 })),
    cells,
    sweeps: names.flatMap(name =>
      (['training', 'forward-backward'] as const).map(step =>
        subject(name, { step, microBatch: batchesOf(name)[0] ?? 1 }),
      ),
    ),
    curves: curvesTaken.map(([name, changes]) => subject(name, changes)),
    tooLarge,
  }
}

function subjectOf(name: string, changes: Changes): Subject {
  const model = findModel(name)
  if (model === undefined) throw new Error(`${name} is not in the catalogue`)
  const all = { ...inputs[name], ...changes }
  return { name: nameOf(name, all), spec: { ...specOf(model), ...all }, config: model.config }
}

function tiny(name: string, changes: Changes): Subject {
  const { spec, name: full } = subjectOf(name, { ...changes, sequenceLength: 16 })
  return { name: full, spec, config: tinyConfigs[name] ?? tinyBert }
}

const tinyBert = modelConfig.parse({
  model_type: 'bert',
  num_hidden_layers: 1,
  hidden_size: 64,
  num_attention_heads: 2,
  intermediate_size: 128,
  vocab_size: 100,
})
const tinyConfigs: Readonly<Record<string, ModelConfig>> = {
  bert: tinyBert,
  gpt2: modelConfig.parse({ model_type: 'gpt2', n_layer: 1, n_embd: 64, n_head: 2, vocab_size: 100, n_positions: 32 }),
}

/** `gpt2 precision=bf16 microBatch=8`. */
function nameOf(name: string, changes: Changes): string {
  return [name, ...Object.entries(changes).map(([key, value]) => `${key}=${value}`)].join(' ')
}
