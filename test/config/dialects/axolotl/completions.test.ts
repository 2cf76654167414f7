import { describe, expect, it } from 'vitest'
import { onlyProblemIn, trainingConfig } from '../../readings.ts'

const base =
  'base_model: Qwen/Qwen2.5-1.5B-Instruct\nsequence_len: 1024\nmicro_batch_size: 2\ngradient_accumulation_steps: 8\n'
const lora = 'adapter: lora\nlora_r: 8\nlora_target_modules: [q_proj]\n'
const grpo = `${base}rl: grpo\ntrl:\n  max_completion_length: 256\n  num_generations: 4\n`

describe('completions that Axolotl learns from', () => {
  it('GRPO generates those of all micro-batches at once, and loads no reference while beta is 0', () => {
    expect(trainingConfig(grpo).spec).toMatchObject({
      method: {
        kind: 'online',
        reference: 'none',
        completionLength: 256,
        completions: 16,
        generation: { kind: 'transformers' },
        tempersInPlace: true,
        comparesFeatures: false,
      },
      sequenceLength: 1024,
      microBatch: 2,
    })
  })

  it.each([
    [`${grpo}  beta: 0.04\n`, 'copy'],
    [`${grpo}  beta: 0.04\n${lora}`, 'adapters-copy'],
    [`${grpo}  beta: 0.0\n`, 'none'],
    [`${grpo}rl_beta: 0.1\n`, 'copy'],
  ])('%j compares with: %s', (text, reference) => {
    expect(trainingConfig(text).spec.method).toMatchObject({ reference })
  })

  it.each([
    ['  use_vllm: true\n', { kind: 'server' }],
    ['  use_vllm: true\n  vllm_mode: server\n', { kind: 'server' }],
    ['  use_vllm: true\n  vllm_mode: colocate\n', { kind: 'vllm', share: 0.9, sleeps: false }],
    [
      '  use_vllm: true\n  vllm_mode: colocate\n  vllm_enable_sleep_mode: true\nvllm:\n  gpu_memory_utilization: 0.35\n',
      { kind: 'vllm', share: 0.35, sleeps: true },
    ],
  ])('%j is made by: %o', (text, generation) => {
    expect(trainingConfig(`${grpo}${text}`).spec.method).toMatchObject({ generation })
  })

  it("trl.use_liger_loss takes GRPO's loss of Liger, and EBFT has none", () => {
    const fusedIn = (text: string) => trainingConfig(`${text}  use_liger_loss: true\n`).spec.fusedLoss
    expect(fusedIn(grpo)).toBe(true)
    expect(fusedIn(grpo.replace('rl: grpo', 'rl: ebft'))).toBeUndefined()
  })

  it('generation_batch_size says how many completions are generated at once', () => {
    expect(trainingConfig(`${grpo}  generation_batch_size: 32\n`).spec.method).toMatchObject({ completions: 32 })
  })

  it('adapters over quantised weights are in 16 bits, as TRL casts them', () => {
    const reading = (text: string) => trainingConfig(`${grpo}${lora}${text}`).spec.lora
    expect(reading('load_in_4bit: true\n')?.inWeightsType).toBe(true)
    expect(reading('')?.inWeightsType).toBeUndefined()
  })

  it('GDPO, which differs in how it adds up rewards, holds what GRPO does', () => {
    const { method } = trainingConfig(grpo).spec
    expect(trainingConfig(grpo.replace('rl: grpo', 'rl: gdpo')).spec.method).toEqual(method)
  })

  it.each([
    ['', 'copy'],
    [lora, 'adapters-off'],
  ])('EBFT compares hidden states of the frozen model (%j: %s)', (text, reference) => {
    const ebft = grpo.replace('rl: grpo', 'rl: ebft\nebft:\n  embed_method: last_token')
    expect(trainingConfig(`${ebft}${text}`).spec.method).toMatchObject({ reference, comparesFeatures: true })
  })

  it("EBFT's strided mode is refused on its line", () => {
    const reading = onlyProblemIn(`${base}rl: ebft\nebft:\n  mode: strided\n`)
    expect(reading).toMatchObject({ code: 'unsupported-setting', message: expect.stringContaining('strided mode') })
  })

  it('a number of completions that prompts do not divide evenly would start on another number of GPUs', () => {
    const uneven = grpo.replace('num_generations: 4', 'num_generations: 6')
    const takes =
      'The trainer takes only multiples of 6 completions at a time, the number per prompt; 16 on one GPU is not one'
    const { spec, assumptions } = trainingConfig(uneven)
    expect(spec.method).toMatchObject({ kind: 'online', completions: 16 })
    expect(assumptions.join(' ')).toContain(`${takes}, so this runs on another number of GPUs: set gpus`)
    expect(trainingConfig(grpo).assumptions.join(' ')).not.toContain('multiples of')
  })

  it('a generation_batch_size that prompts do not divide evenly would not start on any', () => {
    const uneven = `${grpo.replace('num_generations: 4', 'num_generations: 6')}  generation_batch_size: 32\n`
    expect(onlyProblemIn(uneven)).toMatchObject({
      code: 'unsupported-setting',
      message: expect.stringContaining('so the training would not start'),
    })
  })

  it('a sequence_len without room for a prompt is the length of the prompt', () => {
    const { spec, assumptions } = trainingConfig(grpo.replace('sequence_len: 1024', 'sequence_len: 256'))
    expect(spec.sequenceLength).toBe(512)
    expect(assumptions).toContain(
      'Sequences of 512 tokens: prompts of up to sequence_len, and completions of up to 256.',
    )
  })

  it('more completions at a time than any GPU holds are refused', () => {
    const many = grpo.replace('gradient_accumulation_steps: 8', 'gradient_accumulation_steps: 1000000')
    expect(onlyProblemIn(many)).toMatchObject({ code: 'out-of-range', line: 5 })
  })

  it('a reward function holds nothing, a reward model of the Hub is refused', () => {
    expect(trainingConfig(`${grpo}  reward_funcs: [rewards.format_reward]\n`).spec.method?.kind).toBe('online')
    const problem = onlyProblemIn(`${grpo}  reward_funcs: [rewards.length, Skywork/Skywork-Reward-V2-Qwen3-0.6B]\n`)
    expect(problem).toMatchObject({ code: 'unsupported-training', line: 9 })
    expect(problem.message).toContain('Skywork/Skywork-Reward-V2-Qwen3-0.6B')
  })
})
