import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../../engine/config/read.ts'
import { batchBounds } from '../../../../engine/training/batches.ts'
import { onlyProblemIn, trainingConfig } from '../../readings.ts'

const base =
  'model_name_or_path: Qwen/Qwen2.5-1.5B-Instruct\nper_device_train_batch_size: 4\ngradient_accumulation_steps: 4\n'
const grpo = `${base}num_generations: 8\nmax_prompt_length: 256\nmax_completion_length: 768\nreward_funcs: [accuracy, format]\n`

// Before 0.17 the completions of one micro-batch have to be whole groups.
const ofFour = grpo.replace('num_generations: 8', 'num_generations: 4')

describe("arguments of TRL's GRPOTrainer", () => {
  it('make a sequence of the longest prompt and the longest answer', () => {
    const { spec } = trainingConfig(grpo)
    expect(spec).toMatchObject({ sequenceLength: 1024, task: 'causal-lm', gradientCheckpointing: true })
    expect(spec.method).toEqual({
      kind: 'online',
      reference: 'none',
      completionLength: 768,
      completions: 16,
      generation: { kind: 'transformers' },
      tempersInPlace: false,
      comparesFeatures: false,
    })
  })

  it('count completions only under their own name: train_batch_size is a key that a team’s script reads', () => {
    const own = grpo.replace('per_device_train_batch_size', 'train_batch_size')
    expect(onlyProblemIn(own)).toMatchObject({ code: 'open-batch-unit', line: 2, field: 'train_batch_size' })
  })

  it('are read without the lengths too: 512 tokens each', () => {
    expect(trainingConfig(`${base}num_generations: 8\n`).spec).toMatchObject({
      sequenceLength: 1024,
      method: { completionLength: 512 },
    })
  })

  it.each([
    ['use_vllm: true\n', { kind: 'vllm', share: 0.3, sleeps: false }],
    ['use_vllm: true\nvllm_gpu_memory_utilization: 0.5\nvllm_enable_sleep_mode: true\n', { share: 0.5, sleeps: true }],
    ['use_vllm: true\nvllm_mode: server\n', { kind: 'server' }],
    // TRL before 0.18 put vLLM on the GPU after those that train.
    ['use_vllm: true\nvllm_device: auto\nvllm_gpu_memory_utilization: 0.7\n', { kind: 'server' }],
    ['use_vllm: true\nvllm_device: cuda:3\n', { kind: 'server' }],
    ['use_vllm: true\nvllm_device: cuda:0\n', { kind: 'vllm', share: 0.3 }],
    ['use_vllm: true\nvllm_max_model_len: 4096\n', { kind: 'server' }],
  ])('%j is made by: %o', (text, generation) => {
    const newest = grpo.replace('max_prompt_length: 256\n', '')
    expect(trainingConfig(`${newest}${text}`).spec.method).toMatchObject({ generation })
  })

  it.each(['async_generation_timeout: 400.0', 'num_batches_ahead: 1'])(
    "beside %s are verifiers', which has a server",
    own => {
      const { spec, assumptions } = trainingConfig(`${grpo}${own}\n`)
      expect(spec.method).toMatchObject({ generation: { kind: 'server' } })
      expect(assumptions).toContainEqual(expect.stringContaining(`which alone takes ${own.split(':')[0]} (line 8)`))
    },
  )

  it('with max_prompt_length are those of TRL before 0.28, whose vLLM is a server unless told otherwise', () => {
    const { spec, assumptions } = trainingConfig(`${grpo}use_vllm: true\n`)
    expect(spec.method).toMatchObject({ generation: { kind: 'server' } })
    expect(assumptions).toContain(
      'vLLM generates on a GPU that does not train, as TRL before 0.28 does by default, which alone takes max_prompt_length (line 5); a machine with one GPU shares it.',
    )
    const colocated = trainingConfig(`${grpo}use_vllm: true\nvllm_mode: colocate\n`).spec.method
    expect(colocated).toMatchObject({ generation: { kind: 'vllm' } })
  })

  it.each([
    ['beta: 0.04\n', 'copy'],
    ['beta: 0.04\nuse_peft: true\nlora_r: 16\nlora_target_modules: [q_proj]\n', 'adapters-off'],
    ['normalize_advantages: true\n', 'copy'],
    ['normalize_advantages: true\nbeta: 0\n', 'none'],
    ['kl_beta: 0.04\n', 'copy'],
    ['kl_coef: 0.0\n', 'none'],
  ])('%j compares with: %s', (text, reference) => {
    expect(trainingConfig(`${grpo}${text}`).spec.method).toMatchObject({ reference })
  })

  it('hold adapters over quantised weights in 16 bits', () => {
    const qlora = 'use_peft: true\nlora_r: 16\nlora_target_modules: [q_proj]\nload_in_4bit: true\n'
    expect(trainingConfig(`${grpo}${qlora}`).spec.lora?.inWeightsType).toBe(true)
    expect(
      trainingConfig(`${grpo}${qlora.replace('load_in_4bit: true\n', '')}`).spec.lora?.inWeightsType,
    ).toBeUndefined()
  })

  it.each([
    ['use_liger_kernel: true\n', '1.13', true],
    ['use_liger_loss: true\n', '0.19', true],
    // Its kernels alone: before TRL had the loss, and while another key turned it on.
    ['use_liger_kernel: true\n', '0.16', undefined],
    ['use_liger_kernel: true\n', '0.24', undefined],
    ['normalize_advantages: true\nuse_liger_kernel: true\n', '1.13', undefined],
  ])('%j in TRL %s takes the loss of Liger: %s', async (text, version, fused) => {
    const supplied = { versions: [{ library: 'trl', version, place: 'settings' }] } as const
    const reading = await readConfigAsync({ path: 'train.yaml', text: `${ofFour}${text}` }, {}, supplied)
    expect(reading).toMatchObject({ kind: 'training-config' })
    expect(reading.kind === 'training-config' && reading.spec.fusedLoss).toBe(fused)
  })

  it.each([
    ['0.16', 4, /^The completions of each micro-batch are generated/],
    ['0.17', 16, /^Recommendations keep the effective batch/],
  ])('TRL %s generates %d at once', async (version, completions, told) => {
    const supplied = { versions: [{ library: 'trl', version, place: 'settings' }] } as const
    const reading = await readConfigAsync({ path: 'train.yaml', text: ofFour }, {}, supplied)
    if (reading.kind !== 'training-config') throw new Error('not a training config')
    expect(reading.spec.method).toMatchObject({ completions })
    expect(batchBounds(reading.spec)).toEqual({ dividend: 16, accumulates: true })
    expect(reading.assumptions).toContainEqual(expect.stringMatching(told))
  })

  it('are of up to 256 tokens before TRL 1.10 where none says how many', async () => {
    const text = `${base}num_generations: 8\n`
    const sources = {
      readFile: async (path: string) => (path === 'requirements.txt' ? 'trl==1.9.0\n' : undefined),
      listFolder: async () => ['requirements.txt'],
    }
    const reading = await readConfigAsync({ path: 'train.yaml', text }, sources)
    expect(reading).toMatchObject({ spec: { sequenceLength: 768, method: { completionLength: 256 } } })
  })

  it('would not start with a part of a group', () => {
    const text = grpo.replace('num_generations: 8', 'num_generations: 32')
    const refused = { code: 'unsupported-setting', field: 'num_generations' }
    expect(onlyProblemIn(`${text}num_processes: 1\n`)).toMatchObject(refused)
    expect(trainingConfig(text).assumptions.join(' ')).toContain('so this runs on another number of GPUs')
    expect(trainingConfig(`${text}num_processes: 2\n`).spec.method).toMatchObject({ completions: 16 })
  })

  it('TRL 0.14 counts prompts, which is refused', async () => {
    const supplied = { versions: [{ library: 'trl', version: '0.14.0', place: 'settings' }] } as const
    const reading = await readConfigAsync({ path: 'train.yaml', text: grpo }, {}, supplied)
    const refused = { code: 'unsupported-training', message: expect.stringContaining('TRL before 0.15') }
    expect(reading).toMatchObject({ problems: [refused] })
  })

  it('the generation batch is divided among the GPUs', () => {
    const { method } = trainingConfig(`${grpo}num_processes: 2\ngeneration_batch_size: 64\n`).spec
    expect(method).toMatchObject({ completions: 32 })
  })

  it('are not what lengths of an answer alone give away: DPO had those too', () => {
    const dpo = `${base}max_prompt_length: 512\nmax_completion_length: 512\nbeta: 0.1\n`
    expect(trainingConfig(dpo).spec.method?.kind).toBe('preference')
  })

  it('beside a judge are online DPO’s, which is refused', () => {
    expect(onlyProblemIn(`${base}use_vllm: true\njudge: pair_rm\n`).code).toBe('unsupported-training')
  })

  it('steps of a generation that are not those of the accumulation are refused', () => {
    expect(trainingConfig(`${grpo}steps_per_generation: 4\n`).spec.method).toMatchObject({ completions: 16 })
    expect(trainingConfig(`${grpo}steps_per_generation: 1\n`).spec.method).toMatchObject({
      completions: 4,
      ofEachBatch: true,
    })
    const problem = onlyProblemIn(`${grpo}steps_per_generation: 8\n`)
    expect(problem).toMatchObject({ code: 'unsupported-setting', line: 8 })
  })
})
