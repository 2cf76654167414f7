import { describe, expect, it } from 'vitest'
import { findModel } from '../../../engine/models/catalogue.ts'
import { onlyProblemIn, problemsIn, trainingConfig } from '../readings.ts'

const bert = 'model_name_or_path: google-bert/bert-base-uncased\nper_device_train_batch_size: 16\n'
const gpt2 = 'model_name_or_path: openai-community/gpt2\nper_device_train_batch_size: 4\n'
const resnet = 'model_name_or_path: microsoft/resnet-50\nper_device_train_batch_size: 64\n'

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
      assumptions: [],
    })
  })

  it('says what it leaves open', () => {
    expect(trainingConfig(bert).assumptions).toEqual([
      'The task is sequence-classification: the config names none.',
      'Sequences of 512 tokens: the config sets no maximum length.',
      'One GPU: the config does not say how many processes run.',
      'Two labels: the config sets no number of labels.',
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
    expect(reading.assumptions[0]).toBe('The batch size is that of line 3, the first of 2 in the file.')
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

describe('the batch size', () => {
  const withBatch = (value: string) =>
    `model_name_or_path: google-bert/bert-base-uncased\nper_device_train_batch_size: ${value}\n`

  it.each([
    ['0', 'out-of-range', '0 is less than 1'],
    ['-1', 'out-of-range', '-1 is less than 1'],
    ['1000000000', 'out-of-range', '1000000000 is more than 1,000,000'],
    ['1.0e+9', 'out-of-range', '1.0e+9 is more than 1,000,000'],
    ['1.5', 'not-a-whole-number', '1.5 is not a whole number'],
    ['.inf', 'not-a-whole-number', '.inf is not a whole number'],
    ['sixteen', 'not-a-whole-number', '"sixteen" is not a whole number'],
    ['true', 'not-a-whole-number', 'true is not a whole number'],
    ['[8, 16]', 'not-a-whole-number', 'A list is not a whole number'],
    ['{values: [8]}', 'not-a-whole-number', 'A mapping is not a whole number'],
  ])('%s is refused with its line', (value, code, message) => {
    expect(onlyProblemIn(withBatch(value))).toEqual({
      code,
      message,
      fix: 'Write a whole number from 1 to 1,000,000.',
      file: 'train.yaml',
      line: 2,
      column: 30,
      field: 'per_device_train_batch_size',
    })
  })

  it('in quotes is refused, since the Trainer would fail on it', () => {
    expect(onlyProblemIn(withBatch('"16"'))).toMatchObject({
      code: 'number-in-quotes',
      message: '"16" is text, not a number',
      fix: 'Write it without quotes: 16.',
      line: 2,
      column: 30,
    })
  })

  it('left empty is refused at its key', () => {
    expect(onlyProblemIn(withBatch(''))).toMatchObject({
      message: 'An empty value is not a whole number',
      line: 2,
      column: 1,
    })
  })

  it.each(['auto', `\${BATCH}`, '"{{ batch }}"', '{{ batch }}', '???', '$BATCH'])(
    'that reads %s cannot be known from the file',
    value => {
      expect(onlyProblemIn(withBatch(value))).toMatchObject({ code: 'not-in-file', line: 2, column: 30 })
    },
  )
})

describe('the model', () => {
  it('that is missing cannot be known from the file', () => {
    expect(onlyProblemIn('per_device_train_batch_size: 8\n')).toEqual({
      code: 'model-not-in-file',
      message: 'The model cannot be known from the file',
      fix: 'Set model_name_or_path in the config, or add model for this path to the overrides in .github/memorymark.yml.',
      file: 'train.yaml',
    })
  })

  it('that is nearly known is put right', () => {
    expect(onlyProblemIn('model_name_or_path: google-bert/bert-base-uncasd\nper_device_train_batch_size: 8\n')).toEqual(
      {
        code: 'unknown-model',
        message: 'The model "google-bert/bert-base-uncasd" is not known',
        fix: 'Did you mean google-bert/bert-base-uncased?',
        file: 'train.yaml',
        line: 1,
        column: 21,
        field: 'model_name_or_path',
      },
    )
  })

  it('that is unknown may be told to us', () => {
    expect(onlyProblemIn('model_name: acme/llm-9000\nper_device_train_batch_size: 8\n')).toMatchObject({
      code: 'unknown-model',
      fix: "Write its Hub id, or put the model's config.json into the repository, in a folder of that name or beside the training config.",
    })
  })

  it('that has a well-known one in its name is assumed to have its shape, and says so', () => {
    const reading = trainingConfig('model_name: acme/Llama-3.2-1B-support\nper_device_train_batch_size: 8\n')
    expect(reading.spec).toMatchObject({ model: 'acme/Llama-3.2-1B-support', task: 'causal-lm' })
    expect(reading.assumptions[0]).toBe(
      'The model "acme/Llama-3.2-1B-support" is assumed to have the shape of meta-llama/Llama-3.2-1B, by its name: no config.json of its own was found.',
    )
  })

  it('of an architecture that is not supported is told so', () => {
    const problem = onlyProblemIn('model_name: mosaicml/mpt-7b\nper_device_train_batch_size: 8\n')
    expect(problem).toMatchObject({
      code: 'unsupported-architecture',
      message: 'The architecture "mpt" of the model "mosaicml/mpt-7b" is not supported',
      line: 1,
    })
    expect(problem.fix).toMatch(/^Supported are bert, .* CONTRIBUTING\.md says how to add another\.$/)
  })

  it('with Markdown and a mention in its name stays data', () => {
    const name = '[x](http://example.com) @team `a` | <b>'
    const problem = onlyProblemIn(`model_name_or_path: "${name}"\nper_device_train_batch_size: 8\n`)
    expect(problem.message).toBe(`The model "${name}" is not known`)
  })

  it('with a very long or multi-line name is cut in the message', () => {
    const problem = onlyProblemIn(`model_name_or_path: "a\\nb${'x'.repeat(5_000)}"\nper_device_train_batch_size: 8\n`)
    expect(problem.message).toBe(`The model "a b${'x'.repeat(76)}…" is not known`)
  })
})

describe('the task', () => {
  it.each([
    [`${bert}mlm_probability: 0.15\n`, 'masked-lm'],
    [`${bert}mlm: true\n`, 'masked-lm'],
    [`${bert}line_by_line: true\n`, 'masked-lm'],
    [`${bert}task: fill-mask\n`, 'masked-lm'],
    [`${gpt2}packing: true\n`, 'causal-lm'],
    [`${gpt2}num_labels: 4\n`, 'sequence-classification'],
    [`${gpt2}task: text_classification\n`, 'sequence-classification'],
    [resnet, 'image-classification'],
  ])('of %j is %s', (text, task) => {
    expect(trainingConfig(text).spec.task).toBe(task)
  })

  it.each([
    ['mnli', 3],
    ['stsb', 1],
    ['sst2', 2],
    ['CoLA', 2],
  ])('%s of GLUE has its number of labels', (task, labels) => {
    expect(trainingConfig(`${bert}task_name: ${task}\n`).spec).toMatchObject({
      task: 'sequence-classification',
      labels,
    })
  })

  it('that the model cannot be trained for is refused', () => {
    expect(onlyProblemIn(`${resnet}task: causal-lm\n`)).toMatchObject({
      code: 'unsupported-task',
      fix: 'Use image-classification.',
      line: 3,
      column: 7,
    })
  })

  it('that is not supported is refused', () => {
    expect(onlyProblemIn(`${bert}task: question-answering\n`)).toMatchObject({ code: 'unsupported-task', line: 3 })
  })
})

describe('a sequence-to-sequence config', () => {
  const t5 = 'model_name_or_path: google-t5/t5-small\nper_device_train_batch_size: 8\n'

  it('has a source and a target, and pads both', () => {
    const { spec } = trainingConfig(`${t5}task: summarization\nmax_source_length: 256\nmax_target_length: 64\n`)
    expect(spec).toMatchObject({
      task: 'seq2seq-lm',
      sequenceLength: 256,
      targetLength: 64,
      paddedBatches: true,
    })
  })

  it('says which target it assumed', () => {
    const reading = trainingConfig(t5)
    expect(reading.spec.targetLength).toBe(128)
    expect(reading.assumptions).toContain('Targets of 128 tokens: the config sets no max_target_length.')
  })
})

describe('the size of a sample', () => {
  it.each(['max_seq_length', 'max_length', 'model_max_length', 'block_size', 'max_source_length'])(
    'is set by %s',
    key => {
      expect(trainingConfig(`${gpt2}${key}: 256\n`).spec.sequenceLength).toBe(256)
    },
  )

  it('may not exceed the positions of the model', () => {
    expect(onlyProblemIn(`${bert}max_length: 1024\n`)).toMatchObject({
      code: 'sequence-too-long',
      message: '1024 tokens are more than the 512 positions of "google-bert/bert-base-uncased"',
      line: 3,
      column: 13,
    })
  })

  it('may exceed what a model with rotary positions was trained for, and says so', () => {
    const tinyLlama = 'model_name: TinyLlama/TinyLlama_v1.1\nper_device_train_batch_size: 1\n'
    const reading = trainingConfig(`${tinyLlama}max_seq_length: 4096\n`)
    expect(reading.spec.sequenceLength).toBe(4096)
    expect(reading.assumptions).toContain(
      '4096 tokens, though "TinyLlama/TinyLlama_v1.1" was trained on up to 2048: taken as written.',
    )
  })

  it('is 224 pixels for images, unless the config says otherwise', () => {
    expect(trainingConfig(resnet).spec).toMatchObject({ imageSize: 224, labels: 1000 })
    expect(trainingConfig(resnet).spec.sequenceLength).toBeUndefined()
    expect(trainingConfig(`${resnet}image_size: 384\n`).spec.imageSize).toBe(384)
    const vit = 'model_name_or_path: google/vit-base-patch16-384\nper_device_train_batch_size: 8\n'
    expect(trainingConfig(vit).spec.imageSize).toBe(384)
  })
})

describe('precision', () => {
  it.each([
    ['', 'fp32'],
    ['fp16: true\n', 'amp-fp16'],
    ['bf16: yes\n', 'amp-bf16'],
    ['bf16: false\n', 'fp32'],
    ['torch_dtype: bfloat16\n', 'bf16'],
    ['bf16: true\ndtype: torch.bfloat16\n', 'bf16'],
    ['bf16: true\ntorch_dtype: float32\n', 'amp-bf16'],
    ['torch_dtype: auto\n', 'fp32'],
  ])('of %j is %s', (text, precision) => {
    expect(trainingConfig(bert + text).spec.precision).toBe(precision)
  })

  it.each([
    ['torch_dtype: float16\n', 'unsupported-precision', 3],
    ['torch_dtype: int3\n', 'unknown-precision', 3],
    ['fp16: true\nbf16: true\n', 'precision-conflict', 4],
    ['fp16: true\ntorch_dtype: bfloat16\n', 'precision-conflict', 3],
    ['fp16: "true"\n', 'not-a-flag', 3],
  ])('of %j is refused', (text, code, line) => {
    expect(onlyProblemIn(bert + text)).toMatchObject({ code, line })
  })
})

describe('the optimizer', () => {
  it.each([
    ['adamw_torch', 'adamw'],
    ['adamw_torch_fused', 'adamw-fused'],
    ['adamw_apex_fused', 'adamw-fused'],
    ['adamw_hf', 'adamw-loop'],
    ['sgd', 'sgd'],
    ['adafactor', 'adafactor'],
    ['adamw_bnb_8bit', 'adamw-8bit'],
    ['paged_adamw_8bit', 'paged-adamw-8bit'],
    ['paged_adamw_32bit', 'paged-adamw'],
    ['lion_32bit', 'lion'],
  ])('%s is %s', (name, optimizer) => {
    expect(trainingConfig(`${bert}optim: ${name}\n`).spec.optimizer).toBe(optimizer)
  })

  it('that is fused by default is fused here', () => {
    expect(trainingConfig(bert).spec.optimizer).toBe('adamw-fused')
  })

  it('that cannot be modelled yet is told so', () => {
    expect(onlyProblemIn(`${bert}optim: adalomo\n`)).toMatchObject({
      code: 'unsupported-optimizer',
      message: 'The optimizer "adalomo" is not supported yet',
      fix: expect.stringMatching(/^Supported are adamw_torch, .* or lion_32bit\.$/),
      file: 'train.yaml',
      line: 3,
      column: 8,
      field: 'optim',
    })
  })

  it('that is misspelt is put right', () => {
    const problem = onlyProblemIn(`${bert}optim: adamw_toch\n`)
    expect(problem.code).toBe('unknown-optimizer')
    expect(problem.fix).toMatch(/^Did you mean adamw_torch\?/)
  })
})

describe('other settings', () => {
  it('flash attention counts as fused attention, and says so', () => {
    const reading = trainingConfig(`${bert}attn_implementation: flash_attention_2\n`)
    expect(reading.spec.attention).toBe('sdpa')
    expect(reading.assumptions).toContain(
      'flash_attention_2 is taken as sdpa: the flash kernel and the fused one hold the same bytes.',
    )
  })

  it('use_gradient_checkpointing counts as gradient_checkpointing', () => {
    expect(trainingConfig(`${bert}use_gradient_checkpointing: true\n`).spec.gradientCheckpointing).toBe(true)
  })

  it.each([
    ['load_in_4bit: true', 'quantised-without-adapter'],
    ['load_in_8bit: true', 'quantised-without-adapter'],
    ['finetuning_type: oft', 'unsupported-setting'],
    ['use_peft: true', 'unsupported-setting'],
    ['deepspeed: ds.json', 'not-in-file'],
    ['reward_model_path: a/b', 'unsupported-training'],
  ])('%s is refused rather than ignored', (line, code) => {
    expect(onlyProblemIn(`${bert}${line}\n`)).toMatchObject({ code, line: 3 })
  })

  it('the stage of ZeRO is read from the name of its file, and the optimizer then keeps 32-bit masters', () => {
    const reading = trainingConfig(`${bert}bf16: true\ndeepspeed: configs/ds_z2_offload_config.json\n`)
    expect(reading.spec).toMatchObject({ precision: 'bf16-master', sharding: 'zero2', offload: 'optimizer' })
    expect(reading.assumptions).toContain(
      'ZeRO stage 2, offloaded to the host: read from the name of "configs/ds_z2_offload_config.json".',
    )
  })

  it('fsdp shards the weights, unless it shards gradients only', () => {
    expect(trainingConfig(`${bert}fsdp: full_shard auto_wrap\n`).spec.sharding).toBe('fsdp')
    expect(trainingConfig(`${bert}fsdp: [shard_grad_op]\n`).spec.sharding).toBe('zero2')
  })

  it.each(['load_in_4bit: false', 'finetuning_type: full', 'deepspeed: null', 'fsdp: ""'])(
    '%s changes nothing',
    line => {
      expect(trainingConfig(`${bert}${line}\n`).spec.microBatch).toBe(16)
    },
  )

  it('that are left empty count as absent', () => {
    expect(trainingConfig(`${bert}fp16:\noptim: null\nmax_length: ~\n`).spec).toMatchObject({
      precision: 'fp32',
      sequenceLength: 512,
    })
  })
})

it('every problem of a file is told, not just the first', () => {
  const text = `model_name_or_path: acme/unknown
per_device_train_batch_size: 0
gradient_accumulation_steps: -1
max_length: long
optim: adalomo
fp16: maybe
attn_implementation: fast
num_processes: \${WORLD}
`
  expect(problemsIn(text).map(({ line, code }) => [line, code])).toEqual([
    [2, 'out-of-range'],
    [3, 'out-of-range'],
    [1, 'unknown-model'],
    [4, 'not-a-whole-number'],
    [8, 'not-in-file'],
    [6, 'not-a-flag'],
    [5, 'unsupported-optimizer'],
    [7, 'unknown-value'],
  ])
})

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
      fix: 'Name some of c_attn, c_proj, c_fc.',
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

  it.each(['r: 32\n  enabled: false', 'alpha: 16'])('has no adapters with %j', lora => {
    expect(trainingConfig(own(lora)).spec.lora).toBeUndefined()
  })

  it('has weights in four bits by use_4bit too', () => {
    expect(trainingConfig(`${own('rank: 8')}use_4bit: true\n`).spec.quantization).toBe('nf4')
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

it("takes Unsloth's gradient checkpointing for checkpointing", () => {
  const { spec, assumptions } = trainingConfig(`${gpt2}use_gradient_checkpointing: unsloth\n`)
  expect(spec.gradientCheckpointing).toBe(true)
  expect(assumptions.join(' ')).toContain('Unsloth moves to the host')
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
    'This file alone is read, though it builds on "sft-base": what they set is not known.',
  )
})
