/** What differs in a step's memory between the releases of PyTorch and Hugging Face's libraries, one rule each. */
import { familyOf, hasExperts, type ModelConfig } from '../models/architecture.ts'
import { isWrappedByFsdp } from '../training/batches.ts'
import { isFsdp, isOfFourBits, type Quantization } from '../training/choices.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { isBefore, releaseTaken } from '../training/versions.ts'
import type { Tensor } from './tape/storage.ts'

/** Before transformers 5.0, the experts of most mixtures were linear layers, which are quantised like all others. */
export function withReleasedExperts(spec: TrainingSpec, config: ModelConfig): TrainingSpec {
  const isOld = isBefore(spec.versions, 'transformers', '5.0')
  const areLinears =
    isOld && spec.quantization !== undefined && hasExperts(config) && !familyOf(config).fusedExpertsBefore5
  return areLinears ? { ...spec, quantizedExperts: true, expertStyle: spec.expertStyle ?? 'linear' } : spec
}

/** FSDP1, whose units are flat parameters. transformers' Trainer takes FSDP2 by default from 5.0 on. */
export function hasFlatParameters(spec: TrainingSpec): boolean {
  const { fsdpVersion, versions } = spec
  return isWrappedByFsdp(spec) && (fsdpVersion ?? (isBefore(versions, 'transformers', '5.0') ? 1 : 2)) === 1
}

/** accelerate's no_sync did nothing for modules of FSDP2 before 1.15: gradients were summed with every micro-batch. */
export function sumsEveryMicroBatch(spec: TrainingSpec): boolean {
  if (spec.syncsEveryMicroBatch === true) return true
  return spec.loop === 'trainer' && !hasFlatParameters(spec) && isBefore(spec.versions, 'accelerate', '1.15')
}

/**
 * bitsandbytes is told to keep the state of embeddings in 32 bits (transformers 5.18 trainer.py create_optimizer), which took no effect
 * from 4.30 on until transformers#37331. It knows them by their modules' own parameters, which flat shards are not.
 */
export function keepsEmbeddingsIn32Bits(spec: TrainingSpec): boolean {
  const { loop, sharding, versions } = spec
  const isFlat = sharding?.startsWith('zero') === true || hasFlatParameters(spec)
  const isWithoutEffect = isBefore(versions, 'transformers', '4.52') && !isBefore(versions, 'transformers', '4.30')
  return loop === 'trainer' && !spec.eightBitEmbeddings && !spec.optimizerInBackward && !isFlat && !isWithoutEffect
}

/** torch.utils.checkpoint's reentrant form: `gradient_checkpointing_enable` takes it by default before transformers 5.0. */
export function checkpointsReentrantly({ reentrantCheckpoints, versions }: TrainingSpec): boolean {
  return reentrantCheckpoints ?? isBefore(versions, 'transformers', '5.0')
}

/**
 * FSDP1 registers a hook on the inputs of a unit without trainable parameters and removes it when the backward pass ends (torch:
 * distributed/fsdp/_runtime_utils.py _register_post_backward_reshard_only_hook). In a reentrant checkpoint around the unit these
 * inputs are leaves, and the hook's closure keeps their AccumulateGrad nodes: each block's input and its gradient stay until then.
 * From transformers 4.53 on, the checkpoint is inside the unit (modeling_layers.py GradientCheckpointingLayer).
 */
export function keepsFrozenInputs(spec: TrainingSpec): boolean {
  const isOutside = isBefore(spec.versions, 'transformers', '4.53')
  const hasFrozenUnits = spec.lora !== undefined && hasFlatParameters(spec) && !isOneUnit(spec)
  return isOutside && hasFrozenUnits && checkpointsReentrantly(spec)
}

/**
 * Whether every matrix of an adapter is a unit of FSDP1 by itself: peft 0.21 utils/other.py fsdp_auto_wrap_policy, which the Trainer
 * takes, and verl's utils/fsdp_utils.py get_fsdp_wrap_policy. Lightning's policies are of classes alone (strategies/fsdp.py).
 */
export function wrapsEachAdapter(spec: TrainingSpec): boolean {
  return spec.lora !== undefined && hasFlatParameters(spec) && !isOneUnit(spec) && spec.loop !== 'lightning'
}

/**
 * Whether FSDP gathers the whole model at once. From 4.39 on, transformers' Trainer replaces the policy of FSDP1 by peft's, which wraps
 * layers whatever the config says (5.18 distributed/fsdp.py update_fsdp_plugin_peft).
 */
export function isOneUnit(spec: TrainingSpec): boolean {
  const isPefts = spec.lora !== undefined && spec.loop === 'trainer' && hasFlatParameters(spec)
  return spec.wrapsWholeModel === true && !(isPefts && !isBefore(spec.versions, 'transformers', '4.39'))
}

/**
 * Whether FSDP1 would have to make one flat parameter of frozen weights in 16 bits and peft's adapters in float32, which it refuses:
 * "Must flatten tensors with uniform dtype" (torch 2.13 distributed/fsdp/_flat_param.py _validate_tensors_to_flatten).
 */
function mixesFlatTypes(spec: TrainingSpec): boolean {
  const isMixed = spec.lora !== undefined && spec.lora.inWeightsType !== true && spec.precision === 'bf16'
  return isMixed && hasFlatParameters(spec) && !wrapsEachAdapter(spec)
}

/**
 * Whether the first step fails: transformers' Adafactor (5.18 optimization.py) adds means of FSDP2's DTensors to plain tensors, which
 * torch 2.13 refuses: "got mixed torch.Tensor and DTensor".
 */
export function mixesDTensors(spec: TrainingSpec): boolean {
  const isOfTransformers = spec.optimizer === 'adafactor' && spec.loop === 'trainer'
  return isOfTransformers && isWrappedByFsdp(spec) && !hasFlatParameters(spec)
}

/** Of a training without FSDP, true. */
export function startsUnderFsdp(spec: TrainingSpec): boolean {
  return !mixesFlatTypes(spec) && !mixesDTensors(spec)
}

/**
 * transformers 4.46 to 4.48 loss_utils.py ForCausalLMLoss: `logits[..., :-1, :].contiguous()` copies the float32 logits. Earlier
 * releases copied them too, but no longer held those in 16 bits; later ones shift the labels.
 */
export function copiesLogits({ versions }: TrainingSpec): boolean {
  return isBefore(versions, 'transformers', '4.49') && !isBefore(versions, 'transformers', '4.46')
}

/**
 * transformers 4.46 models/opt/modeling_opt.py OPTAttention: torch.max keeps the scores that it clamps for its backward pass. In which
 * release it went is not known: it is taken for gone from 4.49 on.
 */
export function clampsScores({ versions }: TrainingSpec): boolean {
  return isBefore(versions, 'transformers', '4.49')
}

/**
 * transformers 4.48 models/bert/modeling_bert.py BertModel: encoders add a mask of zeros to eager scores where nothing is padded,
 * too. In which release of 5 it went is not known: it is taken for gone from 5.0 on.
 */
export function addsEveryMask({ versions }: TrainingSpec): boolean {
  return isBefore(versions, 'transformers', '5.0')
}

/**
 * transformers before 5.13 (transformers#46960) passes grouped heads of more than 256 dimensions to
 * `scaled_dot_product_attention` as they are, and only its composed kernel takes them.
 */
export function groupsLargeHeads({ versions }: TrainingSpec): boolean {
  return isBefore(versions, 'transformers', '5.13')
}

/**
 * torch 2.14 (pytorch#191085): the memory-efficient kernel takes grouped heads, and every kernel one head of keys and values for all. Where
 * no version is known, the scores that older ones hold are counted, and more than the training may take.
 */
export function composesGroupedHeads({ versions }: TrainingSpec): boolean {
  return isBefore({ torch: releaseTaken('torch'), ...versions }, 'torch', '2.14')
}

/**
 * Gated DeltaNet runs in flash-linear-attention's kernels where that is installed, which transformers does not ask for, and in
 * PyTorch's ops elsewhere (integrations/hub_kernels.py use_kernel_func_from_hub_with_fallback).
 */
export function hasLinearAttentionKernels({ versions }: Pick<TrainingSpec, 'versions'>): boolean {
  const library = 'flash-linear-attention'
  return !isBefore({ [library]: releaseTaken(library), ...versions }, library, '0.2')
}

/** zero_grad of Module and Optimizer zeroes gradients in place before torch 2.0: the next forward pass runs beside them. */
export function keepsGradients({ sharding = 'ddp', versions }: TrainingSpec): boolean {
  return sharding === 'ddp' && isBefore(versions, 'torch', '2.0')
}

/**
 * Lightning's automatic optimization zeroes gradients after `training_step`, which so runs beside those of the step before
 * (loops/optimization/automatic.py Closure.closure). DeepSpeed lets go of them by itself.
 */
export function zeroesAfterForward(spec: TrainingSpec): boolean {
  const isZero = spec.sharding?.startsWith('zero') === true
  return spec.loop === 'lightning' && spec.gradientAccumulation === 1 && !isZero && !keepsGradients(spec)
}

/** torch.optim.AdamW steps with all tensors together by default from torch 2.0 on (_default_to_fused_or_foreach). */
export function defaultOptimizer({ optimizer, versions }: TrainingSpec): TrainingSpec['optimizer'] {
  return optimizer === 'adamw' && isBefore(versions, 'torch', '2.0') ? 'adamw-loop' : optimizer
}

/** torch.optim.AdamW before torch 2.1 (pytorch#104898) keeps the roots of second moments beside the denominators made of them. */
export function keepsRoots(spec: TrainingSpec): boolean {
  return defaultOptimizer(spec) === 'adamw' && isBefore(spec.versions, 'torch', '2.1')
}

/**
 * bitsandbytes autograd/_functions.py: MatMul8bitLt keeps its input as an attribute of its node, out of checkpointing's sight. So did
 * MatMul4Bit before 0.43.2 (bitsandbytes#1270), for a gradient that it never computes.
 */
export function keepsQuantizedInputs({ versions }: TrainingSpec, quantization: Quantization): boolean {
  // aqlm 1.1.6 inference.py: its autograd function saves the input, which no gradient needs.
  if (quantization === 'int8' || quantization === 'aqlm') return true
  return isOfFourBits(quantization) && isBefore(versions, 'bitsandbytes', '0.43.2')
}

/** torch before 1.11: `_softmax_backward_data` and its logarithmic sibling take the input, later only its type. */
export function softmaxSavesInput({ versions }: TrainingSpec): boolean {
  return isBefore(versions, 'torch', '1.11')
}

export function softmaxSaves(spec: TrainingSpec, input: Tensor): { savesOutput: true; saves: readonly Tensor[] } {
  return { savesOutput: true, saves: softmaxSavesInput(spec) ? [input] : [] }
}

/**
 * Before transformers 4.30 left it to accelerate (transformers#23158), the Trainer took FSDP's whole `state_dict()`, which every GPU
 * then holds beside its shards; later it goes to the host unit by unit.
 */
export function savesWholeOnGpu({ sharding, versions }: TrainingSpec): boolean {
  return isFsdp(sharding) && isBefore(versions, 'transformers', '4.30')
}

/**
 * How often a GPU holds the optimizer's state while the Trainer loads it from a checkpoint. On several GPUs, and before transformers
 * 4.27 on one (transformers#22159), the file is read to the GPU, of which torch before 2.1 makes a copy (pytorch#106082).
 */
export function loadedStates({ versions, gpus }: TrainingSpec): number {
  const isReadToGpu = gpus > 1 || isBefore(versions, 'transformers', '4.27')
  return isReadToGpu && isBefore(versions, 'torch', '2.1') ? 2 : 1
}

/**
 * transformers 5.0 to 5.3 core_model_loading.py: threads load all weights to the GPU in 16 bits, while one after the other is quantised
 * (transformers#43032). From 5.4 on, the first release after that was mended by its date, nothing is loaded before the weight ahead of it is quantised (transformers#44576), as before 5.0.
 */
export function loadsInFull({ versions }: TrainingSpec): boolean {
  return isBefore(versions, 'transformers', '5.4') && !isBefore(versions, 'transformers', '5.0')
}

/**
 * transformers from 5.0 on (integrations/bitsandbytes.py Bnb8bitQuantize) hands 8-bit weights over from the host, and holds the 16-bit
 * weight that it has loaded to the GPU until the copy that is quantised there is done with.
 */
export function copiesForEightBits({ quantization, versions }: TrainingSpec): boolean {
  return quantization === 'int8' && !isBefore(versions, 'transformers', '5.0')
}
