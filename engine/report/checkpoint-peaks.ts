/** The memory of saving a checkpoint, and of going on from one. */
import type { TrainingSpec } from '../config/spec/spec.ts'
import { loadedStates } from '../estimate/library-rules.ts'
import { gathersWholeBySaving } from '../estimate/sharding/saving.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { workspaceBytesOf } from '../probes/estimate.ts'
import { estimatedRow, type RunPeakOptions } from './peak-rows.ts'
import type { RunPeak } from './schema.ts'

/** Of weights that are divided among GPUs, which are gathered for it. */
export function savingPeaks(spec: TrainingSpec, config: ModelConfig, options: RunPeakOptions): readonly RunPeak[] {
  const bytes = options.footprints.of(spec, config, options.gpu).savingBytes(workspaceBytesOf(options.gpu))
  if (bytes === undefined) return []
  const isWhole = gathersWholeBySaving(spec)
  return [{ ...estimatedRow('saving', bytes, options), ...(isWhole && { gathersWhole: true as const }) }]
}

/** Where the config goes on from a checkpoint, or would hold the optimizer's state twice if it did. */
export function resumingPeaks(spec: TrainingSpec, config: ModelConfig, options: RunPeakOptions): readonly RunPeak[] {
  const { loop, sharding = 'ddp', offload, optimizer, step } = spec
  // Others load it by code of their own.
  const isOfTorch = sharding === 'ddp' && offload === undefined && !/8bit|paged/.test(optimizer)
  const states = loop === 'trainer' ? loadedStates(spec) : 1
  const isKnown =
    loop === 'torchtitan' ? makesStateByStep(spec) : (loop === 'trainer' || loop === 'lightning') && isOfTorch
  if (step !== 'training' || !isKnown || (!spec.resumes && states === 1)) return []
  const { bytes, breakdown } = options.footprints.of(spec, config, options.gpu).resting(workspaceBytesOf(options.gpu))
  // All weights train in torchtitan, each with a gradient of its type.
  const gradients = loop === 'torchtitan' ? breakdown.weights : 0
  return [estimatedRow('resuming', bytes + gradients + (states - 1) * breakdown.optimizerState, options)]
}

/**
 * torch 2.13 distributed/checkpoint/state_dict.py _init_optim_state: gradients of zeros for one step, which makes the state that is
 * then loaded in place. A fused step has nothing beside them.
 */
function makesStateByStep({ optimizer, optimizerInBackward }: TrainingSpec): boolean {
  return optimizer === 'adamw-fused' && optimizerInBackward === undefined
}
