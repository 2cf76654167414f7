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

it.each([
  ['FULL_SHARD', 'fsdp', false],
  ['1', 'fsdp', false],
  ['SHARD_GRAD_OP', 'fsdp-grad-op', false],
  ['2', 'fsdp-grad-op', false],
  ['NO_SHARD', 'fsdp', true],
  ['3', 'fsdp', true],
  ['HYBRID_SHARD', 'fsdp', true],
  ['HYBRID_SHARD_ZERO2', 'fsdp-grad-op', true],
  ['5', 'fsdp-grad-op', true],
])('fsdp_sharding_strategy: %s divides as %s; it is named where that is not all: %s', (strategy, sharding, isNamed) => {
  const { spec, unreadSettings } = trainingConfig(`${qwen}fsdp_config: { fsdp_sharding_strategy: ${strategy} }\n`)
  expect(spec.sharding).toBe(sharding)
  expect(unreadSettings?.map(({ name }) => name)).toEqual(isNamed ? ['fsdp_config.fsdp_sharding_strategy'] : undefined)
})

it.each([
  ['hybrid_shard auto_wrap', 'fsdp'],
  ['hybrid_shard_zero2 auto_wrap', 'fsdp-grad-op'],
])('fsdp: %s is read as %s, and named', (words, sharding) => {
  const { spec, unreadSettings } = trainingConfig(qwen.replace('fsdp: true', `fsdp: ${words}`))
  expect({ sharding: spec.sharding, named: unreadSettings?.map(({ name }) => name) }).toEqual({
    sharding,
    named: ['fsdp'],
  })
})
