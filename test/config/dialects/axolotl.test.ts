import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { onlyProblemIn, trainedBy, trainingConfig } from '../readings.ts'
import { base } from './axolotl/base.ts'

describe('a config of Axolotl', () => {
  it.each([
    ['', true],
    ['freeze_mm_modules: true\n', undefined],
    ['adapter: lora\nlora_target_linear: true\n', undefined],
  ])('that names a processor trains what sees images, but not with %j', (settings, trains) => {
    const seeing = base.replace('meta-llama/Llama-3.2-1B', 'Qwen/Qwen2.5-VL-3B-Instruct')
    expect(trainingConfig(`${seeing}processor_type: AutoProcessor\n${settings}`).spec.trainsTowers).toBe(trains)
    expect(trainingConfig(`${seeing}${settings}`).spec.trainsTowers).toBeUndefined()
    expect(trainingConfig(`${base}processor_type: AutoProcessor\n${settings}`).spec.trainsTowers).toBeUndefined()
  })

  it('goes on with the adapters of an earlier run, as this one has them', () => {
    const { assumptions } = trainingConfig(`${base}adapter: lora\nlora_target_linear: true\nlora_model_dir: ./out\n`)
    expect(assumptions.join(' ')).toContain('The adapters of "./out" go on training')
    expect(trainingConfig(`${base}lora_model_dir: ./out\n`).assumptions.join(' ')).not.toContain('go on training')
  })

  it('becomes a spec with the places of batch size and accumulation', () => {
    const reading = trainingConfig(`${base}gradient_accumulation_steps: 4\noptimizer: adamw_bnb_8bit\nbf16: auto\n`)
    expect(reading).toMatchObject({
      dialect: 'Axolotl',
      batchSizeAt: { line: 3, column: 19 },
      gradientAccumulationAt: { line: 5, column: 30 },
      spec: {
        model: 'meta-llama/Llama-3.2-1B',
        task: 'causal-lm',
        microBatch: 2,
        gradientAccumulation: 4,
        sequenceLength: 2048,
        precision: 'bf16',
        optimizer: 'adamw-8bit',
        gradientCheckpointing: false,
        loop: 'trainer',
      },
    })
  })

  it('takes 512 tokens, fused AdamW and bf16 where it says nothing', () => {
    const reading = trainingConfig('base_model: gpt2\nmicro_batch_size: 1\ndatasets: []\n')
    expect(reading.spec).toMatchObject({ sequenceLength: 512, optimizer: 'adamw-fused', precision: 'bf16' })
    expect(reading.assumptions).toContain("Sequences of 512 tokens, Axolotl's default: the config sets no length.")
  })

  it('needs more than a model and a data set, as a model card has them too', () => {
    expect(() => trainingConfig('base_model: gpt2\ndatasets: [acme/chat]\n')).toThrow('not a training config')
  })
})

describe('options of alpaca-lora', () => {
  const own =
    'base_model: huggyllama/llama-7b\nmicro_batch_size: 4\nlearning_rate: 3.0e-4\nlora_r: 8\nval_set_size: 2000\n'
  const data = 'data_path: yahma/alpaca-cleaned\ncutoff_len: 256\nbatch_size: 128\n'

  it('are not Axolotl’s, although models and micro-batches are called the same', () => {
    expect(trainingConfig(`${own}${data}`)).toMatchObject({
      dialect: 'Custom keys',
      spec: { microBatch: 4, gradientAccumulation: 32, sequenceLength: 256, lora: { rank: 8 } },
    })
  })

  it('beside data that Axolotl takes leave the file to it', () => {
    expect(trainingConfig(`${own}${data}datasets: [{ path: acme/chat }]\n`).dialect).toBe('Axolotl')
  })
})

describe('adapters of Axolotl', () => {
  const qlora = `${base}adapter: qlora\nload_in_4bit: true\nlora_r: 32\nlora_dropout: 0.05\n`

  it('lie over whole weights for lora, whatever load_in_4bit says, which is named', () => {
    const { spec, unreadSettings, assumptions } = trainingConfig(qlora.replace('adapter: qlora', 'adapter: lora'))
    expect(spec.quantization).toBeUndefined()
    expect(unreadSettings).toEqual([{ name: 'load_in_4bit', at: { line: 6, column: 15 } }])
    expect(assumptions.join(' ')).toContain('Axolotl quantises to 4 bits for adapter: qlora')
    expect(trainingConfig(qlora).unreadSettings).toBeUndefined()
  })

  it('lie over 4 bits for lora too where transformers is older than 5', async () => {
    const text = qlora.replace('adapter: qlora', 'adapter: lora')
    const readBy = async (version: string) =>
      trainedBy(
        await readConfigAsync(
          { path: 'train.yaml', text },
          {},
          { versions: [{ library: 'transformers', version, place: 'settings' }] },
        ),
      )
    const older = await readBy('4.46.0')
    expect(older.spec).toMatchObject({ quantization: 'nf4', quantizesOnLoad: true })
    expect(older.unreadSettings).toBeUndefined()
    expect((await readBy('5.0.0')).spec.quantization).toBeUndefined()
  })

  it('lie on every linear layer with lora_target_linear, over weights in nf4 with quantised constants', () => {
    expect(trainingConfig(`${qlora}lora_target_linear: true\n`).spec).toMatchObject({
      lora: {
        rank: 32,
        targets: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
        dropout: 0.05,
      },
      quantization: 'nf4-double',
    })
  })

  it.each([
    ['[q_proj, v_proj]', ['q_proj', 'v_proj']],
    ['all-linear', ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']],
    ["'model.layers.[0-9]+.mlp.(up|down)_proj|q_proj'", ['q_proj', 'up_proj', 'down_proj']],
  ])('lie on what lora_target_modules: %s names', (targets, expected) => {
    expect(trainingConfig(`${qlora}lora_target_modules: ${targets}\n`).spec.lora?.targets).toEqual(expected)
  })

  it.each([
    ['lora_target_linear: true', ['q_proj', 'k_proj', 'v_proj', 'o_proj']],
    ['lora_target_modules: [q_proj, gate_proj, up_proj]', ['q_proj', 'gate_proj', 'up_proj']],
    ['lora_target_modules: all-linear', ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']],
  ])('of a mixture of experts lie on them only where %s names them', (targets, expected) => {
    const text = `${base.replace(/base_model: .*/, 'base_model: Qwen/Qwen3-30B-A3B')}adapter: lora\nlora_r: 8\n${targets}\n`
    expect(trainingConfig(text).spec.lora?.targets).toEqual(expected)
  })

  it('lie over 8-bit weights where the config loads them so', () => {
    expect(trainingConfig(`${base}adapter: lora\nload_in_8bit: true\n`).spec.quantization).toBe('int8')
  })

  it.each([
    ['acme/Llama-3.2-1B', 'gptq: true\n', 'gptq'],
    ['acme/Llama-3.2-1B-GPTQ', '', 'gptq'],
    ['acme/Llama-3.2-1B-AWQ', '', 'awq'],
  ])('lie over the 4-bit integers that %s with %j holds', (model, line, format) => {
    const text = base.replace('meta-llama/Llama-3.2-1B', model)
    expect(trainingConfig(`${text}adapter: lora\n${line}`).spec.quantization).toBe(format)
  })

  it.each(['acme/Llama-3.2-1B-NVFP4', './Llama-3.2-1B-w4a16-experts', 'acme/Llama-3.2-1B-Int4'])(
    'over weights in formats that are not modelled are refused: %s',
    model => {
      const text = base.replace('meta-llama/Llama-3.2-1B', model)
      expect(onlyProblemIn(`${text}adapter: lora\n`).code).toBe('unsupported-quantization')
    },
  )

  it('are what 4-bit weights need', () => {
    expect(onlyProblemIn(`${base}load_in_4bit: true\n`)).toMatchObject({ code: 'quantised-without-adapter', line: 5 })
  })
})

describe('precision in Axolotl', () => {
  it.each([
    ['', 'bf16', true],
    ['bf16: auto', 'bf16', true],
    ['bf16: true', 'bf16', true],
    ['bf16: full', 'bf16'],
    ['fp16: true', 'bf16', true, true],
    ['bf16: auto\nfp16: true', 'bf16', true, true],
    ['bf16: true\nfp16: true', 'bf16', true],
    ['fp16: true\ndeepspeed: deepspeed_configs/zero3.json', 'bf16-master', undefined, true],
    ['bf16: false\ntf32: true', 'tf32'],
    ['bf16: false\ntf32: false', 'fp32'],
    ['bf16: false\nfp16: false\nfloat16: true', 'bf16', undefined, true],
    ['bf16: false\nbfloat16: true', 'bf16'],
    ['bf16: true\nbfloat16: true', 'bf16', true],
    ['bf16: true\ndeepspeed: deepspeed_configs/zero3.json', 'bf16-master'],
    ['bf16: true\nfsdp: [full_shard, auto_wrap]', 'bf16-master'],
    ['bf16: true\nadapter: lora\nfsdp: [full_shard, auto_wrap]', 'bf16', true],
  ] as const)(
    'of %j is %s, under autocast: %s, in float16: %s',
    (text, precision, autocasts?: true, inFloat16?: true) => {
      const { spec } = trainingConfig(`${base}${text}\n`)
      expect([spec.precision, spec.autocasts, spec.inFloat16]).toEqual([precision, autocasts, inFloat16])
    },
  )
})

describe('other switches of Axolotl', () => {
  it.each([
    ['flash_attention: true', false],
    ['sample_packing: true', false],
    ['sdp_attention: true', true],
  ])('%s decides whether a padding mask is kept', (line, padded) => {
    expect(trainingConfig(`${base}${line}\n`).spec.paddedBatches).toBe(padded)
  })

  it.each([
    'plugins: [axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin]',
    'plugins: [axolotl.integrations.liger.LigerPlugin]\nliger_fused_linear_cross_entropy: true',
  ])('%j fuses the loss', text => {
    expect(trainingConfig(`${base}${text}\n`).spec.fusedLoss).toBe(true)
  })

  it("Axolotl's own zero2.json moves the optimizer to the host, though its name does not say so", () => {
    const { spec } = trainingConfig(`${base}deepspeed: deepspeed_configs/zero2.json\n`)
    expect(spec).toMatchObject({ sharding: 'zero2', offload: 'optimizer', precision: 'bf16-master' })
  })

  it('offloaded checkpoints are on the host between the passes', () => {
    const { spec } = trainingConfig(`${base}gradient_checkpointing: offload\n`)
    expect(spec).toMatchObject({ gradientCheckpointing: true, offloadsCheckpoints: true })
  })

  it('liger_rms_norm fuses the norms', () => {
    expect(trainingConfig(`${base}liger_rms_norm: true\n`).spec.fusedNorms).toBe(true)
  })

  it.each([
    ['gradient_checkpointing: true\n', true],
    ['gradient_checkpointing: true\nrl:\nunfrozen_parameters:\n', true],
    ['gradient_checkpointing: true\nrl: dpo\n', false],
    ["gradient_checkpointing: true\nunfrozen_parameters: ['^lm_head']\n", false],
    ['gradient_checkpointing: true\ngradient_checkpointing_kwargs: {use_reentrant: false}\n', false],
    ['gradient_checkpointing: offload\n', undefined],
    ['', undefined],
  ])('%j checkpoints reentrantly: %s', (settings, reentrant) => {
    expect(trainingConfig(`${base}${settings}`).spec.reentrantCheckpoints).toBe(reentrant)
  })

  it('Gemma 4 is never checkpointed reentrantly', () => {
    const text = base.replace('meta-llama/Llama-3.2-1B', 'google/gemma-4-E2B')
    expect(trainingConfig(`${text}gradient_checkpointing: true\n`).spec.reentrantCheckpoints).toBe(false)
  })

  it('use_reentrant and fsdp_version are as written', () => {
    const text = `${base}gradient_checkpointing_kwargs:\n  use_reentrant: true\nfsdp: [full_shard]\nfsdp_version: 2\n`
    expect(trainingConfig(text).spec).toMatchObject({ reentrantCheckpoints: true, sharding: 'fsdp', fsdpVersion: 2 })
  })

  it.each([
    ['rl: ppo', 'unsupported-training'],
    ['plugins: [axolotl.integrations.hatchery.HatcheryPlugin]', 'trained-elsewhere'],
    ['gptq: true', 'quantised-without-adapter'],
    ["unfrozen_parameters: ['(?!lm_head)']", 'unsupported-setting'],
    ['qat: {activation_dtype: float8, weight_dtype: int4}', 'unsupported-training'],
    ['deepspeed: my_config.json', 'not-in-file'],
    ['micro_batch_sizes: 4\noptimizer: dion_8bit_of_mine', 'unknown-optimizer'],
    ['optimizer: galore_adamw', 'unsupported-optimizer'],
  ])('%j is refused rather than ignored', (text, code) => {
    expect(onlyProblemIn(`${base}${text}\n`).code).toBe(code)
  })
})

it('Muon is counted as what holds more, and it says so', () => {
  const { spec, assumptions } = trainingConfig(`${base}optimizer: muon\n`)
  expect(spec.optimizer).toBe('adamw-fused')
  expect(assumptions.join(' ')).toContain('the estimate is high')
})
