/** Tools whose trainings are told, and refused by name. */
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../engine/config/read.ts'
import { onlyProblemIn } from '../readings.ts'

const litgpt = 'checkpoint_dir: checkpoints/microsoft/phi-2\ntrain: { global_batch_size: 8, micro_batch_size: 2 }\n'

describe('a config of a tool that is not modelled', () => {
  it.each([
    ['LitGPT', litgpt, 'train.micro_batch_size'],
    ['verl', 'actor_rollout_ref: { actor: { ppo_mini_batch_size: 64 } }\n', 'actor_rollout_ref'],
    ['verl', 'model: { partial_pretrain: Qwen/Qwen2.5-0.5B }\n', 'model.partial_pretrain'],
    [
      'NeMo AutoModel',
      'model: { _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained }\nstep_scheduler: { local_batch_size: 1 }\n',
      'step_scheduler.local_batch_size',
    ],
    [
      'NeMo RL',
      'policy: { model_name: gpt2, train_global_batch_size: 8, train_micro_batch_size: 2 }\n',
      'policy.train_micro_batch_size',
    ],
  ])('of %s is refused by that name, where its training is set', (name, text, field) => {
    const problem = onlyProblemIn(text)
    expect(problem).toMatchObject({ code: 'unsupported-training', field })
    expect(problem.message).toMatch(new RegExp(`^${name} .* not modelled yet$`))
  })
})

describe('is none of them', () => {
  it.each([
    ['batches of a team’s own loop', litgpt.replace(/checkpoint.*\n/, '')],
    ['a served policy', 'policy: { model_name: gpt2, max_new_tokens: 8 }\n'],
    ['the address of a service', 'actor_rollout_ref: http://rollouts:8080\n'],
    ['a scheduler of batches', 'model: { _target_: my.Model }\nstep_scheduler: { local_batch_size: 1 }\n'],
  ])('%s', (_, text) => {
    const reading = readConfig({ path: 'train.yaml', text })
    expect(reading.kind).toBe('not-a-training-config')
    expect(reading).not.toMatchObject({ why: expect.stringContaining('LitGPT') })
  })
})
