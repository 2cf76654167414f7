import { describe, expect, it } from 'vitest'
import { findModel } from '../../../../engine/models/catalogue.ts'
import { onlyProblemIn, trainingConfig } from '../../readings.ts'
import { bert, gpt2 } from './configs.ts'

describe('a config of the Trainer', () => {
  it('becomes a spec', () => {
    const text = `${bert}gradient_accumulation_steps: 8
max_seq_length: 128
bf16: true
optim: adamw_torch
gradient_checkpointing: true
attn_implementation: eager
task_name: mnli
num_processes: 2
`
    expect(trainingConfig(text)).toEqual({
      kind: 'training-config',
      dialect: 'Hugging Face Trainer',
      model: findModel('bert'),
      spec: {
        model: 'google-bert/bert-base-uncased',
        task: 'sequence-classification',
        framework: 'pytorch',
        step: 'training',
        microBatch: 16,
        gradientAccumulation: 8,
        gpus: 2,
        sequenceLength: 128,
        labels: 3,
        precision: 'amp-bf16',
        optimizer: 'adamw',
        attention: 'eager',
        gradientCheckpointing: true,
        paddedBatches: true,
        loop: 'trainer',
      },
      batchSizeAt: { line: 2, column: 30 },
      gradientAccumulationAt: { line: 3, column: 30 },
      assumptions: [
        'Each of the 2 GPUs of num_processes (line 10) is taken to hold the whole model: what accelerate is launched with is not in the file, and may divide it.',
      ],
      countsTooMuch: true,
    })
  })

  it('counts the whole model on each of its processes only where the file does not divide it', () => {
    const reading = (more: string) => trainingConfig(`${bert}num_processes: 4\n${more}`)
    expect(reading('').countsTooMuch).toBe(true)
    expect(reading('fsdp: full_shard\n').countsTooMuch).toBeUndefined()
    expect(trainingConfig(`${bert}num_processes: 1\n`).countsTooMuch).toBeUndefined()
  })

  it('says what it leaves open', () => {
    expect(trainingConfig(bert).assumptions).toEqual([
      'The task is sequence-classification: the config does not name one.',
      'Sequences of 512 tokens: the config sets no maximum length.',
      'Two labels: the config sets no number of labels.',
      'One GPU: the config does not say how many processes run.',
      "Fused AdamW, the Trainer's default from PyTorch 2.8 on: the config sets no optim.",
    ])
  })

  it('is read in JSON', () => {
    const text = '{\n  "model_name_or_path": "openai-community/gpt2",\n  "per_device_train_batch_size": 4\n}'
    const reading = trainingConfig(text, 'train.json')
    expect(reading.batchSizeAt).toEqual({ line: 3, column: 34 })
    expect(reading.spec).toMatchObject({ task: 'causal-lm', sequenceLength: 1024, paddedBatches: false })
  })

  it.each([
    [
      'one level',
      'model:\n  model_name_or_path: openai-community/gpt2\ntraining:\n  per_device_train_batch_size: 4\n',
      4,
      32,
    ],
    [
      'two levels',
      'run:\n  model:\n    model_id: openai-community/gpt2\n  args:\n    per_device_train_batch_size: 4\n',
      5,
      34,
    ],
  ])('is read %s down, with the model elsewhere in the file', (_, text, line, column) => {
    const reading = trainingConfig(text)
    expect(reading.spec).toMatchObject({ model: 'openai-community/gpt2', microBatch: 4 })
    expect(reading.batchSizeAt).toEqual({ line, column })
  })

  it('names a nested field as the file writes it', () => {
    const text = 'model_name: openai-community/gpt2\ntraining:\n  per_device_train_batch_size: 0\n'
    expect(onlyProblemIn(text).field).toBe('training.per_device_train_batch_size')
  })

  it('takes arguments beside the batch size before the same words elsewhere', () => {
    const text = `${'max_length: 64\ntraining:\n  model_name_or_path: google-bert/bert-base-uncased\n'}  per_device_train_batch_size: 4\n  max_length: 256\ngeneration:\n  fp16: true\n`
    expect(trainingConfig(text).spec).toMatchObject({ sequenceLength: 256, precision: 'fp32' })
  })

  it('is found in a later YAML document', () => {
    expect(trainingConfig(`kind: note\n---\n${bert}`).batchSizeAt).toEqual({ line: 4, column: 30 })
  })

  it('may inherit its batch size through a merge key', () => {
    const text =
      'defaults: &defaults\n  num_train_epochs: 3\n  per_gpu_train_batch_size: 8\ntrain:\n  <<: *defaults\n  model_name: gpt2\n'
    const reading = trainingConfig(text)
    expect(reading.spec.microBatch).toBe(8)
    expect(reading.batchSizeAt).toEqual({ line: 3, column: 29 })
  })

  it('with several stages is judged by the first, and says so', () => {
    const text = 'model_name: gpt2\none:\n  per_device_train_batch_size: 8\ntwo:\n  per_device_train_batch_size: 16\n'
    const reading = trainingConfig(text)
    expect(reading.spec.microBatch).toBe(8)
    expect(reading.assumptions[0]).toBe('The batch size on line 3 is used, the first of 2 in the file.')
  })

  it('without a batch size gets the default of 8 once two other keys of the Trainer stand beside the model', () => {
    const reading = trainingConfig('model_name_or_path: gpt2\nlearning_rate: 1.0e-4\noutput_dir: out\n')
    expect(reading.spec.microBatch).toBe(8)
    expect(reading.batchSizeAt).toBeUndefined()
    expect(reading.assumptions[0]).toBe("A batch size of 8, the Trainer's default: the config sets none.")
  })

  it('accepts train_batch_size beside a model', () => {
    expect(trainingConfig('model_name: gpt2\ntrain_batch_size: 4\n').batchSizeAt).toEqual({ line: 2, column: 19 })
  })
})

describe('the Trainer in a file of mappings of its own', () => {
  const own = (lora: string) => `model:
  name: Qwen/Qwen2.5-0.5B
training:
  per_device_train_batch_size: 2
  max_seq_len: 512
  bf16: true
lora:
  ${lora}
  target_modules: [q_proj, v_proj]
`

  it('has the model of the model mapping and adapters of the LoRA mapping', () => {
    expect(trainingConfig(own('r: 32\n  dropout: 0.1'))).toMatchObject({
      batchSizeAt: { line: 4, column: 32 },
      spec: {
        model: 'Qwen/Qwen2.5-0.5B',
        microBatch: 2,
        sequenceLength: 512,
        lora: { rank: 32, dropout: 0.1, targets: ['q_proj', 'v_proj'] },
      },
    })
  })

  it.each(['r: 32\n  enabled: false', 'alpha: 16\n  use: false'])('has no adapters with %j', lora => {
    expect(trainingConfig(own(lora)).spec.lora).toBeUndefined()
  })

  it('has adapters on the layers that are named there, whatever their rank', () => {
    const { spec, assumptions } = trainingConfig(own('alpha: 16'))
    expect(spec.lora).toMatchObject({ rank: 16, targets: ['q_proj', 'v_proj'] })
    expect(assumptions.join()).toContain('ank')
  })

  it('has weights in four bits by use_4bit too, and by the switches of peft’s examples', () => {
    expect(trainingConfig(`${own('rank: 8')}use_4bit: true\n`).spec.quantization).toBe('nf4')
    const peft = 'model_name_or_path: gpt2\nper_device_train_batch_size: 4\nuse_peft_lora: true\nlora_r: 8\n'
    expect(trainingConfig(`${peft}use_4bit_quantization: true\n`).spec).toMatchObject({
      lora: { rank: 8 },
      quantization: 'nf4',
    })
    expect(trainingConfig(`${peft}use_8bit_quantization: true\n`).spec.quantization).toBe('int8')
    expect(trainingConfig(`${peft.replace('lora: true', 'lora: false')}`).spec.lora).toBeUndefined()
  })

  it.each(['base_model: Qwen/Qwen2.5-0.5B', 'model: Qwen/Qwen2.5-0.5B'])('names its model as %s', line => {
    expect(trainingConfig(`${line}\nper_device_train_batch_size: 2\n`).spec.model).toBe('Qwen/Qwen2.5-0.5B')
  })

  it('takes no label of a run for its model', () => {
    const text = 'tags:\n  model: Qwen/Qwen2.5-0.5B\ntraining:\n  per_device_train_batch_size: 2\n'
    expect(onlyProblemIn(text).code).toBe('model-not-in-file')
  })
})

it.each([
  ['', true],
  ['liger_kernel_config: { rope: true }\n', true],
  ['liger_kernel_config: { fused_linear_cross_entropy: false }\n', undefined],
])('use_liger_kernel beside %j fuses the loss: %s', (line, fused) => {
  expect(trainingConfig(`${gpt2}use_liger_kernel: true\n${line}`).spec.fusedLoss).toBe(fused)
})

it("knows SimPO's own recipes by gamma_beta_ratio: no reference, and no cross-entropy unless sft_weight asks for it", () => {
  const simpo = `${gpt2}beta: 10\nmax_length: 512\ngamma_beta_ratio: 0.5\n`
  expect(trainingConfig(simpo).spec.method).toMatchObject({ reference: 'none', withCrossEntropy: false })
  expect(trainingConfig(`${simpo}sft_weight: 0.1\n`).spec.method).toMatchObject({ withCrossEntropy: true })
})

it("takes Unsloth's gradient checkpointing for checkpoints that wait on the host", () => {
  const { spec } = trainingConfig(`${gpt2}use_gradient_checkpointing: unsloth\n`)
  expect(spec.gradientCheckpointing).toBe(true)
  expect(spec.offloadsCheckpoints).toBe(true)
})

it.each(['use_ia3', 'use_prompt_tuning'])('refuses %s rather than counting a full fine-tuning', key => {
  expect(onlyProblemIn(`${gpt2}use_lora: false\n${key}: true\n`)).toMatchObject({
    code: 'unsupported-setting',
    line: 4,
  })
  expect(trainingConfig(`${gpt2}${key}: false\n`).spec.lora).toBeUndefined()
})

it("says that a file laid over others by Hydra's defaults is read alone", () => {
  expect(trainingConfig(`defaults:\n  - sft-base\n  - _self_\n${gpt2}`).assumptions).toContain(
    'Only this file is read, although it builds on "sft-base": what they set is unknown.',
  )
})

it("does not say so of what concerns Hydra's own logging alone", () => {
  const defaults =
    'defaults:\n  - override hydra/hydra_logging: disabled\n  - override /hydra/launcher: joblib\n  - _self_\n'
  expect(trainingConfig(`${defaults}${gpt2}`).assumptions.join(' ')).not.toContain('Only this file is read')
})
