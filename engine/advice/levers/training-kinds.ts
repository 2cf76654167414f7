/** Conditions on a training that several levers share. */
import { isOfImages } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'

/** Whether weights are unsharded: FSDP cannot shard bitsandbytes' weights and optimizer states. */
export function isWhole({ sharding, gpus }: TrainingSpec): boolean {
  return gpus === 1 || sharding === undefined || sharding === 'ddp'
}

export function isText({ task }: TrainingSpec): boolean {
  return !isOfImages(task)
}
