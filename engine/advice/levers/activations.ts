/** Levers on activations: smaller micro-batches, activation checkpointing, chunked loss and attention. */
import { isSameData } from '../../base/same-data.ts'
import { hasFlashAttention } from '../../gpus/catalogue.ts'
import { familyOf, type ModelConfig, supportsCheckpointing } from '../../models/architecture.ts'
import { computesInFloat32 } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { Lever } from '../lever.ts'
import { isText } from './training-kinds.ts'

function takesFlash(config: ModelConfig): boolean {
  const { refusesFlash, hasLargeHeads } = familyOf(config)
  return refusesFlash !== true && hasLargeHeads !== true
}

/** Every layer, and all of it. */
function checkpointsAll({ gradientCheckpointing, checkpointEvery, selectiveCheckpoints }: TrainingSpec): boolean {
  return gradientCheckpointing && checkpointEvery === undefined && selectiveCheckpoints === undefined
}

export const activationLevers: readonly Lever[] = [
  {
    id: 'micro-batch',
    effect: 'none',
    group: 'batch',
    settings: ['microBatch', 'gradientAccumulation', 'method'],
    applies: ({ microBatch }) => microBatch > 1,
    // verl scores as many sequences at a time, unless told otherwise.
    isMade: (after, before) =>
      isSameData({ ...after.method, scored: 0 }, { ...before.method, scored: 0 }) &&
      after.microBatch < before.microBatch &&
      after.microBatch * after.gradientAccumulation === before.microBatch * before.gradientAccumulation,
  },
  {
    id: 'gradient-checkpointing',
    effect: 'none',
    group: 'checkpoints',
    settings: [
      'gradientCheckpointing',
      'reentrantCheckpoints',
      'trainable',
      'checkpointEvery',
      'selectiveCheckpoints',
      'checkpointsModules',
    ],
    applies: (spec, { config }) => !checkpointsAll(spec) && supportsCheckpointing(config),
    isMade: checkpointsAll,
  },
  {
    id: 'selective-checkpointing',
    effect: 'none',
    group: 'checkpoints',
    settings: ['gradientCheckpointing', 'checkpointEvery'],
    applies: (spec, { config }) => !spec.gradientCheckpointing && supportsCheckpointing(config),
    isMade: after => after.gradientCheckpointing && after.checkpointEvery === 2,
  },
  {
    id: 'activation-offloading',
    effect: 'none',
    group: 'offloaded-checkpoints',
    settings: ['offloadsCheckpoints', 'reentrantCheckpoints'],
    applies: spec => spec.gradientCheckpointing && spec.offloadsCheckpoints !== true,
    isMade: after => after.offloadsCheckpoints === true,
  },
  {
    id: 'fused-loss',
    effect: 'none',
    group: 'loss',
    settings: ['fusedLoss', 'fusedNorms'],
    applies: ({ task, method, fusedLoss }) =>
      task === 'causal-lm' && (method === undefined || method.kind === 'online') && fusedLoss !== true,
    isMade: after => after.fusedLoss === true,
  },
  {
    id: 'chunked-loss',
    effect: 'none',
    group: 'loss',
    settings: ['chunkedLoss', 'checkpointedLoss'],
    applies: ({ task, method, chunkedLoss, checkpointedLoss, fusedLoss }) =>
      task === 'causal-lm' && method === undefined && chunkedLoss === undefined && !checkpointedLoss && !fusedLoss,
    isMade: after => after.chunkedLoss !== undefined || after.checkpointedLoss === true,
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
    id: 'flash-attention',
    effect: 'none',
    group: 'attention',
    settings: ['attention', 'paddedBatches'],
    applies: (spec, { config, gpu }) =>
      spec.task === 'causal-lm' &&
      spec.attention !== 'flash' &&
      !computesInFloat32(spec) &&
      hasFlashAttention(gpu) &&
      takesFlash(config),
    isMade: after => after.attention === 'flash',
  },
  {
    id: 'compile',
    effect: 'numerics',
    group: 'compile',
    settings: ['compiled'],
    // Nothing models the kernels that it writes.
    isSpeedUnknown: true,
    applies: spec => spec.compiled !== true,
    isMade: after => after.compiled === true,
  },
]
