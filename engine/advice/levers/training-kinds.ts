/** What several kinds of levers ask of a training before they apply. */
import { isOfImages, type TrainingSpec } from '../../config/spec.ts'

/** FSDP cannot divide what bitsandbytes makes of weights and of optimizer states. */
export function isWhole({ sharding, gpus }: TrainingSpec): boolean {
  return gpus === 1 || sharding === undefined || sharding === 'ddp'
}

export function isText({ task }: TrainingSpec): boolean {
  return !isOfImages(task)
}
