/** Files of verl's own settings: of earlier releases, and copies that a repository has. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../../engine/config/read.ts'
import { problemsIn, trained } from './readings.ts'

/** What the files below say, for a command that says nothing of it. */
const ofFile = {
  microBatch: 4,
  gradientAccumulation: 2,
  sequenceLength: 1_024,
  paddedBatches: true,
  gradientCheckpointing: false,
  method: { completionLength: 768, scored: 8 },
}

describe("verl's own file of before 0.3", () => {
  const file = (
    samples: number,
  ) => `data: { train_batch_size: 256, micro_batch_size: ${samples}, max_length: 512, balance_dp_token: False }
model:
  partial_pretrain: ~/models/gemma-1.1-7b-it
  fsdp_config: { wrap_policy: { min_num_params: 0 }, cpu_offload: False, offload_params: False }
  enable_gradient_checkpointing: False
`

  it("counts a micro-batch's samples on all GPUs, and shards by FSDP's first version", async () => {
    const reading = await trained(file(32), 'verl/trainer/config/sft_trainer.yaml')
    expect(reading.spec).toMatchObject({
      microBatch: 4,
      gradientAccumulation: 8,
      gpus: 8,
      sequenceLength: 512,
      gradientCheckpointing: false,
      sharding: 'fsdp',
      fsdpVersion: 1,
      precision: 'bf16-master',
    })
    expect(reading.batchSizeAt).toBeUndefined()
  })

  it('does not say what a command makes of both sizes of micro-batches', async () => {
    const text = `torchrun --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer model.partial_pretrain=gpt2 data.micro_batch_size=8 data.micro_batch_size_per_gpu=1`
    const reading = await readConfigAsync(
      { path: 'run.sh', text },
      { readFile: async path => (path === 'verl/trainer/config/sft_trainer.yaml' ? file(32) : undefined) },
    )
    expect(reading).toMatchObject({
      kind: 'unreadable',
      problems: expect.arrayContaining([expect.objectContaining({ code: 'unsupported-setting' })]),
    })
  })

  it('leaves the older of both unread where the copy counts on each GPU', async () => {
    const text = `torchrun --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer model.partial_pretrain=gpt2 data.micro_batch_size=2`
    const newer = file(32).replace('micro_batch_size: 32', 'micro_batch_size: null, micro_batch_size_per_gpu: 4')
    const reading = await readConfigAsync(
      { path: 'run.sh', text },
      { readFile: async path => (path === 'verl/trainer/config/sft_trainer.yaml' ? newer : undefined) },
    )
    expect(reading).toMatchObject({ kind: 'training-config', spec: { microBatch: 4, fsdpVersion: 1 } })
  })

  it('starts only where every GPU has as many', async () => {
    const path = 'verl/trainer/config/sft_trainer.yaml'
    await expect(problemsIn(file(12), path)).resolves.toEqual(['data.micro_batch_size batch-sizes-disagree'])
  })
})

describe("a copy of verl's file in the repository", () => {
  const own = `data: {max_prompt_length: 256, max_response_length: 768}
actor_rollout_ref:
  model: {use_remove_padding: False, enable_gradient_checkpointing: False}
  actor: {ppo_mini_batch_size: 16, use_dynamic_bsz: False, entropy_coeff: 0}
  rollout: {log_prob_use_dynamic_bsz: '\${actor_rollout_ref.actor.use_dynamic_bsz}', log_prob_micro_batch_size_per_gpu: 8}
`
  const command = `python -m verl.trainer.main_ppo algorithm.adv_estimator=grpo trainer.n_gpus_per_node=2 \\
  actor_rollout_ref.model.path=Qwen/Qwen2.5-0.5B-Instruct actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4`
  const readIn = (file: string, given = command, folder = '') =>
    readConfigAsync(
      { path: `${folder}scripts/grpo.sh`, text: given },
      { readFile: async path => (path === `${folder}verl/trainer/config/ppo_trainer.yaml` ? file : undefined) },
    )

  it.each(['', 'projects/agent/'])('says what the command leaves out, below "%s"', async folder => {
    const reading = await readIn(own, command, folder)
    expect(reading).toMatchObject({
      kind: 'training-config',
      spec: ofFile,
      // The code of the copy may differ too.
      assumesCode: true,
      otherFiles: [{ path: `${folder}verl/trainer/config/ppo_trainer.yaml` }],
    })
  })

  it('refers to what the command sets', async () => {
    const dynamic = `${command} actor_rollout_ref.model.use_remove_padding=True actor_rollout_ref.actor.use_dynamic_bsz=True actor_rollout_ref.actor.ppo_max_token_len_per_gpu=4096`
    expect(await readIn(own, dynamic)).toMatchObject({ spec: { sequenceLength: 4_096, method: { scored: 1 } } })
  })

  it('is passed over where it is composed of others', async () => {
    const composed = `defaults: [{actor@actor_rollout_ref.actor: dp_actor}, _self_]\n${own}`
    const reading = await readIn(composed)
    expect(reading).toMatchObject({ spec: { paddedBatches: false, gradientCheckpointing: true } })
  })

  it('computes entropies, whatever the command sets, where they are its default', async () => {
    const zero = `${command} actor_rollout_ref.actor.entropy_coeff=0`
    expect(await readIn(own, zero)).not.toHaveProperty('spec.method.entropies')
    const older = await readIn(own.replace('entropy_coeff: 0', 'entropy_coeff: 0.001'), zero)
    expect(older).toMatchObject({ kind: 'training-config', spec: { method: { entropies: 'always' } } })
  })
})

describe("a trainer of the repository's own around verl's", () => {
  const script = (config: string) => `import hydra
from agent.verl.trainer.ppo.ray_trainer import RayAgentTrainer

@hydra.main(config_path='config', config_name='${config}', version_base=None)
def main(config):
    RayAgentTrainer(config).fit()
`
  const settings = `data: {max_prompt_length: 256, max_response_length: 768}
actor_rollout_ref:
  model: {use_remove_padding: False, enable_gradient_checkpointing: False}
  actor: {ppo_mini_batch_size: 16, entropy_coeff: 0}
  rollout: {log_prob_micro_batch_size_per_gpu: 8}
`
  const command = `python3 -m agent.verl.main algorithm.adv_estimator=grpo trainer.n_gpus_per_node=2 \\
  actor_rollout_ref.model.path=Qwen/Qwen2.5-0.5B-Instruct actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4`
  const readIn = (files: Readonly<Record<string, string>>, given = command) =>
    readConfigAsync({ path: 'scripts/run/grpo.sh', text: given }, { readFile: async path => files[path] })
  const [main, folder] = ['agent/verl/main.py', 'agent/verl/config']

  it('is read as verl, by the file that Hydra takes, and blocks nothing', async () => {
    const reading = await readIn({ [main]: script('trainer'), [`${folder}/trainer.yaml`]: settings })
    expect(reading).toMatchObject({
      kind: 'training-config',
      spec: ofFile,
      assumesCode: true,
      assumptions: expect.arrayContaining([expect.stringContaining(`what ${main} sets itself is not`)]),
      otherFiles: expect.arrayContaining([expect.objectContaining({ path: `${folder}/trainer.yaml` })]),
    })
  })

  it("inherits from verl's own settings", async () => {
    const inheriting = `hydra: {searchpath: ['pkg://verl.trainer.config']}\ndefaults: [ppo_trainer, _self_]\n${settings}`
    const files = { [main]: script('trainer'), [`${folder}/trainer.yaml`]: inheriting }
    const spec = { microBatch: 4, gradientAccumulation: 2, sequenceLength: 1_024, gradientCheckpointing: false }
    expect(await readIn(files)).toMatchObject({ kind: 'training-config', spec })
    const whole = {
      ...files,
      'verl/trainer/config/ppo_trainer.yaml': 'actor_rollout_ref: {actor: {ppo_mini_batch_size: 8}}',
    }
    expect(await readIn(whole)).toMatchObject({ kind: 'training-config', spec })
  })

  it("inherits what it does not write of verl's actor", async () => {
    const files = {
      [main]: script('trainer'),
      [`${folder}/trainer.yaml`]: 'defaults: [ppo_trainer, _self_]\ntrainer: {hints: 2}',
    }
    const scored = `${command} actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=8 actor_rollout_ref.actor.ppo_mini_batch_size=16`
    const spec = { microBatch: 4, gradientAccumulation: 2, sequenceLength: 1_024, gradientCheckpointing: true }
    expect(await readIn(files, scored)).toMatchObject({ kind: 'training-config', spec, assumesCode: true })
    const alone = { ...files, [`${folder}/trainer.yaml`]: 'trainer: {hints: 2}' }
    expect(await readIn(alone, scored)).toMatchObject({ kind: 'unreadable' })
  })

  it('is found in the project that holds its launcher', async () => {
    const files: Readonly<Record<string, string>> = {
      [`project/rl/${main}`]: script('trainer'),
      [`project/rl/${folder}/trainer.yaml`]: settings,
    }
    const launcher = { path: 'project/rl/recipes/own/grpo.sh', text: command }
    const reading = await readConfigAsync(launcher, { readFile: async path => files[path] })
    expect(reading).toMatchObject({ kind: 'training-config', spec: ofFile })
  })

  it.each([
    ['without its script', {}],
    ['without its settings', { [main]: script('trainer') }],
    [
      'by settings composed of other files',
      { [main]: script('trainer'), [`${folder}/trainer.yaml`]: `defaults: [mine, _self_]\n${settings}` },
    ],
    [
      "by another trainer than verl's",
      { [main]: script('trainer').replaceAll('verl', 'own'), [`${folder}/trainer.yaml`]: settings },
    ],
  ])('is refused %s', async (_, files) => {
    expect(await readIn(files)).toMatchObject({ kind: 'unreadable', problems: [{ code: 'unsupported-training' }] })
  })

  it('is refused where the command names other settings', async () => {
    const files = { [main]: script('trainer'), [`${folder}/trainer.yaml`]: settings }
    const reading = await readIn(files, `${command} --config-name=other`)
    expect(reading).toMatchObject({ kind: 'unreadable' })
  })
})
