/** Steps of one of several GPUs, as accelerate, torchtune and transformers run them with DDP, FSDP2 and DeepSpeed. */
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { knownModel } from '../../test/estimate/specs.ts'

/** A small Llama. As in the original, embeddings are as large as several blocks. */
export const miniature = {
  ...knownModel('meta-llama/Llama-3.1-8B').config,
  hidden_size: 128,
  intermediate_size: 512,
  num_hidden_layers: 6,
  num_attention_heads: 2,
  num_key_value_heads: 2,
  vocab_size: 2048,
  max_position_embeddings: 2048,
}

/** Settings of every cell. Eager attention, because its kernels are the same on every device. */
export const step = { gpus: 4, attention: 'eager', loop: 'trainer', microBatch: 1, sequenceLength: 32 } as const

export type ShardingCell = Partial<TrainingSpec>

const gated = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']
const lora = { lora: { rank: 16, targets: gated, dropout: 0 } }
const masters = { precision: 'bf16-master' } as const
const accumulating = { gradientAccumulation: 2 } as const
const checkpointed = { gradientCheckpointing: true, microBatch: 2, sequenceLength: 64 } as const
const ddp = { sharding: 'ddp' } as const
const fsdp = { sharding: 'fsdp' } as const
/** As in transformers before 4.53: a reentrant checkpoint around each FSDP unit. */
const flat = { ...fsdp, fsdpVersion: 1, reentrantCheckpoints: true, versions: { transformers: '4.45' } } as const

/** As Lightning wraps a model for which no policy names layers. */
const whole = { ...fsdp, fsdpVersion: 1, wrapsWholeModel: true, syncsEveryMicroBatch: true } as const

/** The Trainer has taken peft's policy for layers since. */
const ownPolicy = { versions: { transformers: '4.38' }, reentrantCheckpoints: false } as const

/** verl's trainers, by either version of FSDP. */
const verl = { ...fsdp, precision: 'bf16-master', loop: 'verl', syncsEveryMicroBatch: true } as const
const ofVerl = { lora: { ...lora.lora, inWeightsType: true } } as const

export const verlCells: readonly ShardingCell[] = ([1, 2] as const).flatMap(fsdpVersion => [
  { ...verl, fsdpVersion },
  { ...verl, fsdpVersion, ...checkpointed },
  { ...verl, fsdpVersion, ...accumulating, ...checkpointed },
  { ...verl, fsdpVersion, ...ofVerl, ...checkpointed },
  { ...verl, fsdpVersion, gradientCheckpointing: true, microBatch: 16, sequenceLength: 96 },
])

/** NeMo-RL's workers: the first keeps inputs of four modules a block, the second those of blocks, in float32. */
const first = {
  ...fsdp,
  precision: 'bf16-master',
  autocasts: true,
  loop: 'nemo-rl',
  syncsEveryMicroBatch: true,
} as const
const second = { ...first, loop: 'nemo-rl-v2' } as const
const inModules = { ...checkpointed, checkpointsModules: true } as const
const inBlocks = { ...checkpointed, reentrantCheckpoints: true } as const
const preferences = {
  kind: 'preference',
  reference: 'copy',
  logProbabilities: 'torchtune',
  withCrossEntropy: false,
} as const

export const nemoRlCells: readonly ShardingCell[] = [
  { ...first },
  { ...first, ...accumulating },
  { ...first, ...inModules },
  { ...first, ...inModules, microBatch: 8, sequenceLength: 96 },
  { ...first, ...inModules, ...accumulating },
  { ...first, microBatch: 8, sequenceLength: 96 },
  { ...first, method: preferences },
  { ...first, ...inModules, method: preferences },
  { ...second },
  { ...second, ...inBlocks },
  { ...second, ...inBlocks, ...accumulating },
  { ...second, ...inBlocks, microBatch: 8, sequenceLength: 96 },
  { ...second, microBatch: 8, sequenceLength: 96 },
]

export const torchCells: readonly ShardingCell[] = [
  { ...ddp, precision: 'fp32' },
  { ...ddp, precision: 'fp32', ...accumulating },
  { ...ddp, precision: 'amp-bf16', ...checkpointed },
  { ...ddp, precision: 'bf16', ...lora, ...checkpointed },
  { ...ddp, precision: 'bf16', optimizer: 'sgd', ...checkpointed },
  { ...fsdp, precision: 'fp32' },
  { ...fsdp, precision: 'fp32', ...accumulating },
  { ...fsdp, precision: 'fp32', optimizer: 'sgd' },
  { ...fsdp, precision: 'bf16', ...checkpointed },
  { ...fsdp, precision: 'bf16', ...lora, ...checkpointed },
  { ...fsdp, precision: 'bf16', ...lora, ...accumulating, ...checkpointed },
  { ...flat, precision: 'bf16', ...checkpointed },
  { ...flat, precision: 'bf16', ...lora, ...checkpointed },
  { ...flat, precision: 'bf16', ...lora, gradientCheckpointing: true, microBatch: 16, sequenceLength: 96 },
  { ...flat, precision: 'bf16', optimizer: 'adafactor', ...checkpointed },
  { ...whole, precision: 'fp32' },
  { ...whole, precision: 'bf16', ...checkpointed },
  { ...whole, ...masters },
  { ...whole, ...masters, ...accumulating, ...checkpointed },
  { ...whole, ...masters, gradientCheckpointing: true, microBatch: 16, sequenceLength: 96 },
  { ...whole, ...masters, optimizer: 'adafactor' },
  { ...whole, ...ownPolicy, precision: 'fp32', ...lora, ...checkpointed },
  { ...whole, ...ownPolicy, precision: 'fp32', ...lora, ...accumulating },
  { ...fsdp, precision: 'bf16', syncsEveryMicroBatch: true, ...accumulating, ...checkpointed },
  { ...fsdp, ...masters },
  { ...fsdp, ...masters, ...accumulating },
  { ...fsdp, ...masters, ...checkpointed },
  { ...fsdp, ...masters, ...accumulating, ...checkpointed },
  { ...fsdp, ...masters, optimizer: 'sgd-momentum', ...checkpointed },
  { sharding: 'fsdp-grad-op', ...masters, ...checkpointed },
  { sharding: 'fsdp-grad-op', ...masters, optimizer: 'sgd', ...accumulating },
]

/** After a few steps: two batches without gradients, beside the optimizer's state. */
const evaluated = { evaluation: { microBatch: 4 }, sequenceLength: 64 } as const

export const evaluationCells: readonly ShardingCell[] = [
  { ...ddp, precision: 'amp-bf16', ...evaluated },
  { ...fsdp, precision: 'fp32', ...evaluated },
  { ...fsdp, ...masters, ...evaluated },
  { ...fsdp, ...masters, ...evaluated, evaluation: { microBatch: 32 } },
  { ...fsdp, precision: 'bf16', ...lora, ...evaluated },
  { sharding: 'fsdp-grad-op', ...masters, ...evaluated },
  { ...flat, precision: 'bf16', ...evaluated },
  { ...flat, precision: 'bf16', ...lora, ...evaluated, gradientCheckpointing: true },
  { ...whole, ...masters, ...evaluated },
  { ...flat, precision: 'bf16', ...lora, ...evaluated, gradientCheckpointing: true, evaluation: { microBatch: 32 } },
]

function withDeepSpeed(sharding: 'zero1' | 'zero2' | 'zero3'): readonly ShardingCell[] {
  return [
    { sharding, ...masters },
    { sharding, ...masters, ...accumulating },
    { sharding, ...masters, ...checkpointed },
    { sharding, ...masters, ...accumulating, ...checkpointed },
    { sharding, ...masters, ...lora, ...checkpointed },
    { sharding, ...masters, optimizer: 'sgd', ...checkpointed },
    { sharding, ...masters, optimizer: 'adafactor' },
    { sharding, ...masters, zero: { reduceBucket: 250_000 } },
    { sharding, ...masters, zero: { reduceBucket: 750_000, overlapsCommunication: false } },
    { sharding, precision: 'fp32', ...accumulating },
  ]
}

export const zeroCells: readonly ShardingCell[] = [...withDeepSpeed('zero1'), ...withDeepSpeed('zero2')]

const zero3 = { sharding: 'zero3', ...masters } as const
/** Large models exceed DeepSpeed's limits of a billion elements; these are scaled down like the model. */
const tight = { maxLiveParameters: 250_000, maxReuseDistance: 250_000 }

export const zero3Cells: readonly ShardingCell[] = [
  ...withDeepSpeed('zero3'),
  { ...zero3, optimizer: 'sgd', zero: tight },
  { ...zero3, optimizer: 'sgd', zero: tight, ...checkpointed },
  { ...zero3, optimizer: 'sgd', zero: { ...tight, prefetchBucket: 170_000, persistenceThreshold: 17_000 } },
  { ...zero3, optimizer: 'sgd', zero: { ...tight, prefetchBucket: 170_000 }, ...checkpointed },
  { ...zero3, ...lora, zero: tight, ...checkpointed },
  { ...zero3, zero: { subGroup: 120_000 } },
]

export const zero3EvaluationCells: readonly ShardingCell[] = [
  { ...zero3, ...evaluated },
  { ...zero3, optimizer: 'sgd', zero: tight, ...evaluated },
  { ...zero3, ...lora, zero: tight, ...evaluated },
]

/** After a few steps: a checkpoint, saved by these functions of saved_checkpoints.py. */
export type SavingCell = ShardingCell & { readonly saves: 'flat' | 'tensors' | 'torchtune' | 'zero3' | 'parts' }

const lightning = { ...fsdp, fsdpVersion: 1, syncsEveryMicroBatch: true, loop: 'lightning' } as const

export const savingCells: readonly SavingCell[] = [
  { saves: 'tensors', ...fsdp, precision: 'fp32' },
  { saves: 'tensors', ...fsdp, ...masters },
  { saves: 'tensors', ...fsdp, precision: 'bf16', ...lora },
  { saves: 'torchtune', ...fsdp, precision: 'bf16' },
  { saves: 'torchtune', ...fsdp, precision: 'bf16', lora: { ...lora.lora, inWeightsType: true } },
  { saves: 'flat', ...fsdp, fsdpVersion: 1, precision: 'fp32' },
  { saves: 'flat', ...fsdp, fsdpVersion: 1, precision: 'fp32', optimizer: 'sgd' },
  { saves: 'flat', ...fsdp, fsdpVersion: 1, precision: 'fp32', optimizer: 'sgd-momentum' },
  { saves: 'flat', ...whole, precision: 'fp32', loop: 'lightning' },
  { saves: 'flat', ...whole, precision: 'bf16', loop: 'lightning' },
  { saves: 'flat', ...whole, ...masters, loop: 'lightning' },
  { saves: 'flat', ...whole, ...masters, loop: 'lightning', optimizer: 'sgd' },
  { saves: 'flat', ...lightning, precision: 'fp32' },
  { saves: 'flat', ...lightning, ...masters },
  { saves: 'flat', ...lightning, ...masters, optimizer: 'sgd' },
]

export const deepSpeedSavingCells: readonly SavingCell[] = [
  { saves: 'zero3', ...zero3 },
  { saves: 'zero3', ...zero3, ...lora },
  { saves: 'parts', sharding: 'zero1', ...masters, loop: 'lightning' },
  { saves: 'parts', sharding: 'zero2', ...masters, loop: 'lightning' },
  { saves: 'parts', ...zero3, loop: 'lightning' },
]

/** As a run begins that goes on from a checkpoint, loaded by these functions of resumed_checkpoints.py. */
export type ResumingCell = ShardingCell & { readonly loads: 'shards' | 'tensors' | 'torchtune' | 'flat' | 'parts' }

export const resumingCells: readonly ResumingCell[] = [
  { loads: 'shards', ...fsdp, precision: 'fp32' },
  { loads: 'shards', ...fsdp, precision: 'fp32', optimizer: 'sgd-momentum' },
  { loads: 'shards', ...fsdp, ...masters },
  { loads: 'shards', ...fsdp, precision: 'bf16', ...lora },
  { loads: 'tensors', ...fsdp, ...masters },
  { loads: 'tensors', ...fsdp, ...masters, optimizer: 'sgd-momentum' },
  { loads: 'torchtune', ...fsdp, precision: 'bf16', loop: 'plain' },
  { loads: 'torchtune', ...fsdp, precision: 'bf16', loop: 'plain', lora: { ...lora.lora, inWeightsType: true } },
  { loads: 'torchtune', ...fsdp, precision: 'bf16', loop: 'plain', optimizer: 'sgd-momentum' },
  { loads: 'flat', ...whole, precision: 'fp32', loop: 'lightning' },
  { loads: 'flat', ...whole, ...masters, loop: 'lightning' },
  { loads: 'flat', ...lightning, precision: 'fp32' },
  { loads: 'flat', ...lightning, ...masters },
]

export const deepSpeedResumingCells: readonly ResumingCell[] = [
  { loads: 'parts', sharding: 'zero1', ...masters },
  { loads: 'parts', sharding: 'zero2', ...masters },
  { loads: 'parts', ...zero3 },
  { loads: 'parts', ...zero3, ...lora },
  { loads: 'parts', ...zero3, loop: 'lightning' },
]
