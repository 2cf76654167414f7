/** How a training of Hugging Face's Trainer is divided among GPUs: by its own arguments, or by what accelerate is launched with. */

import type { TrainingSpec } from '../../../training/spec.ts'
import type { FieldReader } from '../../fields/fields.ts'
import type { DeepSpeedFile } from '../../other-files/deepspeed-file.ts'
import { readDeepSpeed, readFsdp, type Sharded } from '../../trainer/sharding.ts'
import type { Arguments } from './arguments.ts'

export const gpuKeys = ['n_gpus', 'n_gpu', 'num_gpus', 'num_processes', 'nproc_per_node']

/** Several processes by the file's own word, which accelerate counts, and which ZeRO or FSDP in accelerate's file may divide the model among. */
export function saysUndivided({ gpus, sharding }: TrainingSpec, { decisions }: FieldReader): string | undefined {
  const from = decisions.find(({ setting }) => setting === 'gpus')?.from
  if (gpus === 1 || sharding !== undefined || from?.kind !== 'field' || !gpuKeys.includes(from.field.name))
    return undefined
  return `Each of the ${gpus} GPUs of ${from.field.name} (line ${from.field.at.line}) is taken to hold the whole model: what accelerate is launched with is not in the file, and may divide it.`
}

/** Accelerate's launcher sets DeepSpeed and FSDP for a Trainer whose own arguments do not: ACCELERATE_USE_DEEPSPEED, ACCELERATE_USE_FSDP. */
export function dividedAsLaunched({ dividedBy }: FieldReader, find: Arguments['find']): Arguments['find'] {
  if (dividedBy.length === 0 || find('deepspeed', 'fsdp') !== undefined) return find
  return (...keys) => find(...keys) ?? dividedBy.find(({ key }) => keys.includes(key))
}

export function readSharding(reader: FieldReader, find: Arguments['find'], file: DeepSpeedFile): Sharded {
  const deepspeed = readDeepSpeed(reader, find('deepspeed'), file)
  if (deepspeed.sharding !== undefined) return deepspeed
  const config = find('fsdp_config')?.value
  const fsdp = find('fsdp')
  if (fsdp === undefined) return deepspeed
  return readFsdp(reader, { fsdp, config: config?.kind === 'mapping' ? config.section : undefined })
}
