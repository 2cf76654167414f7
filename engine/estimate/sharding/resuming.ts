/**
 * What a GPU holds while a run goes on from a checkpoint: Hugging Face's Trainer (transformers 5.18 trainer.py
 * _load_optimizer_and_scheduler, accelerate 1.15 utils/fsdp_utils.py load_fsdp_optimizer), Lightning 2.6 (strategies/), DeepSpeed 0.19
 * (engine.py load_checkpoint), torchtune 0.6 and torchtitan 0.2. Those of weights that are divided were run in
 * bench/resumed_checkpoints.py.
 */
import { modelCopies } from '../../training/batches.ts'
import { isFsdp } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { hasFlatParameters, loadedStates } from '../library-rules.ts'
import type { Tensor } from '../tape/storage.ts'
import { keptIn, largest } from './saving.ts'
import { unitName } from './units.ts'

export interface Resuming {
  /** How often the GPU holds the optimizer's state. */
  readonly states: number
  /**
   * torch 2.13 distributed/checkpoint/state_dict.py _init_optim_state: gradients of zeros for one step, which makes the state that is
   * then loaded.
   */
  readonly makesStateByStep?: true
  /** What is gathered: of the weights before there is any state, or of the state beside all of it. */
  readonly gathers?: 'units' | 'tensor'
}

/** Undefined where nobody has looked at how a checkpoint is loaded. */
export function resumingOf(spec: TrainingSpec): Resuming | undefined {
  const { loop, sharding = 'ddp', offload, optimizer, optimizerInBackward } = spec
  // bitsandbytes and optimizers in the backward pass load their state by code of their own.
  if (/8bit|paged/.test(optimizer) || optimizerInBackward || spec.tensorParallel !== undefined) return undefined
  if (loop === 'torchtitan') return { states: 1, makesStateByStep: true }
  const isDivided = isFsdp(sharding) && modelCopies(spec) > 1
  // torchtune, by itself.
  if (loop === 'plain') return isDivided ? { states: 1, makesStateByStep: true, gathers: 'tensor' } : { states: 1 }
  if (loop !== 'trainer' && loop !== 'lightning') return undefined
  // Each process reads its part to the host, and there is no state yet that it would be loaded beside.
  if (sharding.startsWith('zero')) return { states: 1 }
  if (!isDivided) {
    return offload === undefined ? { states: loop === 'trainer' ? loadedStates(spec) : 1 } : undefined
  }
  if (loop === 'lightning') return { states: 1, gathers: 'units' }
  // load_state_dict brings the whole state to the GPU before it lets go of the one that the step made.
  return hasFlatParameters(spec) ? undefined : { states: 2, makesStateByStep: true }
}

/** Whole weights of the root's unit and of the largest of the others, or the largest tensor that trains. */
export function gatheredByResuming(
  spec: TrainingSpec,
  parameters: ReadonlyMap<string, Tensor>,
  gathers: 'units' | 'tensor',
): number {
  const unitOf = (name: string) => unitName(name, spec)
  const largestOf = (isMeant: (name: string, parameter: Tensor) => boolean, groupOf: (name: string) => string) =>
    largest(new Map([...parameters].filter(([name, parameter]) => isMeant(name, parameter))), groupOf, keptIn(spec))
  if (gathers === 'tensor')
    return largestOf(
      (_, { requiresGrad }) => requiresGrad,
      name => name,
    )
  return largestOf(name => unitOf(name) === '', unitOf) + largestOf(name => unitOf(name) !== '', unitOf)
}
