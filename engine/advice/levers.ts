/** Every change that frees memory and that a training spec can express: what it asks for, and how to tell that a config has made it. */
import { isDeepStrictEqual } from 'node:util'
import { isOfImages, makesAnswers, type TrainingSpec } from '../config/spec.ts'
import { isBefore } from '../config/versions.ts'
import { type Gpu, hasBfloat16 } from '../gpus/catalogue.ts'
import { type ModelConfig, supportsCheckpointing } from '../models/architecture.ts'
import type { Effect, LeverId } from '../report/advised-levers.ts'
import { halfCompletions, halfLength, halfShare, smallerSide } from './reduced.ts'

export interface Circumstances {
  readonly config: ModelConfig
  readonly gpu: Gpu
}

export interface Lever {
  readonly id: LeverId
  readonly effect: Effect
  /** Of levers that pull at the same thing, one at a time. */
  readonly group: string
  /** All that may differ in a config that has made the change. */
  readonly settings: readonly (keyof TrainingSpec)[]
  /** Whether there is anything to change. */
  readonly applies: (spec: TrainingSpec, circumstances: Circumstances) => boolean
  /** Whether the one spec is the other with this change made. */
  readonly isMade: (after: TrainingSpec, before: TrainingSpec) => boolean
}

/** Less than this is no length to train on. */
const SHORTEST = 128
const SMALLEST_SIDE = 64

const isAdam = ({ optimizer }: TrainingSpec) => /^adamw(?:-fused|-loop)?$|^paged-adamw$/.test(optimizer)
/** FSDP cannot divide what bitsandbytes makes of weights and of optimizer states. */
const isWhole = ({ sharding, gpus }: TrainingSpec) => gpus === 1 || sharding === undefined || sharding === 'ddp'
/** ZeRO runs the optimizer on each GPU's own part, whatever it is. */
const takesOptimizers = (spec: TrainingSpec) => isWhole(spec) || spec.sharding?.startsWith('zero') === true
const isSeveral = (spec: TrainingSpec) => spec.gpus > 1 && isWhole(spec)
const isText = ({ task }: TrainingSpec) => !isOfImages(task)
const bySixteenBits: readonly (keyof TrainingSpec)[] = ['precision']
const sharded: readonly (keyof TrainingSpec)[] = [
  ...(['sharding', 'zero', 'precision', 'offload', 'fsdpVersion', 'syncsEveryMicroBatch'] as const),
]
const adapted: readonly (keyof TrainingSpec)[] = ['lora', 'precision', 'trainable', 'method', 'trainsTowers']

export const levers: readonly Lever[] = [
  {
    id: 'micro-batch',
    effect: 'none',
    group: 'batch',
    settings: ['microBatch', 'gradientAccumulation'],
    applies: ({ microBatch }) => microBatch > 1,
    isMade: (after, before) =>
      after.microBatch < before.microBatch &&
      after.microBatch * after.gradientAccumulation === before.microBatch * before.gradientAccumulation,
  },
  {
    id: 'gradient-checkpointing',
    effect: 'none',
    group: 'checkpoints',
    settings: ['gradientCheckpointing', 'reentrantCheckpoints', 'trainable'],
    applies: (spec, { config }) => !spec.gradientCheckpointing && supportsCheckpointing(config),
    isMade: after => after.gradientCheckpointing,
  },
  {
    id: 'activation-offloading',
    effect: 'none',
    group: 'offloaded-checkpoints',
    settings: ['offloadsCheckpoints'],
    applies: spec => spec.gradientCheckpointing && spec.offloadsCheckpoints !== true,
    isMade: after => after.offloadsCheckpoints === true,
  },
  {
    id: 'fused-loss',
    effect: 'none',
    group: 'loss',
    settings: ['fusedLoss', 'fusedNorms'],
    applies: spec => spec.task === 'causal-lm' && spec.method === undefined && spec.fusedLoss !== true,
    isMade: after => after.fusedLoss === true,
  },
  {
    id: 'chunked-loss',
    effect: 'none',
    group: 'loss',
    settings: ['chunkedLoss'],
    applies: spec => spec.task === 'causal-lm' && spec.method === undefined && spec.chunkedLoss === undefined,
    isMade: after => after.chunkedLoss !== undefined,
  },
  {
    id: 'sdpa-attention',
    effect: 'none',
    group: 'attention',
    settings: ['attention', 'paddedBatches'],
    applies: spec => isText(spec) && spec.attention === 'eager',
    isMade: after => after.attention === 'sdpa',
  },
  {
    id: 'fused-optimizer',
    effect: 'none',
    group: 'optimizer',
    settings: ['optimizer'],
    applies: ({ optimizer }) => optimizer === 'adamw' || optimizer === 'adamw-loop',
    isMade: after => after.optimizer === 'adamw-fused',
  },
  {
    id: 'optimizer-in-backward',
    effect: 'none',
    group: 'optimizer-in-backward',
    settings: ['optimizerInBackward'],
    // torchtune: recipes/full_finetune_single_device.py refuses it with accumulation.
    applies: spec => spec.optimizerInBackward !== true && spec.gradientAccumulation === 1 && spec.lora === undefined,
    isMade: after => after.optimizerInBackward === true,
  },
  {
    id: '8-bit-optimizer',
    effect: 'numerics',
    group: 'optimizer',
    settings: ['optimizer'],
    applies: spec => isAdam(spec) && takesOptimizers(spec) && spec.offload === undefined,
    isMade: after => after.optimizer === 'adamw-8bit',
  },
  {
    id: 'paged-8-bit-optimizer',
    effect: 'numerics',
    group: 'optimizer',
    settings: ['optimizer'],
    applies: spec =>
      (isAdam(spec) || spec.optimizer === 'adamw-8bit') && takesOptimizers(spec) && spec.offload === undefined,
    isMade: after => after.optimizer === 'paged-adamw-8bit',
  },
  {
    id: 'adafactor',
    effect: 'changes-the-result',
    group: 'optimizer',
    settings: ['optimizer'],
    applies: isAdam,
    isMade: after => after.optimizer === 'adafactor',
  },
  {
    id: 'bf16-autocast',
    effect: 'numerics',
    group: 'precision',
    settings: bySixteenBits,
    applies: ({ precision }, { gpu }) => (precision === 'fp32' || precision === 'tf32') && hasBfloat16(gpu),
    isMade: after => after.precision === 'amp-bf16' || after.precision === 'bf16-master',
  },
  {
    id: 'fp16-autocast',
    effect: 'numerics',
    group: 'precision',
    settings: bySixteenBits,
    applies: ({ precision }, { gpu }) => precision === 'fp32' && !hasBfloat16(gpu),
    isMade: after => after.precision === 'amp-fp16',
  },
  {
    id: 'bf16-weights',
    effect: 'numerics',
    group: 'precision',
    settings: bySixteenBits,
    applies: ({ precision }, { gpu }) => precision !== 'bf16' && precision !== 'bf16-master' && hasBfloat16(gpu),
    isMade: after => after.precision === 'bf16',
  },
  {
    id: 'lora',
    effect: 'changes-the-result',
    group: 'adapters',
    settings: adapted,
    applies: spec => isText(spec) && spec.lora === undefined,
    isMade: after => after.lora !== undefined && after.quantization === undefined,
  },
  {
    id: 'qlora',
    effect: 'changes-the-result',
    group: 'adapters',
    settings: [...adapted, 'quantization'],
    applies: spec => isText(spec) && spec.lora === undefined,
    isMade: after => after.lora !== undefined && after.quantization?.startsWith('nf4') === true,
  },
  {
    id: '4-bit-base',
    effect: 'numerics',
    group: 'adapters',
    settings: ['quantization', 'precision', 'lora'],
    applies: spec =>
      spec.lora !== undefined && (spec.quantization === undefined || spec.quantization === 'int8') && isWhole(spec),
    // Nothing but the type of the adapters may change with it.
    isMade: (after, before) =>
      after.quantization?.startsWith('nf4') === true &&
      isDeepStrictEqual({ ...after.lora, inWeightsType: 0 }, { ...before.lora, inWeightsType: 0 }),
  },
  {
    id: 'freeze-embeddings',
    effect: 'changes-the-result',
    group: 'trained-part',
    settings: ['trainable'],
    applies: spec => spec.task === 'causal-lm' && spec.lora === undefined && spec.trainable === undefined,
    isMade: after => after.trainable !== undefined,
  },
  {
    id: 'half-length',
    effect: 'changes-the-result',
    group: 'length',
    settings: ['sequenceLength'],
    applies: spec => !makesAnswers(spec) && halfLength(spec) >= SHORTEST,
    isMade: (after, before) => after.sequenceLength === halfLength(before),
  },
  {
    id: 'half-completions',
    effect: 'changes-the-result',
    group: 'length',
    settings: ['sequenceLength', 'method'],
    applies: spec => (halfCompletions(spec) ?? 0) >= SHORTEST / 2,
    isMade: (after, before) =>
      after.method?.kind === 'answers' && after.method.answerLength === halfCompletions(before),
  },
  {
    id: 'smaller-images',
    effect: 'changes-the-result',
    group: 'length',
    settings: ['imageSize'],
    applies: spec => !isText(spec) && smallerSide(spec) >= SMALLEST_SIDE,
    isMade: (after, before) => after.imageSize === smallerSide(before),
  },
  {
    id: 'vllm-sleep',
    effect: 'none',
    group: 'vllm',
    settings: ['method'],
    applies: ({ method }) =>
      method?.kind === 'answers' && method.generation.kind === 'vllm' && !method.generation.sleeps,
    isMade: ({ method }) => method?.kind === 'answers' && method.generation.kind === 'vllm' && method.generation.sleeps,
  },
  {
    id: 'vllm-half-share',
    effect: 'none',
    group: 'vllm',
    settings: ['method'],
    applies: spec => (halfShare(spec) ?? 0) >= 0.1,
    isMade: ({ method }, before) =>
      method?.kind === 'answers' &&
      method.generation.kind === 'vllm' &&
      Math.abs(method.generation.share - (halfShare(before) ?? 0)) < 1e-9,
  },
  ...(['zero1', 'zero2', 'zero3'] as const).map(
    (sharding, index): Lever => ({
      id: (['zero-1', 'zero-2', 'zero-3'] as const)[index] ?? 'zero-3',
      effect: 'none',
      group: 'sharding',
      settings: sharded,
      applies: spec => spec.gpus > 1 && weaker(spec, sharding),
      isMade: (after, before) => after.sharding === sharding && after.offload === before.offload,
    }),
  ),
  {
    id: 'zero-2-offload',
    effect: 'none',
    group: 'sharding',
    settings: sharded,
    applies: spec => weaker(spec, 'zero3') && spec.optimizer.startsWith('adamw') && !spec.optimizer.includes('8bit'),
    isMade: after => after.sharding === 'zero2' && after.offload === 'optimizer',
  },
  {
    id: 'zero-3-offload',
    effect: 'none',
    group: 'sharding',
    settings: sharded,
    applies: spec => spec.gpus > 1 && !isFsdp(spec) && spec.offload !== 'optimizer-and-weights',
    isMade: after => after.sharding === 'zero3' && after.offload === 'optimizer-and-weights',
  },
  {
    id: 'fsdp',
    effect: 'none',
    group: 'sharding',
    settings: sharded,
    applies: isSeveral,
    isMade: after => after.sharding === 'fsdp' && after.offload === undefined,
  },
  {
    id: 'expandable-segments',
    effect: 'none',
    group: 'allocator',
    settings: ['expandableSegments'],
    applies: spec => spec.expandableSegments !== true && !isBefore(spec.versions, 'torch', '2.2'),
    isMade: after => after.expandableSegments === true,
  },
]

const stages: readonly (TrainingSpec['sharding'] | undefined)[] = [undefined, 'ddp', 'zero1', 'zero2', 'zero3']

/** Whether less is divided than by a stage of ZeRO; FSDP is another way. */
function weaker(spec: TrainingSpec, than: TrainingSpec['sharding']): boolean {
  const now = stages.indexOf(spec.sharding)
  return now >= 0 && now < stages.indexOf(than) && spec.offload === undefined
}

function isFsdp({ sharding }: TrainingSpec): boolean {
  return sharding?.startsWith('fsdp') === true
}
