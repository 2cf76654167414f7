// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
/** Commands of verl, and files of its settings. */
import { describe, expect, it } from 'vitest'
import { effectiveBatch } from '../../../engine/training/batches.ts'
import { problemsIn, read, trained } from './verl/readings.ts'

describe('supervised fine-tuning', () => {
  const sft =
    'torchrun --nproc_per_node=4 -m verl.trainer.fsdp_sft_trainer model.partial_pretrain=Qwen/Qwen2.5-0.5B-Instruct'

  it("has verl's defaults: float32 shards of FSDP2, checkpointed, samples padded to 1,024 tokens", async () => {
    const reading = await trained(sft)
    expect(reading).toMatchObject({
      dialect: 'verl',
      spec: {
        microBatch: 4,
        gradientAccumulation: 16,
        gpus: 4,
        sequenceLength: 1_024,
        paddedBatches: true,
        precision: 'bf16-master',
        optimizer: 'adamw',
        attention: 'flash',
        gradientCheckpointing: true,
        sharding: 'fsdp',
        fsdpVersion: 2,
        syncsEveryMicroBatch: true,
        loop: 'verl',
      },
    })
    expect(reading.batchSizeAt).toBeUndefined()
    expect(reading.assumesLength).toBeUndefined()
  })

  it("starts with what verl's own file says, which wraps layers of any size", async () => {
    const { spec } = await trained(
      `${sft} model.fsdp_config.wrap_policy.min_num_params=0 ulysses_sequence_parallel_size=1`,
    )
    expect(spec).toMatchObject({ microBatch: 4, sharding: 'fsdp' })
  })

  it("names nothing of adapters that verl's own file turns off", async () => {
    const { spec, unreadSettings } = await trained(`${sft} model.lora_rank=0 model.target_modules=all-linear`)
    expect(spec.lora).toBeUndefined()
    expect(unreadSettings).toBeUndefined()
  })

  it('accumulates what the whole batch needs, and says where the micro-batch stands', async () => {
    const reading = await trained(
      `${sft} \\\n  data.train_batch_size=64 \\\n  data.micro_batch_size_per_gpu=2 data.max_length=4096 model.strategy=fsdp`,
    )
    expect(reading.spec).toMatchObject({
      microBatch: 2,
      gradientAccumulation: 8,
      sequenceLength: 4_096,
      fsdpVersion: 1,
    })
    expect(reading.batchSizeAt).toEqual({ line: 3, column: 33 })
  })

  it('on GPUs that share every sample accumulates what a group of them needs', async () => {
    const { spec, assumptions } = await trained(
      `${sft} data.train_batch_size=64 data.max_length=4096 ulysses_sequence_parallel_size=2 use_remove_padding=true`,
    )
    expect(spec).toMatchObject({ microBatch: 4, gradientAccumulation: 8, gpus: 4, contextParallel: 2 })
    expect(spec).toMatchObject({ sequenceLength: 2_048, paddedBatches: false })
    expect(effectiveBatch(spec)).toBe(64)
    expect(assumptions.join(' ')).toContain('Each of 2 GPUs holds 2048 of the 4096 tokens of a sequence')
  })

  it('leaves the older size of micro-batches unread beside the newer', async () => {
    const both = `${sft} data.train_batch_size=64 data.micro_batch_size=32 data.micro_batch_size_per_gpu=2`
    expect((await trained(both)).spec).toMatchObject({ microBatch: 2, gradientAccumulation: 8 })
  })

  it('trains adapters where they have a rank, in the type of the weights', async () => {
    const { spec } = await trained(`${sft} model.lora_rank=32 +model.lora_alpha=16 model.target_modules=all-linear`)
    expect(spec.lora).toMatchObject({ rank: 32, dropout: 0, inWeightsType: true })
    expect((await trained(`${sft} model.lora_rank=0`)).spec.lora).toBeUndefined()
  })

  it.each([
    ['data.micro_batch_size=8', 'data.micro_batch_size unsupported-setting'],
    ['data.train_batch_size=30', 'data.train_batch_size batch-sizes-disagree'],
    ['ulysses_sequence_parallel_size=2', 'ulysses_sequence_parallel_size unsupported-setting'],
    ['ulysses_sequence_parallel_size=3 use_remove_padding=true', 'ulysses_sequence_parallel_size gpus-mismatch'],
    ['model.fsdp_config.cpu_offload=True', 'model.fsdp_config.cpu_offload unsupported-setting'],
    [
      'model.fsdp_config.wrap_policy.min_num_params=1000',
      'model.fsdp_config.wrap_policy.min_num_params unsupported-setting',
    ],
    ['model.strategy=megatron', 'model.strategy unsupported-setting'],
    ['optim.optimizer=AdamW8bit', 'optim.optimizer unsupported-setting'],
    ['model.fsdp_config.model_dtype=fp16', 'model.fsdp_config.model_dtype unsupported-setting'],
    ['+model.lora_adapter_path=runs/a', '+model.lora_adapter_path unsupported-setting'],
  ])('%s is refused by name', async (setting, problem) => {
    expect(await problemsIn(`${sft} ${setting}`)).toEqual([problem])
  })

  it("counts Liger's kernels as transformers' own, and says that this is too much", async () => {
    expect(await trained(`${sft} model.use_liger=True`)).toMatchObject({ countsTooMuch: true })
  })
})

const command =
  'python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.model.path=Qwen/Qwen2.5-0.5B-Instruct'
const batches = 'actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.rollout.n=4'
const grpo = `${command} ${batches} actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8`

describe("the actor's update", () => {
  it('is over so many sequences of prompt and response, of prompts times responses over the GPUs', async () => {
    const reading = await trained(
      `${grpo} data.max_prompt_length=256 data.max_response_length=$((1024 * 2)) trainer.n_gpus_per_node=4`,
    )
    expect(reading).toMatchObject({
      dialect: 'verl',
      // Padding is removed, so that what a batch holds is the data's to say.
      assumesLength: true,
      spec: {
        microBatch: 8,
        gradientAccumulation: 8,
        gpus: 4,
        sequenceLength: 2_304,
        paddedBatches: false,
        precision: 'bf16-master',
        sharding: 'fsdp',
        fsdpVersion: 1,
        loop: 'verl',
        gradientCheckpointing: true,
        method: { kind: 'online', reference: 'none', completionLength: 2_048, completions: 64, scored: 8 },
      },
    })
  })

  it('takes eight GPUs unless told otherwise, on so many machines', async () => {
    expect((await trained(grpo)).spec.gpus).toBe(8)
    expect((await trained(`CUDA_VISIBLE_DEVICES=0 ${grpo} trainer.nnodes=2`)).spec.gpus).toBe(16)
  })

  it('takes as many for assumed where a command asks the machine, and as its job asks for', async () => {
    const counts = `${grpo} trainer.n_gpus_per_node=$(nvidia-smi -L | wc -l)`
    const { spec, assumptions } = await trained(counts)
    expect(spec.gpus).toBe(8)
    expect(assumptions.join(' ')).toContain(
      '8 GPUs: the config divides the training among several but does not say how many',
    )
    expect((await trained(`#SBATCH --gres=gpu:2\n${counts} trainer.nnodes=1`)).spec.gpus).toBe(2)
    expect(await problemsIn(`${grpo} trainer.n_gpus_per_node=$((TOTAL / 2))`)).toEqual([
      'trainer.n_gpus_per_node not-in-file',
    ])
  })

  it('is the same in the DAPO recipe', async () => {
    const dapo = grpo.replace('verl.trainer.main_ppo', 'recipe.dapo.main_dapo')
    expect((await trained(dapo)).spec).toEqual((await trained(grpo)).spec)
  })

  it("by a trainer of the repository's own is refused by name", async () => {
    const own = grpo.replace('verl.trainer.main_ppo', 'agents.main_ppo')
    expect(await problemsIn(own)).toEqual(['actor_rollout_ref unsupported-training'])
  })

  it('asks nobody to understand what only counts with dynamic batches', async () => {
    const { unreadSettings } = await trained(`${grpo} actor_rollout_ref.actor.ppo_max_token_len_per_gpu=8192`)
    expect(unreadSettings).toBeUndefined()
  })

  it('is at its full length where sequences are padded', async () => {
    const reading = await trained(`${grpo} actor_rollout_ref.model.use_remove_padding=False`)
    expect(reading.spec).toMatchObject({ sequenceLength: 1_024, paddedBatches: true })
    expect(reading.assumesLength).toBeUndefined()
  })

  it('of all GPUs together, its micro-batch is divided among them', async () => {
    const reading = await trained(`${command} ${batches} actor_rollout_ref.actor.ppo_micro_batch_size=32`)
    expect(reading.spec).toMatchObject({ microBatch: 4, gradientAccumulation: 8 })
    expect(reading.batchSizeAt).toBeUndefined()
  })

  it('is in rows of so many tokens where the batch is dynamic', async () => {
    const dynamic = `${command} ${batches} actor_rollout_ref.actor.use_dynamic_bsz=True actor_rollout_ref.actor.ppo_max_token_len_per_gpu=8192`
    const { spec } = await trained(`${dynamic} actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu=16384`)
    expect(spec).toMatchObject({ microBatch: 1, gradientAccumulation: 4, sequenceLength: 8_192 })
    expect(spec.method).toMatchObject({ completions: 1, scored: 2 })
    expect(await problemsIn(`${dynamic} data.max_prompt_length=8192`)).toEqual([
      'actor_rollout_ref.actor.ppo_max_token_len_per_gpu out-of-range',
    ])
  })

  it.each([
    [4, 4],
    [8, undefined],
    [32, undefined],
    [-1, undefined],
  ])('with an fsdp_size of %i on eight GPUs is sharded over %s', async (size, shardedOver) => {
    const { spec } = await trained(`${grpo} actor_rollout_ref.actor.fsdp_config.fsdp_size=${size}`)
    expect(spec).toMatchObject({ gpus: 8, sharding: 'fsdp' })
    expect(spec.shardedOver).toBe(shardedOver)
  })

  it('divides every sequence among so many GPUs, which count as one in its batches', async () => {
    const ulysses = `${grpo} data.max_response_length=3584 actor_rollout_ref.actor.ulysses_sequence_parallel_size=4`
    const { spec } = await trained(`${ulysses} actor_rollout_ref.rollout.log_prob_micro_batch_size=32`)
    // 64 prompts of four responses each over two groups of GPUs; 32 sequences are scored at a time, 16 by each group.
    expect(spec).toMatchObject({ microBatch: 8, gradientAccumulation: 16, gpus: 8, contextParallel: 4 })
    expect(spec).toMatchObject({ sequenceLength: 1_024, method: { completions: 128, scored: 16 } })
    expect(effectiveBatch(spec)).toBe(256)
    const newer = ulysses.replace('actor.ulysses', 'actor.fsdp_config.ulysses')
    expect((await trained(newer)).spec).toMatchObject({ contextParallel: 4 })
    expect(await problemsIn(`${ulysses} trainer.n_gpus_per_node=2`)).toEqual([
      'actor_rollout_ref.actor.ulysses_sequence_parallel_size gpus-mismatch',
    ])
    expect(await problemsIn(`${ulysses} actor_rollout_ref.model.use_remove_padding=False`)).toEqual([
      'actor_rollout_ref.actor.ulysses_sequence_parallel_size unsupported-setting',
    ])
  })

  it('in rows, a group of GPUs that shares them holds as many tokens on each', async () => {
    const dynamic = `${command} ${batches} actor_rollout_ref.actor.use_dynamic_bsz=True actor_rollout_ref.actor.ppo_max_token_len_per_gpu=2048`
    const ulysses = `${dynamic} actor_rollout_ref.actor.ulysses_sequence_parallel_size=4`
    const { spec } = await trained(`${ulysses} data.max_response_length=7680`)
    // Each of two groups has 128 sequences of 8,192 tokens for a mini-batch, one to a row.
    expect(spec).toMatchObject({ microBatch: 1, gradientAccumulation: 128, sequenceLength: 2_048 })
    expect(spec.method).toMatchObject({ scored: 1 })
    const { spec: other } = await trained(
      `${ulysses} data.max_response_length=7680 actor_rollout_ref.actor.use_kl_loss=True actor_rollout_ref.ref.ulysses_sequence_parallel_size=2`,
    )
    // The reference's groups are half as large, so that each of their GPUs takes half of a sequence of 8,192 tokens.
    expect(other.method).toMatchObject({ scored: 2 })
  })

  it("is scored before in batches of its own, with the reference's if it has one", async () => {
    const { spec } = await trained(
      `${grpo} actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=16 actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu=32 actor_rollout_ref.actor.use_kl_loss=True`,
    )
    expect(spec.method).toMatchObject({ scored: 32 })
  })

  it('keeps what its layers are given on the host, where it is to', async () => {
    const offloads = `${grpo} actor_rollout_ref.model.enable_activation_offload=True`
    const { spec } = await trained(offloads)
    expect(spec).toMatchObject({ offloadsCheckpoints: true, reentrantCheckpoints: true, gradientCheckpointing: true })
    expect(await problemsIn(`${offloads} actor_rollout_ref.model.enable_gradient_checkpointing=False`)).toEqual([
      'actor_rollout_ref.model.enable_activation_offload unsupported-setting',
    ])
  })

  it('leaves vLLM its share while it sleeps, with what is offloaded on the host', async () => {
    const generation = async (settings: string) => {
      const { method } = (await trained(`${grpo} ${settings}`)).spec
      return method?.kind === 'online' ? method.generation : undefined
    }
    expect(await generation('actor_rollout_ref.rollout.gpu_memory_utilization=0.7')).toEqual({
      kind: 'vllm',
      share: 0.7,
      sleeps: true,
    })
    expect(await generation('actor_rollout_ref.rollout.free_cache_engine=False')).toEqual({
      kind: 'vllm',
      share: 0.5,
      sleeps: false,
    })
    expect(await generation('actor_rollout_ref.actor.fsdp_config.param_offload=True')).toMatchObject({
      movedOut: ['weights'],
    })
  })

  it.each([
    ['reward_model.enable=True', 'reward_model.enable unsupported-training'],
    ['actor_rollout_ref.actor.strategy=megatron', 'actor_rollout_ref.actor.strategy unsupported-setting'],
    ['actor_rollout_ref.rollout.name=hf', 'actor_rollout_ref.rollout.name unsupported-setting'],
    [
      'actor_rollout_ref.actor.entropy_coeff=0.001 actor_rollout_ref.actor.entropy_checkpointing=True',
      'actor_rollout_ref.actor.entropy_checkpointing unsupported-setting',
    ],
    ['actor_rollout_ref.actor.entropy_coeff=$COEFFICIENT', 'actor_rollout_ref.actor.entropy_coeff not-in-file'],
    ['actor_rollout_ref.model.use_fused_kernels=True', 'actor_rollout_ref.model.use_fused_kernels unsupported-setting'],
    ['actor_rollout_ref.actor.fsdp_config.fsdp_size=3', 'actor_rollout_ref.actor.fsdp_config.fsdp_size gpus-mismatch'],
    [
      'actor_rollout_ref.actor.fsdp_config.fsdp_size=1',
      'actor_rollout_ref.actor.fsdp_config.fsdp_size unsupported-setting',
    ],
    [
      'actor_rollout_ref.actor.fsdp_config.reshard_after_forward=False',
      'actor_rollout_ref.actor.fsdp_config.reshard_after_forward unsupported-setting',
    ],
    ['--config-name=ppo_megatron_trainer.yaml', '--config-name unsupported-setting'],
    [
      'actor_rollout_ref.actor.ppo_mini_batch_size=24',
      'actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu batch-sizes-disagree',
    ],
    [
      '+actor_rollout_ref.model.override_config.attn_implementation=eager',
      '+actor_rollout_ref.model.override_config.attn_implementation unsupported-setting',
    ],
  ])('%s is refused by name', async (setting, problem) => {
    expect(
      await problemsIn(`${grpo.replace('algorithm.adv_estimator=grpo', '')} algorithm.adv_estimator=grpo ${setting}`),
    ).toEqual([problem])
  })

  it.each(['actor_rollout_ref.actor.', 'actor_rollout_ref.actor.fsdp_config.'])(
    'computes entropies operation by operation where %suse_torch_compile is off',
    async section => {
      const compiled = await trained(`${grpo} ${section}use_torch_compile=True`)
      expect(compiled.spec).not.toHaveProperty('method.eagerEntropies')
      const { spec } = await trained(`${grpo} ${section}use_torch_compile=False`)
      expect(spec).toMatchObject({ method: { eagerEntropies: true } })
    },
  )

  it('counts the share of SGLang as of vLLM, and names it', async () => {
    const reading = await trained(`${grpo} actor_rollout_ref.rollout.name=sglang`)
    expect(reading.spec).toMatchObject({ method: { generation: { kind: 'vllm', sleeps: true } } })
    expect(reading.unreadSettings?.map(({ name }) => name)).toEqual(['actor_rollout_ref.rollout.name'])
    expect(reading.assumptions.join()).toContain('SGLang generates in 50 %')
  })

  it('of images counts the text, and the layers that read them train with the rest', async () => {
    const images = grpo.replace('Qwen2.5-0.5B-Instruct', 'Qwen2.5-VL-3B-Instruct')
    expect((await trained(images)).spec.trainsTowers).toBe(true)
    expect((await trained(`${images} actor_rollout_ref.actor.freeze_vision_tower=True`)).spec.trainsTowers).toBe(
      undefined,
    )
    expect((await trained(`${images} actor_rollout_ref.model.lora_rank=8`)).spec.trainsTowers).toBe(undefined)
  })

  it.each([
    ['unsloth/Llama-3.2-11B-Vision-Instruct', ''],
    [
      'Qwen/Qwen2.5-VL-3B-Instruct',
      ' algorithm.adv_estimator=gae critic.model.path=Qwen/Qwen2.5-VL-3B-Instruct critic.ppo_micro_batch_size_per_gpu=1',
    ],
  ])('of images is refused for %s%s', async (model, more) => {
    const images = grpo.replace('Qwen/Qwen2.5-0.5B-Instruct', model)
    expect(await problemsIn(`${images}${more}`)).toEqual(['actor_rollout_ref.model.path unsupported-training'])
  })

  it('takes responses as long as the rollout is set to, before the length of the data', async () => {
    const { spec } = await trained(`${grpo} actor_rollout_ref.rollout.response_length=1024`)
    expect(spec.sequenceLength).toBe(512 + 1024)
  })

  it.each(['trainer.val_only=True', '+trainer.val_only=true'])('is none with %s', async setting => {
    expect(await read(`${grpo} ${setting}`)).toMatchObject({ kind: 'not-a-training-config' })
  })

  it('is one with trainer.val_only=False', async () => {
    expect((await trained(`${grpo} trainer.val_only=False trainer.val_before_train=True`)).spec.microBatch).toBe(8)
  })

  it('without a size of micro-batches is left to whatever says one', async () => {
    expect(await read(`${command} ${batches}`)).toMatchObject({
      kind: 'not-a-training-config',
      why: expect.stringContaining('micro-batches'),
    })
  })
})

it('files of settings are read too, with references to other values of theirs', async () => {
  const text = [
    'data: { max_prompt_length: 512, max_response_length: 512 }',
    'actor_rollout_ref:',
    '  model: { path: Qwen/Qwen2.5-0.5B-Instruct, use_remove_padding: false }',
    '  actor:',
    '    ppo_mini_batch_size: 64',
    '    ppo_micro_batch_size_per_gpu: 2',
    '  rollout: { n: 2, log_prob_micro_batch_size_per_gpu: "${actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu}" }',
    'algorithm: { adv_estimator: rloo }',
    '',
  ].join('\n')
  const reading = await trained(text, 'config/rloo.yaml')
  expect(reading.batchSizeAt).toEqual({ line: 6, column: 35 })
  expect(reading.spec).toMatchObject({ microBatch: 2, gradientAccumulation: 8, gpus: 8, method: { scored: 2 } })
})

it("the file that verl's sft_trainer starts from is no training: the model is for a command to name", async () => {
  const base = `defaults: ['model@model: hf_model', 'engine@engine: fsdp', _self_]
data: { train_batch_size: 256, micro_batch_size_per_gpu: 4 }
trainer: { total_epochs: 4 }
`
  const text = base.replace(/'(\w+@\w+): (\w+)'/g, '{ $1: $2 }')
  expect(await read(text, 'verl/trainer/config/sft_trainer_engine.yaml')).toMatchObject({
    kind: 'not-a-training-config',
    why: expect.stringContaining('sft_trainer'),
  })
  const named = await read(`${text}model: { path: gpt2 }\n`, 'verl/trainer/config/sft_trainer_engine.yaml')
  expect(named).toMatchObject({ kind: 'unreadable', problems: [{ code: 'composed-by-hydra' }] })
})
