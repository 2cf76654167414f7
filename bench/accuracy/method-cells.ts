/** The cells of `bench:accuracy` for training methods: preferences, rewards, distillation, quantisation-aware training. */
import type { TrainingSpec } from '../../engine/training/spec.ts'
import type { TrainingMethod } from '../../engine/training/training-method.ts'
import type { Cell } from './cell.ts'
import { completionCells } from './completion-cells.ts'
import { openRlhfCells } from './openrlhf-cells.ts'
import { verlCells } from './verl-cells.ts'

const ckpt = { gradientCheckpointing: true } as const
const trainer = { loop: 'trainer' } as const
const allLinear = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']

type Preference = Extract<TrainingMethod, { kind: 'preference' }>

function preference(
  logProbabilities: Preference['logProbabilities'],
  reference: Preference['reference'],
  withCrossEntropy = false,
): Partial<TrainingSpec> {
  const method = { kind: 'preference', reference, logProbabilities, withCrossEntropy } as const
  return logProbabilities === 'torchtune' ? { method } : { method, dropout: false }
}

function kto(
  logProbabilities: Preference['logProbabilities'],
  reference: Preference['reference'],
): Partial<TrainingSpec> {
  return { method: { kind: 'kto', reference, logProbabilities }, dropout: false }
}

const adapters = { lora: { rank: 16, targets: allLinear, dropout: 0.05 } }
const score = {
  method: { kind: 'reward', head: 'score' },
  task: 'sequence-classification',
  labels: 1,
  dropout: false,
} as const
const value = { method: { kind: 'reward', head: 'value' } } as const
const steps = { method: { kind: 'reward', head: 'steps' }, task: 'sequence-classification', dropout: false } as const

/** Preference training and reward models. */
const methods: readonly Cell[] = [
  ...(['HuggingFaceTB/SmolLM2-135M', 'meta-llama/Llama-3.2-1B', 'Qwen/Qwen2.5-0.5B'] as const).flatMap(model =>
    (
      [
        { ...preference('trl', 'copy'), ...ckpt },
        { ...preference('trl', 'adapters-off'), ...adapters, ...ckpt },
        { ...preference('trl', 'none'), precision: 'amp-bf16' },
        { ...preference('trl', 'none', true), ...ckpt },
        { ...preference('llamafactory', 'copy'), precision: 'amp-bf16', ...ckpt },
        { ...preference('llamafactory', 'adapters-off'), ...adapters, ...ckpt },
        { ...preference('torchtune', 'copy'), ...ckpt },
        { ...preference('torchtune', 'adapters-off'), ...adapters },
        { ...kto('trl', 'copy'), ...ckpt },
        { ...kto('llamafactory', 'adapters-off'), ...adapters, ...ckpt },
        { ...score, precision: 'amp-bf16', ...ckpt },
        { ...value, ...adapters, ...ckpt },
        { ...steps },
      ] as const
    ).map(
      (changes): Cell => [model, { microBatch: 2, sequenceLength: 1024, precision: 'bf16', ...trainer, ...changes }],
    ),
  ),
]

/** Dropout that no module holds, and so none that a training disables. */
const ofFunctions: readonly Cell[] = [
  ['facebook/opt-350m', { ...kto('llamafactory', 'copy'), precision: 'amp-bf16', attention: 'eager' }],
  ['facebook/opt-1.3b', { ...preference('trl', 'none'), precision: 'bf16', ...ckpt }],
  ['bigscience/bloom-560m', { ...preference('trl', 'none'), precision: 'bf16' }],
].map(([model, changes]) => [
  model as string,
  { microBatch: 2, sequenceLength: 512, optimizer: 'sgd', ...trainer, ...(changes as Partial<TrainingSpec>) },
])

/** So few tokens that gradients make the peak. */
const ofFewTokens: readonly Cell[] = (
  [
    ['HuggingFaceTB/SmolLM2-135M', { ...kto('llamafactory', 'none'), gradientAccumulation: 2 }],
    ['ibm/PowerLM-3b', { ...kto('llamafactory', 'copy'), gradientAccumulation: 2, ...ckpt }],
    ['EleutherAI/pythia-160m', { ...value }],
    ['EleutherAI/pythia-160m', { ...value, gradientAccumulation: 2 }],
    ['HuggingFaceTB/SmolLM2-135M', { ...value, gradientAccumulation: 2, ...ckpt }],
  ] as const
).map(
  ([model, changes]): Cell => [
    model,
    { microBatch: 1, sequenceLength: 32, precision: 'bf16', optimizer: 'adamw-fused', ...trainer, ...changes },
  ],
)

const rounded = { fakeQuantization: { groupSize: 64 } }

function distilled(teacher: string): Partial<TrainingSpec> {
  return { method: { kind: 'distillation', teacher, chunks: 8 } }
}

/** Quantisation-aware training and distillation, as torchtune's recipes go about them, and modules that train whole. */
const recipes: readonly Cell[] = (
  [
    ['meta-llama/Llama-3.2-1B', { ...rounded }],
    ['meta-llama/Llama-3.2-1B', { ...rounded, ...ckpt }],
    ['meta-llama/Llama-3.2-1B', { ...rounded, ...adapters }],
    ['Qwen/Qwen3-0.6B', { ...rounded, precision: 'fp32' }],
    ['Qwen/Qwen3-0.6B', { ...rounded, ...adapters, ...ckpt }],
    ['TinyLlama/TinyLlama-1.1B-Chat-v1.0', { ...rounded }],
    ['meta-llama/Llama-3.2-1B', { ...distilled('meta-llama/Llama-3.1-8B'), ...adapters, ...ckpt }],
    ['Qwen/Qwen2-0.5B', { ...distilled('Qwen/Qwen2-1.5B'), ...adapters }],
    ['HuggingFaceTB/SmolLM2-135M', { ...distilled('HuggingFaceTB/SmolLM2-1.7B'), ...ckpt }],
    ['meta-llama/Llama-3.2-1B', { lora: { ...adapters.lora, modulesToSave: ['embed_tokens', 'lm_head'] }, ...ckpt }],
    ['TinyLlama/TinyLlama-1.1B-Chat-v1.0', { lora: { ...adapters.lora, modulesToSave: ['lm_head'] } }],
    ['HuggingFaceTB/SmolLM2-135M', { optimizer: 'rmsprop' }],
    ['meta-llama/Llama-3.2-1B', { ...ckpt, checkpointEvery: 2 }],
    ['google/gemma-2-2b', { ...ckpt, checkpointEvery: 3 }],
  ] as const
).map(
  ([model, changes]): Cell => [
    model,
    { microBatch: 2, sequenceLength: 1024, precision: 'bf16', ...trainer, ...(changes as Partial<TrainingSpec>) },
  ],
)

const dora = { lora: { ...adapters.lora, form: 'dora' } } as const
const doraOfTorchtune = {
  lora: { rank: 8, targets: allLinear, dropout: 0, form: 'dora', inWeightsType: true },
} as const
const onExperts = { rank: 16, targets: ['q_proj'], parameters: ['gate_up_proj', 'down_proj'], dropout: 0 }
const oft = { lora: { rank: 32, targets: allLinear, dropout: 0, form: 'oft' } } as const

const maskedDiffusion = { method: { kind: 'masked-diffusion' }, paddedBatches: true } as const
const asft = { method: { kind: 'asft' }, ...ckpt } as const

/** Adapters other than LoRA, LLaMA-Factory's ASFT with a frozen reference, and masked diffusion. */
const otherAdapters: readonly Cell[] = (
  [
    ['meta-llama/Llama-3.2-1B', { ...dora }],
    ['meta-llama/Llama-3.2-1B', { ...dora, ...ckpt, precision: 'amp-bf16' }],
    ['meta-llama/Llama-3.2-1B', { ...dora, dropout: false }],
    ['meta-llama/Llama-3.2-1B', { lora: { ...dora.lora, inWeightsType: true }, precision: 'amp-bf16' }],
    ['meta-llama/Llama-3.2-1B', { ...doraOfTorchtune }],
    ['meta-llama/Llama-3.2-1B', { ...doraOfTorchtune, ...ckpt }],
    ['Qwen/Qwen2.5-0.5B', { lora: { ...dora.lora, dropout: 0 } }],
    ['meta-llama/Llama-3.2-1B', { ...oft, ...ckpt }],
    ['meta-llama/Llama-3.2-1B', { ...oft, precision: 'amp-bf16' }],
    ['Qwen/Qwen2.5-0.5B', { lora: { ...oft.lora, rank: 48 } }],
    ['Qwen/Qwen1.5-MoE-A2.7B', { lora: onExperts, ...ckpt, optimizer: 'adamw-fused' }],
    ['Qwen/Qwen2.5-0.5B', { ...asft, precision: 'amp-bf16' }],
    ['HuggingFaceTB/SmolLM2-135M', { ...asft }],
    ['meta-llama/Llama-3.2-1B', { ...maskedDiffusion, ...ckpt, optimizer: 'adamw-8bit' }],
    ['HuggingFaceTB/SmolLM2-135M', { ...maskedDiffusion, precision: 'amp-bf16' }],
  ] as const
).map(
  ([model, changes]): Cell => [
    model,
    { microBatch: 2, sequenceLength: 1024, precision: 'bf16', ...trainer, ...(changes as Partial<TrainingSpec>) },
  ],
)

const inBackward = { optimizerInBackward: true, ...ckpt } as const

/** Optimizers that step within the backward pass: torchtune's single-device recipes. */
const steppedAtOnce: readonly Cell[] = (
  [
    ['meta-llama/Llama-3.2-1B', { ...inBackward, optimizer: 'paged-adamw-8bit' }],
    ['Qwen/Qwen2.5-0.5B', { ...inBackward, optimizer: 'adamw' }],
    ['TinyLlama/TinyLlama-1.1B-Chat-v1.0', { ...inBackward, optimizer: 'adamw-fused' }],
  ] as const
).map(
  ([model, changes]): Cell => [
    model,
    { microBatch: 2, sequenceLength: 1024, precision: 'bf16', ...trainer, ...changes },
  ],
)

function asTheyAre(...names: readonly string[]): Partial<TrainingSpec> {
  return { trainable: { names: [...names], inputGradients: false, keepsType: true }, loop: 'trainer' }
}

const headAlone = asTheyAre(String.raw`(?:pre_)?classifier\.`, String.raw`head\.`)
const ofText = { sequenceLength: 512, task: 'sequence-classification', paddedBatches: true } as const
const withoutEncoder = { task: 'seq2seq-lm', microBatch: 8 } as const

const ofClass = String.raw`classifier\.`
const upperHalf = [
  ...[6, 7, 8, 9, 10, 11].map(layer => String.raw`.*encoder\.layer\.${layer}\.`),
  String.raw`.*pooler\.`,
  ofClass,
]

/** What scripts freeze by hand: all but the head, the encoder, the embeddings, or the lower layers. */
const frozenByHand: readonly Cell[] = [
  ['google-bert/bert-base-uncased', { microBatch: 32, ...ofText, ...headAlone }],
  ['google-bert/bert-base-uncased', { microBatch: 32, ...ofText, ...headAlone, precision: 'amp-bf16' }],
  ['FacebookAI/roberta-base', { microBatch: 8, ...ofText, ...headAlone, precision: 'amp-fp16' }],
  ['distilbert/distilbert-base-uncased', { microBatch: 32, ...ofText, ...headAlone }],
  ['answerdotai/ModernBERT-base', { microBatch: 16, ...ofText, ...headAlone }],
  ['microsoft/resnet-18', { microBatch: 64, ...headAlone, precision: 'amp-fp16' }],
  ['microsoft/resnet-50', { microBatch: 64, ...headAlone }],
  ['google/vit-base-patch16-224', { microBatch: 32, ...headAlone, precision: 'amp-bf16' }],
  ['facebook/dinov2-base', { microBatch: 32, ...headAlone, precision: 'amp-bf16' }],
  ['facebook/esm2_t12_35M_UR50D', { microBatch: 32, ...ofText, ...headAlone, precision: 'amp-bf16' }],
  ['google/vit-base-patch16-224', { microBatch: 32, ...headAlone }],
  [
    'openai/whisper-small',
    { sequenceLength: 200, ...withoutEncoder, ...asTheyAre(String.raw`model\.decoder\.`), precision: 'amp-fp16' },
  ],
  [
    'google/flan-t5-base',
    { sequenceLength: 512, targetLength: 128, ...withoutEncoder, ...asTheyAre(String.raw`decoder\.`) },
  ],
  ['google-bert/bert-base-uncased', { microBatch: 16, ...ofText, ...asTheyAre(...upperHalf), precision: 'amp-fp16' }],
  ['google-bert/bert-base-uncased', { microBatch: 16, ...ofText, ...asTheyAre(...upperHalf) }],
  ['FacebookAI/roberta-base', { microBatch: 16, ...ofText, ...asTheyAre(String.raw`.*encoder\.`, ofClass) }],
  ['microsoft/deberta-v3-base', { microBatch: 8, ...ofText, ...asTheyAre(String.raw`.*embeddings\.`, ofClass) }],
  ['microsoft/resnet-50', { microBatch: 64, ...asTheyAre(String.raw`.*stages\.3\.`, ofClass) }],
  ['google/vit-base-patch16-224', { microBatch: 32, ...asTheyAre(String.raw`.*layers\.11\.`, ofClass) }],
  ['facebook/convnext-tiny-224', { microBatch: 32, ...asTheyAre('.*layernorm', ofClass), precision: 'amp-bf16' }],
  ['facebook/convnext-tiny-224', { microBatch: 32, ...asTheyAre(String.raw`.*stages\.[23]\.`, ofClass) }],
  ['microsoft/resnet-50', { microBatch: 32, ...asTheyAre('.*normalization', ofClass), precision: 'amp-fp16' }],
  ['openai-community/gpt2', { microBatch: 4, sequenceLength: 512, ...asTheyAre(String.raw`transformer\.h\.11\.`) }],
]

const lastTwo = String.raw`.*\.(?:14|15)\.`
const ends = ['lm_head', String.raw`model\.embed_tokens`, String.raw`model\.layers\.[0-3]\.`]

function part(names: readonly string[], inputGradients: boolean): Partial<TrainingSpec> {
  return { trainable: { names: [...names], inputGradients } }
}

/** Partly frozen models, as in Axolotl and LLaMA-Factory. */
const parts: readonly Cell[] = (
  [
    ['meta-llama/Llama-3.2-1B', { ...part([lastTwo], true), ...ckpt }],
    ['meta-llama/Llama-3.2-1B', { ...part([lastTwo], true) }],
    ['meta-llama/Llama-3.2-1B', { ...part([lastTwo], false), ...ckpt, precision: 'amp-bf16' }],
    ['meta-llama/Llama-3.2-1B', { ...part([lastTwo], false), precision: 'amp-bf16' }],
    ['TinyLlama/TinyLlama-1.1B-Chat-v1.0', { ...part(ends, true), ...ckpt }],
    [
      'TinyLlama/TinyLlama-1.1B-Chat-v1.0',
      { ...part([String.raw`.*\.(?:0|1)\.mlp`], false), ...ckpt, precision: 'amp-bf16' },
    ],
  ] as const
).map(
  ([model, changes]): Cell => [
    model,
    { microBatch: 2, sequenceLength: 1024, precision: 'bf16', ...trainer, ...(changes as Partial<TrainingSpec>) },
  ],
)

export const methodCells: readonly Cell[] = [
  ...methods,
  ...ofFunctions,
  ...ofFewTokens,
  ...recipes,
  ...otherAdapters,
  ...steppedAtOnce,
  ...parts,
  ...frozenByHand,
  ...completionCells,
  ...verlCells,
  ...openRlhfCells,
]
