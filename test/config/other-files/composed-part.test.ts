// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are OmegaConf's
/** Groups of Hydra's configs, each a file that says nothing by itself. */
import { expect, it } from 'vitest'
import { readConfig } from '../../../engine/config/read.ts'

const outcome = (text: string, path = 'configs/training_arguments/sft.yaml') => readConfig({ path, text })

const group = '_target_: trl.SFTConfig\nper_device_train_batch_size: ${batch_size}\ngradient_checkpointing: true\n'
const zero = 'train_micro_batch_size_per_gpu: ${batch_size}\nzero_optimization: { stage: 3 }\n'

it.each([
  ['arguments of the Trainer', group],
  ['settings of DeepSpeed', zero],
  ['a relative reference', group.replace('${batch_size}', '${..batch_size}')],
  ['what must be set elsewhere', 'model_name_or_path: ???\nper_device_train_batch_size: ???\nlearning_rate: 1.0e-5\n'],
  ['a model that is elsewhere too', `${group}model_name_or_path: \${model_name}\n`],
])('%s are a part of the config that composes them', (_, text) => {
  expect(outcome(text)).toMatchObject({
    kind: 'not-a-training-config',
    why: expect.stringContaining('It is a part of a config that Hydra composes: '),
  })
})

it('says which value is elsewhere, and where it is asked for', () => {
  const reading = outcome(group)
  expect(reading.kind === 'not-a-training-config' && reading.why).toContain(
    'per_device_train_batch_size (line 2) is ${batch_size}, which another file of it sets, and it names no model.',
  )
})

it.each([
  ['a model', `${group}model_name_or_path: gpt2\n`],
  ['the value that is referred to', `${group}batch_size: 4\n`],
  ['a batch size beside an open model', 'model_name_or_path: ???\nper_device_train_batch_size: 4\n'],
  ['a batch size', group.replace('${batch_size}', '4')],
  ['a variable of the environment', group.replace('${batch_size}', '${oc.env:BATCH}')],
])('is no part with %s', (_, text) => {
  expect(outcome(text).kind).not.toBe('not-a-training-config')
})

it('is no part where the file composes others, or is no YAML', () => {
  const whole = `defaults: [{ model: gpt2 }]\ntrainer: { max_epochs: 1 }\nbatch_size: \${data.batch_size}\n`
  expect(outcome(whole).kind).toBe('unreadable')
  const json = JSON.stringify({ train_micro_batch_size_per_gpu: '${batch_size}', zero_optimization: { stage: 3 } })
  expect(outcome(json, 'ds.json').kind).toBe('unreadable')
})
