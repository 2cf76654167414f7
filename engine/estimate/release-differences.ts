/**
 * Describes how a step's memory differs between releases of its libraries: the rules that hold for only one of two
 * specs.
 */
import { familyOf, type ModelConfig } from '../models/architecture.ts'
import { hasOwnOutput } from '../models/t5.ts'
import { isInEightBits } from '../training/choices.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { compareVersions, isBefore, type LibraryVersions, type VersionedLibrary } from '../training/versions.ts'
import {
  checkpointsReentrantly,
  clampsScores,
  copiesLogits,
  defaultOptimizer,
  groupsLargeHeads,
  hasFlatParameters,
  hasLinearAttentionKernels,
  keepsEmbeddingsIn32Bits,
  keepsFrozenInputs,
  keepsGradients,
  keepsQuantizedInputs,
  keepsRoots,
  softmaxSavesInput,
  sumsEveryMicroBatch,
  withReleasedExperts,
} from './library-rules.ts'

interface Rule {
  readonly holds: (spec: TrainingSpec, config: ModelConfig) => boolean
  /** A clause for a release from which on it holds, and one for a release from which on it does not. */
  readonly does: string
  readonly doesNot: string
}

const rules: readonly Rule[] = [
  {
    holds: spec => spec.task === 'causal-lm' && copiesLogits(spec),
    does: 'the loss copies the float32 logits',
    doesNot: 'the loss no longer copies the float32 logits',
  },
  {
    holds: spec => spec.checkpointedLoss === true,
    does: 'TRL’s loss takes the output layer in chunks of tokens (loss_type: chunked_nll) and holds no logits',
    doesNot: 'TRL’s loss holds the logits of all tokens',
  },
  {
    holds: spec => isInEightBits(spec.optimizer) && spec.lora === undefined && keepsEmbeddingsIn32Bits(spec),
    does: 'bitsandbytes keeps the state of embeddings in 32 bits',
    doesNot: 'bitsandbytes keeps the state of embeddings in 8 bits, like all other state',
  },
  {
    holds: keepsFrozenInputs,
    does: 'each block’s input and its gradient stay until the backward pass ends (FSDP1)',
    doesNot: 'each block’s input and its gradient no longer stay until the backward pass ends (FSDP1)',
  },
  {
    holds: (spec, config) =>
      spec.attention !== 'eager' && familyOf(config).hasLargeHeads === true && groupsLargeHeads(spec),
    does: 'attention of more than 256 dimensions a head holds all scores in float32',
    doesNot: 'attention of more than 256 dimensions a head no longer holds all scores in float32',
  },
  {
    holds: ({ attention, versions }, config) =>
      attention === 'sdpa' && groupsHeads(config) && isBefore(versions, 'torch', '2.14'),
    does: 'attention of grouped heads holds all scores in float32 where no flash kernel runs',
    doesNot: 'attention of grouped heads no longer holds all scores in float32 where no flash kernel runs',
  },
  {
    holds: (spec, config) => spec.attention === 'eager' && config.model_type === 'opt' && clampsScores(spec),
    does: 'eager attention keeps its scores to clamp them',
    doesNot: 'eager attention no longer keeps its scores to clamp them',
  },
  {
    holds: hasFlatParameters,
    does: 'the Trainer shards by FSDP1, in flat parameters',
    doesNot: 'the Trainer shards by FSDP2, each parameter by itself',
  },
  {
    holds: spec => spec.gradientCheckpointing && checkpointsReentrantly(spec),
    does: 'gradient checkpointing takes its reentrant form by default',
    doesNot: 'gradient checkpointing takes its non-reentrant form by default',
  },
  {
    holds: sumsEveryMicroBatch,
    does: 'gradients are summed among the GPUs with every micro-batch',
    doesNot: 'gradients are summed among the GPUs once a step',
  },
  {
    holds: keepsGradients,
    does: 'gradients are zeroed in place and stay during the next forward pass',
    doesNot: 'gradients are released between steps',
  },
  {
    holds: spec => defaultOptimizer(spec) !== spec.optimizer,
    does: 'AdamW steps with one tensor after another',
    doesNot: 'AdamW steps with all tensors together',
  },
  {
    holds: keepsRoots,
    does: 'AdamW steps with two more copies of the weights',
    doesNot: 'AdamW steps with one more copy of the weights, not two',
  },
  {
    holds: softmaxSavesInput,
    does: 'each softmax saves its input for the backward pass',
    doesNot: 'softmax saves only its output for the backward pass',
  },
  {
    holds: spec => spec.quantization !== undefined && keepsQuantizedInputs(spec, spec.quantization),
    does: 'quantised layers keep their inputs for the backward pass, whether checkpointed or not',
    doesNot: 'quantised layers no longer keep their inputs for the backward pass',
  },
  {
    holds: ({ lora, quantization }) => quantization !== undefined && lora?.inWeightsType === true,
    does: 'TRL casts adapters over quantised weights to bfloat16',
    doesNot: 'adapters over quantised weights are float32, as peft makes them',
  },
  {
    holds: (spec, config) => withReleasedExperts(spec, config) !== spec,
    does: 'experts are linear layers, quantised like all others',
    doesNot: 'experts are fused matrices, which are not quantised',
  },
  {
    holds: (spec, config) => familyOf(config).recurrence?.(config) === 'gated-delta' && hasLinearAttentionKernels(spec),
    does: 'linear attention runs in flash-linear-attention’s kernels',
    doesNot: 'linear attention runs in float32 on PyTorch’s own ops',
  },
  {
    holds: ({ versions }, config) => 'd_kv' in config && hasOwnOutput(config, versions),
    does: 'the output layer has weights of its own',
    doesNot: 'the output layer takes the weights of the words',
  },
]

function groupsHeads(config: ModelConfig): boolean {
  const isSaid = 'num_key_value_heads' in config && 'num_attention_heads' in config
  return isSaid && Number(config.num_key_value_heads) < Number(config.num_attention_heads)
}

/** One clause for each difference in what the step does with the newer spec's versions. */
export function differencesInStep(before: TrainingSpec, after: TrainingSpec, config: ModelConfig): readonly string[] {
  return rules.flatMap(({ holds, does, doesNot }) => {
    const [held, isHeld] = [holds(before, config), holds(after, config)]
    return held === isHeld ? [] : [isHeld ? does : doesNot]
  })
}

/** Faults of releases that take memory not contained in the estimate. */
interface KnownFault {
  readonly library: VersionedLibrary
  readonly from: string
  /** The first release that fixed it. */
  readonly until: string
  readonly concerns: (spec: TrainingSpec, config: ModelConfig) => boolean
  readonly sentence: string
}

/** Families whose forward passes took a `Cache` with transformers#26681. */
const firstWithCache: ReadonlySet<ModelConfig['model_type']> = new Set(['llama', 'mistral', 'mixtral', 'phi'] as const)

const knownFaults: readonly KnownFault[] = [
  {
    // transformers#26681 made the cache before the check for checkpointing turned `use_cache` off; #28031, in 4.36.2, moved the check.
    library: 'transformers',
    from: '4.36',
    until: '4.36.2',
    concerns: (spec, config) => spec.gradientCheckpointing && firstWithCache.has(config.model_type),
    sentence:
      'transformers 4.36.0 and 4.36.1 keep the keys and values of every layer although gradient checkpointing is on (transformers#28024), which no estimate here contains: take 4.36.2 or newer.',
  },
  {
    library: 'transformers',
    from: '5.0',
    until: '5.4',
    concerns: spec => spec.quantizesOnLoad === true,
    sentence:
      'transformers 5.0 to 5.3 load weights in 16 bits faster than they are quantised, up to all of them before the first step (transformers#43032): take 5.4 or newer, or set HF_DEACTIVATE_ASYNC_LOAD=1.',
  },
]

/** The faults that affect a config with these versions, one sentence each. */
export function faultsOf(spec: TrainingSpec, config: ModelConfig, versions: LibraryVersions): readonly string[] {
  return knownFaults
    .filter(({ library, from, until }) => {
      const version = versions[library]
      // Without a patch it is the newest of them.
      if (version === undefined || version.split('.').length < until.split('.').length) return false
      return compareVersions(version, from) >= 0 && compareVersions(version, until) < 0
    })
    .filter(({ concerns }) => concerns(spec, config))
    .map(({ sentence }) => sentence)
}
