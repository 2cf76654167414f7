/** How a training of Hugging Face's Trainer is divided among GPUs: by its own arguments, or by what accelerate is launched with. */

import type { TrainingSpec } from '../../../training/spec.ts'
import type { FieldReader } from '../../fields/fields.ts'
import type { DeepSpeedFile } from '../../other-files/deepspeed-file.ts'
import type { Field } from '../../text/section.ts'
import { readDeepSpeed, readFsdp, type Sharded } from '../../trainer/sharding.ts'
import type { Arguments } from './arguments.ts'
import { unsaidByAccelerator } from './declared.ts'

export const gpuKeys = ['n_gpus', 'n_gpu', 'num_gpus', 'num_processes', 'nproc_per_node']

/** Several processes by the file's own word, which accelerate counts, and which ZeRO or FSDP in accelerate's file may divide the model among. */
export function saysUndivided({ gpus, sharding }: TrainingSpec, { decisions }: FieldReader): string | undefined {
  const from = decisions.find(({ setting }) => setting === 'gpus')?.from
  if (gpus === 1 || sharding !== undefined || from?.kind !== 'field' || !gpuKeys.includes(from.field.name))
    return undefined
  return `Each of the ${gpus} GPUs of ${from.field.name} (line ${from.field.at.line}) is taken to hold the whole model: what accelerate is launched with is not in the file, and may divide it.`
}

/**
 * Accelerate's launcher sets DeepSpeed, FSDP and the precision for a training whose own arguments do not: ACCELERATE_USE_DEEPSPEED,
 * ACCELERATE_USE_FSDP, ACCELERATE_MIXED_PRECISION. Of a loop of the script's own, what divides it is not counted.
 */
export function asLaunched(
  { toldByLaunch }: FieldReader,
  { find, declared }: Arguments,
  setsPrecision: () => boolean,
): Arguments['find'] {
  if (toldByLaunch.length === 0) return find
  const isLoop = declared?.ownLoop !== undefined
  const isDivided = isLoop || find('deepspeed', 'fsdp') !== undefined
  const isOn = (field: Field | undefined) => field !== undefined && !(field.value.kind === 'flag' && !field.value.flag)
  const isMixed = isOn(find('bf16')) || isOn(find('fp16')) || (isLoop && find('fp16')?.name !== unsaidByAccelerator)
  const told = toldByLaunch.filter(({ key }) => !isDivided && !isOfPrecision(key))
  const precision = isMixed ? undefined : toldByLaunch.find(({ key }) => isOfPrecision(key))
  const mixed = precision === undefined || setsPrecision() ? undefined : precision
  return (...keys) => {
    if (mixed !== undefined && keys.some(isOfPrecision)) return keys.includes(mixed.key) ? mixed : undefined
    return find(...keys) ?? told.find(({ key }) => keys.includes(key))
  }
}

function isOfPrecision(key: string): boolean {
  return key === 'bf16' || key === 'fp16'
}

export function readSharding(reader: FieldReader, find: Arguments['find'], file: DeepSpeedFile): Sharded {
  const deepspeed = readDeepSpeed(reader, find('deepspeed'), file)
  if (deepspeed.sharding !== undefined) return deepspeed
  const config = find('fsdp_config')?.value
  const fsdp = find('fsdp')
  if (fsdp === undefined) return deepspeed
  return readFsdp(reader, { fsdp, config: config?.kind === 'mapping' ? config.section : undefined })
}
