/** Settings that change what a step holds, and that no figure counts: each is named, so that nothing blocks, or refused. */
import { describe, expect, it } from 'vitest'
import { readConfig, readConfigAsync } from '../../engine/config/read.ts'
import { base as axolotl } from './dialects/axolotl/base.ts'
import { codesOf, trainedBy, trainingConfig } from './readings.ts'

const llamafactory =
  'model_name_or_path: Qwen/Qwen2.5-7B\nstage: dpo\nfinetuning_type: lora\ntemplate: qwen\ndataset: d\nper_device_train_batch_size: 1\n'
const torchtune =
  'model: { _component_: torchtune.models.llama3_2.llama3_2_1b }\noptimizer: { _component_: torch.optim.AdamW }\nbatch_size: 2\ndataset_val: { _component_: torchtune.datasets.alpaca_dataset }\n'
const trl =
  'model_name_or_path: Qwen/Qwen2.5-0.5B\ndataset_name: a/b\nper_device_train_batch_size: 2\nmax_length: 512\n'

const namesIn = (text: string) => trainingConfig(text).unreadSettings?.map(({ name }) => name)

describe('is named', () => {
  it.each([
    ['plugins', `${axolotl}plugins: [my_team.plugins.Sparse]\n`],
    ['trainer_cls', `${axolotl}trainer_cls: my_team.Trainer\n`],
    ['liger_cross_entropy', `${axolotl}plugins: [axolotl.integrations.liger.LigerPlugin]\nliger_cross_entropy: true\n`],
    ['spectrum_top_fraction', `${axolotl}spectrum_top_fraction: 0.5\n`],
    ['overrides_of_model_config.num_hidden_layers', `${axolotl}overrides_of_model_config: { num_hidden_layers: 4 }\n`],
    ['gpu_memory_limit', `${axolotl}gpu_memory_limit: 20GiB\n`],
    ['rpo_alpha', `${axolotl}rl: dpo\nrpo_alpha: 0.5\n`],
    ['ref_model', `${llamafactory}ref_model: Qwen/Qwen2.5-0.5B\n`],
    ['batch_size_val', `${torchtune}batch_size_val: 16\n`],
    ['rpo_alpha', `${trl}beta: 0.1\nrpo_alpha: 1.0\n`],
    ['layers_to_transform', `${trl}use_peft: true\nlayers_to_transform: [0, 1]\n`],
  ])('%s, in %j', (name, text) => {
    expect(namesIn(text)).toEqual([name])
  })

  it.each([
    ['--init_weights', '--init_weights lora-ga'],
    ['--rpo_alpha', '--rlhf_type dpo --rpo_alpha 0.1'],
    ['--use_gym_env', '--rlhf_type grpo --use_gym_env true'],
    ['--ref_model', '--rlhf_type dpo --train_type full --ref_model Qwen/Qwen2.5-1.5B'],
  ])('%s of ms-swift', async (name, text) => {
    const command = `swift sft --model Qwen/Qwen2.5-0.5B --dataset d --max_length 512 ${text}\n`
    const reading = trainedBy(await readConfigAsync({ path: 'train.sh', text: command }, {}))
    expect(reading.unreadSettings?.map(each => each.name)).toEqual([name])
  })

  it('nothing of what changes none of it', () => {
    expect(namesIn(`${axolotl}plugins: [axolotl.integrations.liger.LigerPlugin]\nliger_rope: true\n`)).toBeUndefined()
    expect(namesIn(`${llamafactory}ref_model: Qwen/Qwen2.5-7B\n`)).toBeUndefined()
    expect(namesIn(`${torchtune}batch_size_val: 2\n`)).toBeUndefined()
  })
})

it.each([
  ['a teacher of TRL', `${trl}teacher_model_name_or_path: Qwen/Qwen2.5-7B\n`],
  [
    'a reward model beside functions',
    `${trl}num_generations: 2\nreward_funcs: [length]\nreward_model_name_or_path: a/b\n`,
  ],
])('%s is refused', (_, text) => {
  expect(codesOf(readConfig({ path: 'train.yaml', text }))).toBe('unsupported-training')
})
