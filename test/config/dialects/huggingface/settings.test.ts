import { describe, expect, it } from 'vitest'
import { onlyProblemIn, problemsIn, trainingConfig } from '../../readings.ts'
import { bert, llama } from './configs.ts'

describe('precision', () => {
  it.each([
    ['', 'fp32'],
    ['fp16: true\n', 'amp-fp16'],
    ['bf16: yes\n', 'amp-bf16'],
    ['bf16: false\n', 'fp32'],
    ['torch_dtype: bfloat16\n', 'bf16'],
    ['bf16: true\ndtype: torch.bfloat16\n', 'bf16', true],
    ['bf16: true\ntorch_dtype: float32\n', 'amp-bf16'],
    ['torch_dtype: auto\n', 'fp32'],
    // Nothing scales.
    ['torch_dtype: float16\n', 'bf16', undefined, true],
    ['dtype: half\nbf16: false\n', 'bf16', undefined, true],
    ['torch_dtype: float16\nfp16: true\nuse_peft: true\n', 'bf16', true, true],
    // Quantised layers cast nothing.
    ['torch_dtype: float16\nbf16: true\nuse_peft: true\nload_in_4bit: true\n', 'bf16', true],
    ['torch_dtype: bfloat16\nfp16: true\nuse_peft: true\nload_in_4bit: true\n', 'bf16', true, true],
    ['fp16: true\nuse_peft: true\n', 'amp-fp16'],
    [
      'fp16: true\ndeepspeed: { zero_optimization: { stage: 2 }, fp16: { enabled: auto } }\n',
      'bf16-master',
      undefined,
      true,
    ],
  ] as const)(
    'of %j is %s, under autocast: %s, in float16: %s',
    (text, precision, autocasts?: true, inFloat16?: true) => {
      const { spec } = trainingConfig(bert + text)
      expect([spec.precision, spec.autocasts, spec.inFloat16]).toEqual([precision, autocasts, inFloat16])
    },
  )

  it.each([
    ['torch_dtype: float16\nfp16: true\n', 'unsupported-precision', 3],
    ['torch_dtype: float16\nbf16: true\n', 'unsupported-precision', 3],
    ['torch_dtype: float16\nbf16: true\nuse_peft: true\n', 'unsupported-precision', 3],
    ['torch_dtype: bfloat16\nfp16: true\nuse_peft: true\n', 'unsupported-precision', 3],
    ['torch_dtype: int3\n', 'unknown-precision', 3],
    ['fp16: true\nbf16: true\n', 'precision-conflict', 4],
    ['fp16: true\ntorch_dtype: bfloat16\n', 'precision-conflict', 3],
    ['fp16: "true"\n', 'not-a-flag', 3],
  ])('of %j is refused', (text, code, line) => {
    expect(onlyProblemIn(bert + text)).toMatchObject({ code, line })
  })
})

describe('the device', () => {
  it.each(['use_cpu', 'no_cuda'])('gets no verdict for a GPU with %s', key => {
    expect(onlyProblemIn(`${bert}${key}: true\n`)).toMatchObject({ code: 'not-on-gpu', field: key, line: 3 })
    expect(trainingConfig(`${bert}${key}: false\n`).spec.gpus).toBe(1)
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
    ['lion_32bit', 'lion-32bit'],
  ])('%s is %s', (name, optimizer) => {
    expect(trainingConfig(`${bert}optim: ${name}\n`).spec.optimizer).toBe(optimizer)
  })

  it('is what the Trainer calls so, under a name of the team’s own', () => {
    const optimizerOf = (lines: string) => trainingConfig(`${bert}${lines}\n`).spec.optimizer
    expect(optimizerOf('optimizer: paged_adamw_8bit')).toBe('paged-adamw-8bit')
    expect(optimizerOf('optimizer: paged_adamw_8bit\noptim: adamw_torch')).toBe('adamw')
    // A word that others have too says nothing of the Trainer's.
    expect(optimizerOf('optimizer: adamw')).toBe('adamw-fused')
  })

  it('that is fused by default is fused here', () => {
    expect(trainingConfig(bert).spec.optimizer).toBe('adamw-fused')
  })

  it('that cannot be modelled yet is told so', () => {
    expect(onlyProblemIn(`${bert}optim: adalomo\n`)).toMatchObject({
      code: 'unsupported-optimizer',
      message: 'The optimizer "adalomo" is not supported yet',
      fix: expect.stringMatching(/^Supported: adamw_torch, .* or lion_32bit\.$/),
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
  it.each([['flash_attention_2'], ['flash_attention_3'], ['kernels-community/flash-attn2']])(
    '%s is flash attention',
    name => {
      expect(trainingConfig(`${bert}attn_implementation: ${name}\n`).spec.attention).toBe('flash')
    },
  )

  it('other kernels without masks count as flash attention, and say so', () => {
    const reading = trainingConfig(`${bert}attn_implementation: flex_attention\n`)
    expect(reading.spec.attention).toBe('flash')
    expect(reading.assumptions).toContain('"flex_attention" is counted as flash attention: both use the same memory.')
  })

  it('use_gradient_checkpointing counts as gradient_checkpointing', () => {
    expect(trainingConfig(`${bert}use_gradient_checkpointing: true\n`).spec.gradientCheckpointing).toBe(true)
  })

  it.each([
    ['load_in_4bit: true', 'quantised-without-adapter'],
    ['load_in_8bit: true', 'quantised-without-adapter'],
    ['finetuning_type: oft', 'unsupported-setting'],
    ['deepspeed: ds.json', 'not-in-file'],
    ['reward_model_path: a/b', 'unsupported-training'],
  ])('%s is refused rather than ignored', (line, code) => {
    expect(onlyProblemIn(`${bert}${line}\n`)).toMatchObject({ code, line: 3 })
  })

  it("quantised weights in keys of a team's own may get adapters in its code", () => {
    expect(onlyProblemIn(`${bert}loader: { load_in_4bit: true }\n`)).toMatchObject({
      code: 'not-in-file',
      message: expect.stringContaining('the code that reads loader.load_in_4bit may add them'),
    })
  })

  it.each([
    ['train_mode: qlora\n', 'nf4'],
    ['train_mode: QLoRA\nuse_bnb_nested_quant: true\n', 'nf4-double'],
    ['train_mode: lora\n', undefined],
  ])('adapters beside %j are over weights of %s', (line, quantization) => {
    const { spec } = trainingConfig(`${llama}lora_rank: 64\n${line}`)
    expect(spec.lora?.rank).toBe(64)
    expect(spec.quantization).toBe(quantization)
  })

  it.each(['train_mode: qlora', 'train_mode: lora', 'train_type: custom_qlora', 'finetuning_method: hqq_dora'])(
    '%s without the shape of adapters is asked about',
    text => {
      expect(onlyProblemIn(`${llama}${text}\n`)).toMatchObject({ code: 'not-in-file', line: 3 })
    },
  )

  it('a method beside adapters that are switched off is only named', () => {
    expect(trainingConfig(`${llama}train_mode: lora\nuse_lora: false\n`).spec.lora).toBeUndefined()
  })

  it('a path that says Unsloth leaves to the script whether its kernels run, and nothing blocks', () => {
    const read = (path: string) =>
      trainingConfig('model_name_or_path: unsloth/Llama-3.2-1B\nper_device_train_batch_size: 4\nbf16: true\n', path)
    expect(read('config/sft_unsloth.yaml')).toMatchObject({
      assumesCode: true,
      assumptions: expect.arrayContaining([expect.stringContaining('The path says Unsloth')]),
    })
    expect(read('config/sft.yaml').assumesCode).toBeUndefined()
  })

  it('a path that says QLoRA, beside adapters alone, leaves quantisation to the script', () => {
    const read = (path: string, more = '') => trainingConfig(`${llama}lora_rank: 64\n${more}`, path)
    expect(read('sft/llama2-7b-qlora.yaml')).toMatchObject({ assumesCode: true })
    expect(read('sft/llama2-7b-qlora.yaml').assumptions.join()).toContain('The path says QLoRA')
    for (const open of [read('sft/llama2-7b-lora.yaml'), read('sft/llama2-7b-qlora.yaml', 'load_in_4bit: true\n')]) {
      expect(open.assumesCode).toBeUndefined()
    }
  })

  it('a path that says DPO, above a file that says no method, leaves it to the script, and its weight is named', () => {
    const text = `${bert}beta: 0.1\n`
    const open = trainingConfig(text, 'configs/train_dpo.yaml')
    expect(open).toMatchObject({ assumesCode: true, unreadSettings: [{ name: 'beta' }] })
    expect(open.assumptions.join()).toContain('The path says DPO')
    expect(trainingConfig(text, 'configs/train_sft.yaml').unreadSettings).toBeUndefined()
  })

  it('a batch of all GPUs that no accumulation goes with is named, unless the micro-batches make it', () => {
    const named = (more: string) => trainingConfig(`${bert}${more}`).unreadSettings?.map(({ name }) => name)
    const { microBatch } = trainingConfig(bert).spec
    expect(named(`effective_batch_size: ${microBatch * 4}\n`)).toEqual(['effective_batch_size'])
    expect(named(`effective_batch_size: ${microBatch}\n`)).toBeUndefined()
    expect(named(`effective_batch_size: ${microBatch * 4}\ngradient_accumulation_steps: 4\n`)).toBeUndefined()
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
    expect(trainingConfig(`${bert}fsdp: [shard_grad_op]\n`).spec.sharding).toBe('fsdp-grad-op')
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

describe('a switch for quantisation', () => {
  const text =
    'model: { hf_model_ckpt: openai-community/gpt2, quantize: true }\nlora: { r: 8 }\nper_device_train_batch_size: 4\n'

  it('leaves the bits to the key beside it', () => {
    expect(trainingConfig(`${text}load_in_8bit: true\n`).spec.quantization).toBe('int8')
  })

  it('says too little alone', () => {
    expect(onlyProblemIn(text)).toMatchObject({ code: 'unsupported-quantization', line: 1, field: 'model.quantize' })
  })
})
