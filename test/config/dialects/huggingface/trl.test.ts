import { describe, expect, it } from 'vitest'
import { onlyProblemIn, trainingConfig } from '../../readings.ts'
import { bert, gpt2 } from './configs.ts'

describe('a recipe of TRL', () => {
  const recipe = `model_name_or_path: mistralai/Mistral-7B-v0.1
torch_dtype: bfloat16
attn_implementation: flash_attention_2
load_in_4bit: true
use_peft: true
lora_r: 32
lora_target_modules:
- q_proj
- v_proj
bf16: true
gradient_checkpointing: true
max_seq_length: 2048
optim: paged_adamw_32bit
per_device_train_batch_size: 4
`

  it('has adapters over 4-bit weights', () => {
    expect(trainingConfig(recipe).spec).toMatchObject({
      task: 'causal-lm',
      microBatch: 4,
      sequenceLength: 2048,
      precision: 'bf16',
      optimizer: 'paged-adamw',
      lora: { rank: 32, targets: ['q_proj', 'v_proj'], dropout: 0.05 },
      quantization: 'nf4',
      paddedBatches: false,
    })
  })

  it('quantises the constants too when it says so', () => {
    expect(trainingConfig(`${recipe}use_bnb_nested_quant: true\n`).spec.quantization).toBe('nf4-double')
  })

  it('without named layers adapts those that peft would', () => {
    const text = `${gpt2}use_peft: true\n`
    expect(trainingConfig(text).spec.lora).toEqual({ rank: 16, targets: ['c_attn'], dropout: 0.05 })
  })

  it('that names layers which the model lacks is refused', () => {
    expect(onlyProblemIn(`${gpt2}use_peft: true\nlora_target_modules: [q_proj]\n`)).toMatchObject({
      code: 'no-such-lora-target',
      line: 4,
      fix: 'Use some of c_attn, c_proj, c_fc.',
    })
  })

  it('without dtype and switches is trained under bf16 autocast, as TRL does', () => {
    expect(trainingConfig(`${gpt2}packing: true\n`).spec.precision).toBe('amp-bf16')
  })
})

describe("the recipe of one of TRL's trainers", () => {
  const smol = 'model_name_or_path: HuggingFaceTB/SmolLM2-135M\nper_device_train_batch_size: 2\n'
  const preference = { kind: 'preference', logProbabilities: 'trl', withCrossEntropy: false }

  it.each([
    ['max_prompt_length: 512', { ...preference, reference: 'copy' }],
    ['loss_type: apo_zero', { ...preference, reference: 'copy' }],
    ['beta: 0.1\nmax_length: 1024', { ...preference, reference: 'copy' }],
    ['max_prompt_length: 512\nprecompute_ref_log_probs: true', { ...preference, reference: 'none' }],
    ['max_prompt_length: 512\nuse_peft: true', { ...preference, reference: 'adapters-off' }],
    [
      'beta: 0.05\nmax_prompt_length: 512\noutput_dir: data/zephyr-orpo',
      { ...preference, reference: 'none', withCrossEntropy: true },
    ],
    ['simpo_gamma: 0.5', { ...preference, reference: 'none', withCrossEntropy: true }],
    ['desirable_weight: 1.0', { kind: 'kto', reference: 'copy', logProbabilities: 'trl' }],
  ])('%j trains on preferences, in bf16 and without dropout', (text, method) => {
    expect(trainingConfig(`${smol}${text}\n`).spec).toMatchObject({
      method,
      task: 'causal-lm',
      dropout: false,
      precision: 'amp-bf16',
    })
  })

  it('checkpoints gradients unless told otherwise, and it says so', () => {
    const reading = trainingConfig(`${smol}max_prompt_length: 512\n`)
    expect(reading.spec.gradientCheckpointing).toBe(true)
    expect(reading.assumptions).toContain("Gradient checkpointing, TRL's default: the config does not set it.")
    const without = trainingConfig(`${smol}max_prompt_length: 512\ngradient_checkpointing: false\n`)
    expect(without.spec.gradientCheckpointing).toBe(false)
  })

  it.each([
    ['configs/kto.yaml', { kind: 'kto', reference: 'copy', logProbabilities: 'trl' }],
    ['recipes/sft_config.yaml', undefined],
    ['recipes/sft/config_full.yaml', undefined],
    ['orpo/zephyr.yaml', { ...preference, reference: 'none', withCrossEntropy: true }],
    ['after-sft/dpo.yaml', { ...preference, reference: 'copy' }],
    ['recipes/sft-then-ipo.yaml', { ...preference, reference: 'copy' }],
    ['configs/presort.yaml', { ...preference, reference: 'copy' }],
  ])('is told by the name of %s where its keys are those of several', (path, method) => {
    expect(trainingConfig(`${smol}max_prompt_length: 512\n`, path).spec.method).toEqual(method)
  })

  it.each([
    ['kto.yaml', true],
    ['sft.yaml', undefined],
  ])('counts at least as much as the file named %s may take', (path, countsTooMuch) => {
    expect(trainingConfig(`${smol}max_prompt_length: 512\n`, path).countsTooMuch).toBe(countsTooMuch)
  })

  it('keeps to keys that only DPO has, and to an output that names it', () => {
    const methodOf = (line: string) => trainingConfig(`${smol}${line}\n`, 'sft.yaml').spec.method
    expect(methodOf('precompute_ref_log_probs: true')).toMatchObject({ kind: 'preference' })
    expect(methodOf('max_prompt_length: 512\noutput_dir: out/dpo')).toMatchObject({ kind: 'preference' })
  })

  it('asks for the completions of a method that is named so and generates them', () => {
    expect(onlyProblemIn(`${smol}max_prompt_length: 512\n`, 'scripts/grpo.yaml')).toMatchObject({
      code: 'not-in-file',
      line: 3,
      fix: 'Set num_generations and max_completion_length.',
    })
  })

  it('with center_rewards_coefficient trains a reward model of one label', () => {
    expect(trainingConfig(`${smol}center_rewards_coefficient: 0.01\n`).spec).toMatchObject({
      method: { kind: 'reward', head: 'score' },
      task: 'sequence-classification',
      labels: 1,
    })
  })

  it.each(['loss_type: nll', 'loss_type: focal', 'beta: 0.1'])('is not told by %s alone', text => {
    expect(trainingConfig(`${smol}${text}\n`).spec.method).toBeUndefined()
  })

  it('cannot train an encoder on preferences', () => {
    expect(onlyProblemIn(`${bert}max_prompt_length: 512\n`).code).toBe('unsupported-task')
  })
})
