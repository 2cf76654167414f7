/**
 * What a GPU gathers of a model that is divided among GPUs when a checkpoint is saved, by Hugging Face's Trainer (transformers 5.18
 * trainer.py save_model, accelerate 1.15 Accelerator.get_state_dict and utils/fsdp_utils.py), torchtune 0.6
 * (training/_distributed.py gather_cpu_state_dict) and Lightning 2.6 (strategies/fsdp.py), run in bench/saved_checkpoints.py. OpenRLHF
 * 0.11 (utils/deepspeed/deepspeed.py save_model) calls the same function of DeepSpeed's as the Trainer.
 */
import { modelCopies, shardingGroup } from '../../training/batches.ts'
import { isFsdp } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { defaultOptimizer, hasFlatParameters, isOneUnit, savesWholeOnGpu, wrapsEachAdapter } from '../library-rules.ts'
import { optimizerRules } from '../step/optimizer.ts'
import { countOf } from '../tape/repetition.ts'
import type { Tensor } from '../tape/storage.ts'
import { bytesOf, sum, trainedOf } from './parameter-sizes.ts'
import { keptWidth } from './shares.ts'
import { unitName } from './units.ts'

/** Undefined where nothing is gathered, or nobody has looked at how it is saved. */
export function gatheredBySaving(spec: TrainingSpec, parameters: ReadonlyMap<string, Tensor>): number | undefined {
  const isDivided = spec.sharding === 'zero3' || isFsdp(spec.sharding)
  if (!isDivided || modelCopies(spec) === 1 || spec.tensorParallel !== undefined) return undefined
  // strategies/deepspeed.py: each process saves its own part, and DeepSpeed copies none of it on the GPU.
  if (spec.loop === 'lightning') return isFsdp(spec.sharding) ? gatheredByLightning(spec, parameters) : undefined
  if (spec.loop !== 'trainer' && spec.loop !== 'openrlhf') return undefined
  // DeepSpeed runtime/engine.py _zero3_consolidated_16bit_state_dict: one module's own parameters at a time.
  if (spec.sharding === 'zero3') return largest(parameters, moduleOf, bytesOf)
  // get_model_state_dict with cpu_offload, and full_tensor of one after the other: one tensor at a time, and so of the moments.
  if (!hasFlatParameters(spec)) return largest(parameters, name => name, keptIn(spec))
  const unitOf = (name: string) => unitName(name, spec)
  if (!savesWholeOnGpu(spec)) return largestUnit(spec, parameters)
  // Copies of all, while the root's unit, the last to be copied, is still gathered.
  const kept = keptIn(spec)
  const all = sum([...parameters.values()].map(parameter => countOf(parameter.storage.turn) * kept(parameter)))
  return all + largest(new Map([...parameters].filter(([name]) => unitOf(name) === '')), unitOf, kept)
}

/** Whether that is the whole model at once. */
export function gathersWholeBySaving(spec: TrainingSpec): boolean {
  return (spec.loop === 'trainer' && savesWholeOnGpu(spec)) || (hasFlatParameters(spec) && isOneUnit(spec))
}

/** Beside the gradients of the last step, which are zeroed in the next (loops/optimization/automatic.py Closure.closure). */
function gatheredByLightning(spec: TrainingSpec, parameters: ReadonlyMap<string, Tensor>): number {
  const kept = keptIn(spec)
  const trained = trainedOf(parameters.values()).map(parameter => countOf(parameter.storage.turn) * kept(parameter))
  return sum(trained) / shardingGroup(spec) + largestUnit(spec, parameters)
}

/**
 * FSDP1 moves the weights of one unit after the other to the host, and then each of its moments by itself: torch 2.13
 * distributed/fsdp/_optim_utils.py _allgather_orig_param_states, which holds this GPU's share of the moment before it, too.
 */
function largestUnit(spec: TrainingSpec, parameters: ReadonlyMap<string, Tensor>): number {
  const unitOf = (name: string) => unitName(name, spec)
  const weights = largest(parameters, unitOf, keptIn(spec))
  const { moments } = optimizerRules[defaultOptimizer(spec)]
  // The units of adapters are small.
  if (moments === undefined || wrapsEachAdapter(spec)) return weights
  const trained = new Set([...parameters].flatMap(([name, { requiresGrad }]) => (requiresGrad ? [unitOf(name)] : [])))
  const inTraining = new Map([...parameters].filter(([name]) => trained.has(unitOf(name))))
  // _convert_all_state_info brings this GPU's share of all moments back from the host.
  const ownShares = Math.min(2, moments) + (spec.offload === undefined ? 0 : moments)
  return Math.max(weights, (1 + ownShares / shardingGroup(spec)) * largest(inTraining, unitOf, keptIn(spec)))
}

export function keptIn(spec: TrainingSpec): (parameter: Tensor) => number {
  return parameter => bytesOf(parameter) * keptWidth(spec, parameter)
}

export function largest(
  parameters: ReadonlyMap<string, Tensor>,
  groupOf: (name: string) => string,
  sizeOf: (parameter: Tensor) => number,
): number {
  const groups = new Map<string, number>()
  for (const [name, parameter] of parameters) {
    const group = groupOf(name)
    groups.set(group, (groups.get(group) ?? 0) + sizeOf(parameter))
  }
  return Math.max(0, ...groups.values())
}

/** `model.layers.3.mlp.up_proj` of its weight. */
function moduleOf(parameter: string): string {
  return parameter.slice(0, parameter.lastIndexOf('.'))
}
