/** Keys that a team made up, and the Trainer's arguments in mappings of other tools. */
import { describe, expect, it } from 'vitest'
import { analyze } from '../../../engine/analyze.ts'
import { readConfig } from '../../../engine/config/read.ts'
import { advice } from '../../../engine/render/advice.ts'
import { readSettings } from '../../../engine/settings/read.ts'
import { onlyProblemIn, trainingConfig } from '../readings.ts'

const own = 'base_model_id: mistralai/Mistral-7B-v0.1\nbatch_size: 64\nlr: 2.0e-4\nepochs: 3\n'

describe('keys of a team’s own', () => {
  it.each(['hosted_vllm/Qwen/QwQ-32B', 'anthropic/claude-x', 'ollama/llama3'])(
    '%s is trained by nobody here',
    model => {
      const text = `model_name: ${model}\nbatch_size: 250\nepochs: 1\n`
      expect(readConfig({ text, path: 'config.yaml' }).kind).toBe('not-a-training-config')
    },
  )

  it('the size of images is found in another mapping, and a detector is not its backbone', () => {
    const text = (model: string) =>
      `approach: { model: ${model}, img_size: 640 }\ntraining: { epochs: 3, batch_size: 4 }\n`
    expect(trainingConfig(text('microsoft/resnet-50')).spec.imageSize).toBe(640)
    expect(readConfig({ text: text('rtdetr-resnet50'), path: 'config.yaml' }).kind).not.toBe('training-config')
  })

  const beside = 'model_name_or_path: facebook/bart-base\nweight_decay: 0.1\nwarmup_steps: 10\nlr: 1e-4\nepochs: 3\n'

  it.each(['batch_size_train', 'bsz', 'train_bsz'])(
    '%s is the batch of a training, and the default of the Trainer is none',
    key => {
      const { dialect, spec, assumesCode } = trainingConfig(`${beside}${key}: 32\nbatch_size_val: 16\n`)
      expect(dialect).toBe('Custom keys')
      expect(spec.microBatch).toBe(32)
      expect(assumesCode).toBe(true)
    },
  )

  it.each(['batch', 'bsz_train', 'batch-train', 'global_batch_size', 'train_batch'])(
    '%s keeps a file from being read with the default batch of the Trainer',
    key => {
      expect(readConfig({ text: `${beside}${key}: 32\n`, path: 'config.yaml' }).kind).toBe('not-a-training-config')
    },
  )

  it.each([
    'f16_precision: true',
    'fp16_precision: true',
    'half_precision: true',
    'compute_precision: bf16',
    'model_precision: bf16',
    'training_precision: bf16',
  ])('%s is named as unread', setting => {
    const { unreadSettings } = trainingConfig(`${own}${setting}\naverage_precision: true\n`)
    expect(unreadSettings?.map(({ name }) => name)).toEqual([setting.split(':')[0]])
  })

  it.each([
    ['use_qlora: true\n', 'nf4'],
    ['quant: 4bit\nuse_lora: true\n', 'nf4'],
    ['bits: 4\nlora_r: 16\n', 'nf4'],
    ['bits: 8\nlora_r: 16\n', 'int8'],
    ['quantization: int8\nlora_r: 16\n', 'int8'],
    ['load_in_4bit: true\nuse_peft: true\nbnb_4bit_use_double_quant: true\n', 'nf4-double'],
    ['quantization: { bits: 4, quant_type: nf4 }\nlora_r: 16\n', 'nf4'],
    ['quantization: { load_in_4bit: true, double_quant: true }\nlora_r: 16\n', 'nf4-double'],
    ['quantization: { enabled: false, bits: 4 }\nlora_r: 16\n', undefined],
    ['lora_r: 16\n', undefined],
  ])('%j is %s', (settings, quantization) => {
    expect(trainingConfig(`${own}${settings}`).spec.quantization).toBe(quantization)
  })

  it.each(['max_length', 'cutoff_len', 'max_token_length'])('%s is the length of a sample in tokens', key => {
    const reading = trainingConfig(`${own}${key}: 256\n`)
    expect(reading.spec.sequenceLength).toBe(256)
    expect(reading.unreadSettings).toBeUndefined()
  })

  it('say nothing of training where they are about deploying the model', () => {
    const { spec, unreadSettings } = trainingConfig(
      `${own}deployment: { quantize: true, quantization_format: QInt8 }\n`,
    )
    expect(spec.quantization).toBeUndefined()
    expect(unreadSettings).toBeUndefined()
    expect(trainingConfig(`${own}lora_r: 16\nquantize_setup: { quantize: 4bit }\n`).spec.quantization).toBe('nf4')
  })

  it('are refused where another method quantises', () => {
    const problem = onlyProblemIn(`${own}quantization: { method: gptq, bits: 4 }\nlora_r: 16\n`)
    expect(problem).toMatchObject({ code: 'unsupported-quantization', field: 'quantization.method' })
  })

  it.each([
    ['method: ia3', 'method'],
    ['peft: { method: ia3, target_modules: [k_proj] }', 'peft.method'],
    ['adapter: { type: prefix-tuning }', 'adapter.type'],
  ])('are refused where adapters are of another kind than LoRA: %s', (settings, field) => {
    expect(onlyProblemIn(`${own}${settings}\n`)).toMatchObject({ code: 'unsupported-setting', field })
  })

  it('have an adapter of the data for none of the model', () => {
    expect(trainingConfig(`${own}data: { adapter: local_jsonl }\n`).spec.lora).toBeUndefined()
    expect(trainingConfig(`${own}peft: { adapter: lora }\nlora_r: 8\n`).spec.lora).toMatchObject({ rank: 8 })
  })

  it('have the rank of adapters in a mapping within another', () => {
    const text = `${own}peft: { lora: { r: 64, target_modules: [q_proj] } }\n`
    expect(trainingConfig(text).spec.lora).toMatchObject({ rank: 64, targets: ['q_proj'] })
    expect(trainingConfig(text).unreadSettings).toBeUndefined()
  })

  it('name no model by model_path, which trainings by reinforcement have too', () => {
    const text =
      'model_path: Qwen/Qwen2.5-7B-Instruct\ntrain_batch_size: 64\nppo_mini_batch_size: 16\nlearning_rate: 1.0e-5\n'
    expect(readConfig({ text, path: 'config.yaml' }).kind).toBe('not-a-training-config')
  })

  it('have adapters by a mapping of that name, unless it is one for the data', () => {
    const loraOf = (settings: string) => trainingConfig(`${own}${settings}\n`).spec.lora
    expect(loraOf('adapter: { type: lora, r: 32 }')).toMatchObject({ rank: 32 })
    expect(loraOf('data: { adapter: { r: 32 } }')).toBeUndefined()
  })

  it.each(['stage: rl_grpo', 'training: { algorithm: ppo }', 'method: distillation'])(
    'name another method than the one that is counted: %s',
    said => {
      const { spec, unreadSettings } = trainingConfig(`${own}${said}\n`)
      expect(spec.method).toBeUndefined()
      expect(unreadSettings?.map(({ at }) => at.line)).toEqual([5])
      expect(trainingConfig(`${own}stage: sft\n`).unreadSettings).toBeUndefined()
    },
  )

  it('of one training are not mixed with those of another in the file', () => {
    const sft = 'sft: { batch_size: 4, lr: 1.0e-5, epochs: 2, grad_accum: 2 }\n'
    const second = (schedule: string) =>
      `model_name: gpt2\n${sft}grpo: { ${schedule}num_generations: 4, max_completion_length: 64 }\n`
    expect(trainingConfig(second('lr: 1.0e-6, epochs: 1, ')).spec.method).toBeUndefined()
    expect(onlyProblemIn(second(''))).toMatchObject({ code: 'open-batch-unit', field: 'sft.batch_size' })
  })

  it('leave open whether a batch counts prompts or completions', () => {
    const grpo = 'num_generations: 8\nmax_completion_length: 64\n'
    expect(onlyProblemIn(`${own}${grpo}`)).toMatchObject({ code: 'open-batch-unit', field: 'batch_size' })
    expect(onlyProblemIn(`${own}group_size: 16\n`)).toMatchObject({ code: 'open-batch-unit', field: 'batch_size' })
    expect(trainingConfig(`${own}lora_r: 8\nbits: 4\ngroup_size: 128\n`).spec.microBatch).toBe(64)
    const named = `${own.replace('batch_size', 'per_device_train_batch_size')}${grpo}`
    expect(trainingConfig(named).spec).toMatchObject({ microBatch: 64, method: { kind: 'online' } })
  })

  it.each([
    // alpaca-lora's finetune.py: gradient_accumulation_steps = batch_size // micro_batch_size; OpenRLHF's names.
    ['batch_size: 128\nmicro_batch_size: 4\n', 4, 32],
    ['train_batch_size: 8\nmicro_train_batch_size: 1\n', 1, 8],
    ['global_batch_size: 64\nper_device_batch_size: 8\nnum_gpus: 4\n', 8, 2],
    ['batch_size: 128\nmicro_batch_size: 4\ngrad_accum: 2\n', 4, 2],
    // That is no multiple, or no more than one.
    ['batch_size: 6\nmicro_batch_size: 4\n', 4, 1],
    ['batch_size: 4\nmicro_batch_size: 4\n', 4, 1],
    ['batch_size: 128\n', 128, 1],
  ])('say the micro-batch and what micro-batches make together: %j', (batch, microBatch, gradientAccumulation) => {
    const reading = trainingConfig(`${own.replace('batch_size: 64\n', '')}${batch}`)
    expect(reading.spec).toMatchObject({ microBatch, gradientAccumulation })
    expect(reading.assumesCode).toBe(true)
  })

  it('tell of accumulation that follows from others, and where', () => {
    const { assumptions, gradientAccumulationAt } = trainingConfig(
      'base_model_id: gpt2\nlr: 2.0e-4\nbatch_size: 128\nmicro_batch_size: 4\n',
    )
    expect(assumptions).toContain(
      'Gradients accumulate over 32 micro-batches, which make batch_size (line 3) of micro_batch_size.',
    )
    expect(gradientAccumulationAt).toBeUndefined()
  })

  it('get no verdict for a GPU where they train on the CPU', () => {
    expect(onlyProblemIn(`${own}device: cpu\n`)).toMatchObject({ code: 'not-on-gpu', line: 5, column: 9 })
    expect(trainingConfig(`${own}device: cuda\ntokenizer: { device: cpu }\n`).spec.microBatch).toBe(64)
  })

  it.each(['opt', 'optimizer', 'optimizer_name', 'optimizer_type'])('%s is the optimizer', key => {
    expect(trainingConfig(`${own}${key}: SGD\n`).spec.optimizer).toBe('sgd')
  })

  it('names what says how 4-bit weights are kept where nothing says that they are', () => {
    const reading = trainingConfig(`${own}lora_r: 16\nbnb_4bit_quant_type: nf4\n`)
    expect(reading.unreadSettings).toEqual([{ name: 'bnb_4bit_quant_type', at: { line: 6, column: 22 } }])
  })

  it.each([
    ['mixed_precision: bf16', 'amp-bf16'],
    ['precision: bf16', 'amp-bf16'],
    ['precision: bf16-mixed', 'amp-bf16'],
    ['precision: fp16', 'amp-fp16'],
    ['precision: 16-mixed', 'amp-fp16'],
  ])('%s computes in %s', (line, precision) => {
    expect(trainingConfig(`${own}${line}\n`).spec.precision).toBe(precision)
  })

  it.each(['grad_checkpoint', 'grad_ckpt', 'activation_checkpointing'])('checkpoint as %s says', key => {
    const text = `model: acme/Qwen3-8B\ntrain: {batch_size: 4, lr: 1.0e-4, max_seq_length: 512, packing: true, ${key}: false}\n`
    expect(trainingConfig(text).spec.gradientCheckpointing).toBe(false)
  })

  it('get no verdict where the weights are stored for MLX', () => {
    const text = (model: string) => `model: ${model}\ntrain: {batch_size: 4, lr: 1.0e-4}\n`
    for (const model of ['mlx-community/Qwen3-8B-4bit', 'acme/Qwen3-8B-mlx'])
      expect(readConfig({ path: 'sft.yaml', text: text(model) })).toMatchObject({
        kind: 'unreadable',
        problems: [{ code: 'unsupported-training', message: expect.stringContaining('MLX') }],
      })
    expect(readConfig({ path: 'sft.yaml', text: text('acme/Qwen3-8B-mlxed') }).kind).toBe('training-config')
  })

  it('do not take the model that teaches for the one that trains', () => {
    const distilled = 'training: { model_name: own.linear_llama, batch_size: 8, lr: 1.0e-4 }\n'
    const teacher = 'teacher_model: { model_name: HuggingFaceTB/SmolLM2-135M }\n'
    expect(readConfig({ path: 'distill.yaml', text: distilled + teacher }).kind).toBe('not-a-training-config')
    const reading = trainingConfig(`${own}${teacher}`)
    expect(reading.spec.model).toBe('mistralai/Mistral-7B-v0.1')
    expect(reading.unreadSettings?.map(({ name }) => name)).toEqual(['teacher_model'])
  })

  it('names the targets of adapters where nothing else says that adapters train', () => {
    const suite =
      'experiments:\n  - { name: qv, target_modules: [q_proj, v_proj] }\n  - { name: q, target_modules: [q_proj] }\n'
    const reading = trainingConfig(`${own}${suite}`)
    expect(reading.spec.lora).toBeUndefined()
    expect(reading.unreadSettings?.map(({ name }) => name)).toEqual(
      [0, 1].map(index => `experiments[${index}].target_modules`),
    )
    expect(trainingConfig(`${own}lora_r: 16\ntarget_modules: [q_proj]\n`).unreadSettings).toBeUndefined()
  })

  it('names the second of two lengths', () => {
    const reading = trainingConfig(`${own}max_length: 512\nseq_len: 1024\n`)
    expect(reading.spec.sequenceLength).toBe(512)
    expect(reading.unreadSettings?.map(({ name }) => name)).toEqual(['seq_len'])
  })

  it('say that no precision is written down', () => {
    const [silent, written] = [trainingConfig(own), trainingConfig(`${own}bf16: true\n`)]
    const told = (assumptions: readonly string[]) => assumptions.some(each => each.includes('names no precision'))
    expect([silent.spec.precision, told(silent.assumptions)]).toEqual(['fp32', true])
    expect([written.spec.precision, told(written.assumptions)]).toEqual(['amp-bf16', false])
  })

  it('say that no gradient checkpointing is written down', () => {
    const [silent, written] = [trainingConfig(own), trainingConfig(`${own}gradient_checkpointing: false\n`)]
    const told = (assumptions: readonly string[]) =>
      assumptions.some(each => each.includes('No gradient checkpointing'))
    expect([told(silent.assumptions), told(written.assumptions)]).toEqual([true, false])
  })

  it('are the record of a run where a loss was measured', () => {
    const withLoss = (loss: string) => readConfig({ path: 'run.yaml', text: `${own}training:\n  loss_last: ${loss}\n` })
    expect(withLoss('3.064004108309746')).toMatchObject({
      kind: 'not-a-training-config',
      why: expect.stringContaining('training.loss_last (line 6) was measured'),
    })
    expect(withLoss('0.25').kind).toBe('training-config')
  })

  it('name an objective that holds more than a model and its loss', () => {
    const unread = (line: string) => trainingConfig(`${own}${line}`).unreadSettings?.map(({ name }) => name)
    expect(unread('method: rlhf\n')).toEqual(['method'])
    expect(unread('method: sft\n')).toBeUndefined()
  })

  it('name the second of two ranks', () => {
    const unread = (rank: number) =>
      trainingConfig(`${own}lora_r: 32\nlora_config: { r: ${rank}, target_modules: [q_proj] }\n`).unreadSettings
    expect(unread(16)?.map(({ name }) => name)).toEqual(['lora_config.r'])
    expect(unread(32)).toBeUndefined()
  })

  it('name a rank that nobody read', () => {
    expect(trainingConfig(`${own}recipe:\n  rank: 32\n`).unreadSettings?.map(({ name }) => name)).toEqual([
      'recipe.rank',
    ])
    expect(trainingConfig(`${own}lora:\n  rank: 32\n`).unreadSettings).toBeUndefined()
    expect(trainingConfig(`${own}rank: 0\n`).unreadSettings).toBeUndefined()
  })

  it('never block, whatever the figures are', async () => {
    const read = readSettings({
      path: '.github/memorymark.yml',
      text: 'gpu: t4\noverrides: [{ path: "*", gpus: 1 }]\n',
    })
    if (read.kind !== 'settings') throw new Error('unreadable')
    const settings = read.settings
    const { configs } = await analyze([{ path: 'train.yaml', text: own }], { now: new Date(0), settings })
    const [config] = configs
    if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
    expect(config).toMatchObject({
      current: { fits: false },
      assumed: ['code'],
      verdict: { state: 'warning', reasons: [{ kind: 'does-not-fit', spared: 'assumed' }] },
    })
    expect(advice(config).join(' ')).toContain('No gradient checkpointing is counted')
  })

  it.each([
    ['python -m determined.launch.torch_distributed python finetune.py', 2],
    ['python finetune.py', 1],
  ])('run on the slots of an experiment of Determined that %s starts', (entrypoint, gpus) => {
    const text = `resources: { slots_per_trial: 2 }
hyperparameters:
  model: gpt2
  training_args: { per_device_train_batch_size: 8, max_steps: 10, output_dir: out }
entrypoint: ${entrypoint}
`
    const { spec, assumptions } = trainingConfig(text)
    expect(spec).toMatchObject({ microBatch: 8, gpus })
    if (gpus === 2) expect(assumptions).toContain('The number of GPUs is 2, as set in train.yaml, line 1.')
  })

  it.each(['batch_size: 16', 'train: { batch_size: 16 }'])('count beside keys of the Trainer: %s', batchSize => {
    const text = `model_name_or_path: gpt2\nlearning_rate: 2.0e-5\n${batchSize}\nwarmup_steps: 0\nmax_length: 512\n`
    expect(trainingConfig(text)).toMatchObject({ dialect: 'Custom keys', spec: { microBatch: 16 }, assumesCode: true })
    const ours = text.replace('gpt2', './ours')
    expect(onlyProblemIn(ours)).toMatchObject({ code: 'unknown-model', field: 'model_name_or_path' })
  })

  it('are none without a model that is one, and without anything that only a training has', () => {
    for (const text of [own.replace('mistralai/Mistral-7B-v0.1', './ours'), own.replace(/lr.*\nepochs.*\n/, '')]) {
      expect(readConfig({ path: 'train.yaml', text }).kind).toBe('not-a-training-config')
    }
  })
})

it('hyperparameters of a job are text, as its command line takes them', () => {
  const reading = trainingConfig(
    '{"HyperParameters": {"model_id": "google-bert/bert-base-uncased", "per_device_train_batch_size": "16", "bf16": "True", "epochs": "2"}}',
    'job.json',
  )
  expect(reading.spec).toMatchObject({ microBatch: 16, precision: 'amp-bf16' })
  expect(reading).not.toHaveProperty('assumesCode')
})

describe('trainings side by side', () => {
  const experiment = (name: string, settings: string) =>
    `  ${name}:\n    args: { model_name: gpt2, learning_rate: 1e-4, num_train_epochs: 2, ${settings} }\n`
  const both = `experiments:\n${experiment('small', 'per_device_train_batch_size: 4')}`

  it('are read as the first, without what the others set', () => {
    const text = `${both}${experiment('large', 'per_device_train_batch_size: 16, max_length: 128, bf16: true')}`
    const { spec, assumptions, assumesCode } = trainingConfig(text)
    expect(spec).toMatchObject({ microBatch: 4, precision: 'fp32', sequenceLength: 1_024 })
    expect(assumesCode).toBe(true)
    expect(assumptions).toContain('experiments.small (line 3) is read, the first of 2 trainings.')
  })

  it('are one where only one has a model, a batch size and a rate', () => {
    const text = `${both}  checks:\n    args: { per_device_train_batch_size: 1 }\n`
    expect(trainingConfig(text).assumptions.join()).not.toContain('the first of')
  })
})
