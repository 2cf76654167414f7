/** What of a critic is counted beside the actor, and which critics are refused. */
import { describe, expect, it } from 'vitest'
import { problemsIn, trained } from './readings.ts'

describe("PPO's critic", () => {
  const path = 'Qwen/Qwen2.5-0.5B-Instruct'
  const ppo = `python -m verl.trainer.main_ppo trainer.n_gpus_per_node=8 actor_rollout_ref.model.path=${path} \\
  actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8 critic.model.path=${path}`
  const sequences = 'critic.ppo_micro_batch_size_per_gpu=4'
  const offload = (model: string) => `${model}.param_offload=True ${model}.optimizer_offload=True`
  const own = offload('critic.model.fsdp_config')
  const rows = `actor_rollout_ref.actor.use_dynamic_bsz=True actor_rollout_ref.actor.ppo_max_token_len_per_gpu=32768`

  it.each([
    [sequences, ['weights', 'optimizerState']],
    [`${sequences} ${own} ${offload('actor_rollout_ref.actor.fsdp_config')}`, []],
    [`critic.ppo_micro_batch_size=64 critic.strategy=fsdp`, ['weights', 'optimizerState']],
    [`${rows} critic.model.use_remove_padding=True`, ['weights', 'optimizerState']],
  ])('of the same model, with %s, holds %j during the update of the actor', async (settings, criticHolds) => {
    const { spec, assumptions, countsTooMuch } = await trained(`${ppo} ${settings}`)
    expect(spec.method).toMatchObject({ kind: 'online', criticHolds })
    expect(countsTooMuch).toBe(true)
    expect(assumptions.join(' ')).toContain("The critic is taken to share the actor's GPUs")
  })

  it("of the actor's model has its path, also one whose beginning only a run can tell", async () => {
    const local = ppo.replaceAll(path, '"$HOME/models/Qwen2.5-0.5B-Instruct"')
    const { spec } = await trained(`${local} ${sequences}`)
    expect(spec).toMatchObject({ microBatch: 8, method: { criticHolds: ['weights', 'optimizerState'] } })
    const other = `${local} ${sequences} critic.model.path=$HOME/models/Qwen2.5-1.5B`
    expect(await problemsIn(other)).toEqual(['critic.model.path unsupported-training'])
  })

  it.each([
    ['critic.model.path=Qwen/Qwen2.5-1.5B', 'critic.model.path unsupported-training'],
    [
      'critic.model.enable_gradient_checkpointing=False',
      'critic.model.enable_gradient_checkpointing unsupported-setting',
    ],
    ['critic.ppo_micro_batch_size_per_gpu=16', 'critic.ppo_micro_batch_size_per_gpu unsupported-training'],
    ['critic.forward_micro_batch_size_per_gpu=16', 'critic.forward_micro_batch_size_per_gpu unsupported-training'],
    ['critic.strategy=fsdp2', 'critic.strategy unsupported-training'],
    [
      'actor_rollout_ref.actor.fsdp_config.model_dtype=bf16',
      'actor_rollout_ref.actor.fsdp_config.model_dtype unsupported-training',
    ],
    ['critic.ulysses_sequence_parallel_size=2', 'critic.ulysses_sequence_parallel_size unsupported-training'],
    [`critic.model.fsdp_config.param_offload=True`, 'critic.model.fsdp_config.param_offload unsupported-setting'],
    ['critic.model.lora_rank=8', 'critic.model.lora_rank unsupported-training'],
    [
      'actor_rollout_ref.model.enable_activation_offload=True',
      'actor_rollout_ref.model.enable_activation_offload unsupported-training',
    ],
    ['critic.use_dynamic_bsz=True', 'critic.use_dynamic_bsz unsupported-training'],
    [
      `${rows} critic.model.use_remove_padding=True critic.ppo_max_token_len_per_gpu=65536`,
      'critic.ppo_max_token_len_per_gpu unsupported-training',
    ],
    [rows, 'actor_rollout_ref.actor.use_dynamic_bsz unsupported-training'],
  ])('may take more than the actor with %s', async (settings, problem) => {
    expect(await problemsIn(`${ppo} ${sequences} ${settings}`)).toEqual([problem])
  })

  it('needs a micro-batch', async () => {
    expect(await problemsIn(`${ppo} algorithm.adv_estimator=gae`)).toEqual(['algorithm.adv_estimator missing'])
  })
})
