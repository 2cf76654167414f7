/** What fsdp_config says under the names that accelerate, Axolotl and transformers have for it. */
import { expect, it } from 'vitest'
import { trainingConfig } from '../readings.ts'

const qwen = `model_name_or_path: Qwen/Qwen2.5-7B
do_train: true
per_device_train_batch_size: 4
block_size: 4096
bf16: true
fsdp: true
`
const specWith = (settings: string) => trainingConfig(`${qwen}fsdp_config: { ${settings} }\n`).spec

it.each(['fsdp_offload_params', 'offload_params', 'cpu_offload'])('%s moves weights and optimizer to the host', key => {
  expect(specWith(`${key}: true`)).toMatchObject({ sharding: 'fsdp', offload: 'optimizer-and-weights' })
  expect(specWith(`${key}: false`).offload).toBeUndefined()
})

it.each(['fsdp_reshard_after_forward', 'reshard_after_forward'])('%s keeps weights until the backward pass', key => {
  expect(specWith(`${key}: false`).sharding).toBe('fsdp-grad-op')
  expect(specWith(`${key}: true`).sharding).toBe('fsdp')
})
