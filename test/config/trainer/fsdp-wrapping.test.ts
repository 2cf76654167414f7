/** Whether FSDP makes units of the layers, or one of the whole model. */
import { expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { footprintOf } from '../../estimate/specs.ts'
import { trainedBy } from '../readings.ts'

const qwen = `model_name_or_path: Qwen/Qwen2.5-7B
do_train: true
per_device_train_batch_size: 4
block_size: 4096
bf16: true
`

async function wrapsWholeModel(lines: string, transformers: string): Promise<true | undefined> {
  const versions = [{ library: 'transformers', version: transformers, place: 'requirements.txt' }] as const
  const { spec } = trainedBy(await readConfigAsync({ path: 'train.yaml', text: `${qwen}${lines}\n` }, {}, { versions }))
  expect(spec.sharding).toBe('fsdp')
  return spec.wrapsWholeModel
}

it.each([
  ['fsdp: full_shard', '4.57.0'],
  ['fsdp: full_shard\nfsdp_config: { transformer_layer_cls_to_wrap: [Qwen2DecoderLayer] }', '4.57.0'],
  ['fsdp: full_shard auto_wrap\nfsdp_config: { fsdp_auto_wrap_policy: NO_WRAP }', '5.18.0'],
])('one of the whole model: %s of transformers %s', async (lines, transformers) => {
  expect(await wrapsWholeModel(lines, transformers)).toBe(true)
})

it.each([
  ['fsdp: full_shard auto_wrap', '4.57.0'],
  ['fsdp: full_shard', '5.18.0'],
  ['fsdp: full_shard\nfsdp_config: { auto_wrap_policy: TRANSFORMER_BASED_WRAP }', '5.18.0'],
])('of the layers: %s of transformers %s', async (lines, transformers) => {
  expect(await wrapsWholeModel(lines, transformers)).toBeUndefined()
})

it('with adapters, the Trainer takes the policy of peft for FSDP1, which wraps layers whatever the config says', async () => {
  const text = `${qwen}use_peft: true\nlora_r: 16\nn_gpu: 4\nfsdp: full_shard\nfsdp_config: { version: 1, auto_wrap_policy: NO_WRAP }\n`
  const { spec } = trainedBy(await readConfigAsync({ path: 'train.yaml', text }, {}))
  expect(spec.wrapsWholeModel).toBe(true)
  const peak = (changes: Partial<typeof spec>) =>
    footprintOf('Qwen/Qwen2.5-7B', { ...spec, ...changes }).peak(1, 0).bytes
  const { wrapsWholeModel: _, ...layers } = spec
  expect(peak({})).toBe(footprintOf('Qwen/Qwen2.5-7B', layers).peak(1, 0).bytes)
  expect(peak({ versions: { transformers: '4.38' } })).toBeGreaterThan(2 * peak({}))
})
