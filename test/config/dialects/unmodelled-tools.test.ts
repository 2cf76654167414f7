/** Tools whose trainings are told, and refused by name. */
import { describe, expect, it } from 'vitest'
import { readConfig, readConfigAsync } from '../../../engine/config/read.ts'
import { onlyProblemIn } from '../readings.ts'

describe('a config of a tool that is not modelled', () => {
  it.each([
    [
      'NeMo',
      'trainer: { devices: 8 }\nexp_manager: { name: gpt }\nmodel: { micro_batch_size: 2, global_batch_size: 64, tensor_model_parallel_size: 1 }\n',
      'model.micro_batch_size',
    ],
    ['NeMo', 'trainer: { devices: 8 }\nmodel: { mcore_gpt: true, micro_batch_size: 2 }\n', 'model.micro_batch_size'],
    [
      'NeMo AutoModel',
      'model: { _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained }\nstep_scheduler: { local_batch_size: 1 }\n',
      'step_scheduler.local_batch_size',
    ],
    [
      'GPT-NeoX',
      '{ "pipe-parallel-size": 1, "hidden-size": 768, "num-layers": 12, "train_micro_batch_size_per_gpu": 4, "zero_optimization": { "stage": 1 } }\n',
      'train_micro_batch_size_per_gpu',
    ],
    [
      'Tinker',
      'model_name: Qwen/Qwen3-8B\nbatch_size: 32\nlearning_rate: 5.0e-4\ntrain_on_what: all_assistant_messages\n',
      'batch_size',
    ],
    [
      'mlx-lm',
      'model: mlx-community/gemma-3-4b-it-4bit\ntrain: true\nfine_tune_type: lora\nnum_layers: 16\nbatch_size: 4\niters: 600\nlearning_rate: 1.0e-5\nlora_parameters: { rank: 8 }\n',
      'batch_size',
    ],
    [
      'mlx-lm',
      'model: mistralai/Mistral-7B-v0.1\nbatch_size: 4\niters: 1000\nsteps_per_report: 10\nlearning_rate: 1.0e-5\n',
      'batch_size',
    ],
    [
      'mlx-lm',
      'model: Qwen/Qwen2.5-0.5B-Instruct\nadapter_path: out\nbatch_size: 2\niters: 300\ngrad_checkpoint: true\nlearning_rate: 1.0e-5\n',
      'batch_size',
    ],
    [
      'leap-finetune',
      'model_name: LFM2-1.2B\ntraining_type: sft\ntraining_config: { extends: DEFAULT_SFT, per_device_train_batch_size: 2 }\npeft_config: { extends: DEFAULT_LORA, use_peft: true }\n',
      'training_config.per_device_train_batch_size',
    ],
    ['torchforge', 'model: { flavor: 8B }\ntraining: { local_batch_size: 1 }\n', 'training.local_batch_size'],
  ])('of %s is refused by that name, where its training is set', (name, text, field) => {
    const problem = onlyProblemIn(text)
    expect(problem).toMatchObject({ code: 'unsupported-training', field })
    expect(problem.message).toMatch(new RegExp(`^${name} .* not modelled yet$`))
  })
})

describe('is none of them', () => {
  it.each([
    ['batches of a team’s own loop', 'train: { global_batch_size: 8, micro_batch_size: 2 }\n'],
    ['a served policy', 'policy: { model_name: gpt2, max_new_tokens: 8 }\n'],
    ['the address of a service', 'actor_rollout_ref: http://rollouts:8080\n'],
    ['sizes of a network beside a pipeline', 'hidden_size: 768\npipe_parallel_size: 1\nbatch: 4\n'],
    [
      'a kind of training beside settings of a team’s own',
      'training_type: sft\ntraining_config: { extends: base.yaml }\n',
    ],
    ['checkpoints of a solver', 'model: heat-1d\nbatch_size: 4\niters: 300\nsave_every: 50\n'],
    ['a scheduler of batches', 'model: { _target_: my.Model }\nstep_scheduler: { local_batch_size: 1 }\n'],
  ])('%s', (_, text) => {
    const reading = readConfig({ path: 'train.yaml', text })
    expect(reading.kind).toBe('not-a-training-config')
    expect(reading).not.toMatchObject({ why: expect.stringMatching(/NeMo(?! RL)|torchforge/) })
  })
})

describe('a launcher of LLaVA', () => {
  const launched = (more: string) =>
    readConfigAsync(
      {
        path: 'scripts/finetune.sh',
        text: `deepspeed llava/train/train_mem.py --model_name_or_path lmsys/vicuna-7b-v1.5 --bf16 True ${more} --per_device_train_batch_size 16\n`,
      },
      {},
    )

  it('is refused by that name: what its code joins and what it trains are not in the arguments', async () => {
    const joined = '--mm_projector_type mlp2x_gelu'
    for (const tower of [
      '--vision_tower openai/clip-vit-large-patch14-336',
      '--video_tower ./tower',
      '--image_tower t',
    ])
      expect(await launched(`${tower} ${joined}`)).toMatchObject({
        kind: 'unreadable',
        problems: [{ code: 'unsupported-training', message: expect.stringMatching(/^LLaVA /), line: 1 }],
      })
    expect((await launched('--model_max_length 2048')).kind).toBe('training-config')
  })
})
