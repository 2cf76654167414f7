/** FSDP's own switch for activation checkpointing, which accelerate reads from fsdp_config. */
import { expect, it } from 'vitest'
import { keepsFrozenInputs } from '../../../engine/estimate/library-rules.ts'
import { trainingConfig } from '../readings.ts'

const trainer = `model_name_or_path: Qwen/Qwen2.5-7B
do_train: true
per_device_train_batch_size: 4
block_size: 4096
bf16: true
fsdp: full_shard auto_wrap
`
const axolotl = `base_model: Qwen/Qwen2.5-7B
micro_batch_size: 4
sequence_len: 4096
datasets: []
bf16: true
fsdp: [full_shard, auto_wrap]
`
const withConfig = (text: string, setting: string) => `${text}fsdp_config:\n  ${setting}\n`

it.each([
  ['the Trainer', trainer, 'activation_checkpointing'],
  ['the Trainer, as accelerate names it', trainer, 'fsdp_activation_checkpointing'],
  ['Axolotl', axolotl, 'fsdp_activation_checkpointing'],
])('%s: on, the layers are checkpointed, not reentrantly', (_, text, key) => {
  const on = trainingConfig(withConfig(text, `${key}: true`)).spec
  expect(on).toMatchObject({ gradientCheckpointing: true, reentrantCheckpoints: false })
  expect(trainingConfig(withConfig(text, `${key}: false`)).spec.gradientCheckpointing).toBe(false)
})

it("the Trainer: it decides beside the Trainer's own switch turned off, and not without FSDP", () => {
  const off = `${trainer}gradient_checkpointing: false\n`
  expect(trainingConfig(withConfig(off, 'activation_checkpointing: true')).spec.gradientCheckpointing).toBe(true)
  const alone = trainer.replace('fsdp: full_shard auto_wrap\n', '')
  expect(trainingConfig(withConfig(alone, 'activation_checkpointing: true')).spec.gradientCheckpointing).toBe(false)
})

it("FSDP1 keeps no inputs of frozen layers: the checkpoint is inside of each layer's unit", () => {
  const lora = `${trainer}use_peft: true\nlora_r: 8\n`
  const keepsInputs = (text: string) =>
    keepsFrozenInputs({ ...trainingConfig(text).spec, versions: { transformers: '4.48.1' } })
  expect(keepsInputs(`${lora}gradient_checkpointing: true\n`)).toBe(true)
  expect(keepsInputs(withConfig(lora, 'activation_checkpointing: true'))).toBe(false)
})
