/**
 * What a GPU gathers of weights that are divided among GPUs when Hugging Face's Trainer saves a checkpoint (transformers 5.18
 * trainer.py save_model, accelerate 1.15 Accelerator.get_state_dict). What the optimizer's state takes is not counted.
 */
import { isFsdp, modelCopies, type TrainingSpec } from '../../config/spec/spec.ts'
import { hasFlatParameters, savesWholeOnGpu } from '../library-rules.ts'
import { countOf } from '../tape/repetition.ts'
import type { Tensor } from '../tape/storage.ts'
import { bytesOf, sum } from './parameter-sizes.ts'
import { keptWidth } from './shares.ts'
import { unitName } from './units.ts'

/** Undefined where nothing is gathered, or nobody has looked at how it is saved. */
export function gatheredBySaving(spec: TrainingSpec, parameters: ReadonlyMap<string, Tensor>): number | undefined {
  const isDivided = spec.sharding === 'zero3' || isFsdp(spec.sharding)
  if (spec.loop !== 'trainer' || !isDivided || modelCopies(spec) === 1 || spec.tensorParallel !== undefined)
    return undefined
  const kept = (parameter: Tensor) => bytesOf(parameter) * keptWidth(spec, parameter)
  // DeepSpeed runtime/engine.py _zero3_consolidated_16bit_state_dict: one module's own parameters at a time.
  if (spec.sharding === 'zero3') return largest(parameters, moduleOf, bytesOf)
  // get_model_state_dict with cpu_offload: one tensor at a time.
  if (!hasFlatParameters(spec)) return largest(parameters, name => name, kept)
  const unitOf = (name: string) => unitName(name, spec)
  if (!savesWholeOnGpu(spec)) return largest(parameters, unitOf, kept)
  // Copies of all, while the root's unit, the last to be copied, is still gathered.
  const all = sum([...parameters.values()].map(parameter => countOf(parameter.storage.turn) * kept(parameter)))
  return all + largest(new Map([...parameters].filter(([name]) => unitOf(name) === '')), unitOf, kept)
}

function largest(
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
