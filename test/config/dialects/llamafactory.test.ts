import { describe, expect, it } from 'vitest'
import { onlyProblemIn, trainingConfig } from '../readings.ts'

const base = `model_name_or_path: Qwen/Qwen2.5-0.5B
stage: sft
do_train: true
template: qwen
per_device_train_batch_size: 4
`

describe('a config of LLaMA-Factory', () => {
  it('trains adapters of rank 8 on every linear layer of 2,048 tokens, checkpointed, unless told otherwise', () => {
    const reading = trainingConfig(`${base}bf16: true\n`)
    expect(reading).toMatchObject({
      dialect: 'LLaMA-Factory',
      batchSizeAt: { line: 5, column: 30 },
      spec: {
        sequenceLength: 2048,
        precision: 'bf16',
        optimizer: 'adamw-fused',
        gradientCheckpointing: true,
        lora: { rank: 8, dropout: 0 },
      },
    })
    expect(reading.spec.lora?.targets).toHaveLength(7)
  })

  it.each([
    ['finetuning_type: full\nbf16: true', 'amp-bf16'],
    ['finetuning_type: full\nfp16: true', 'amp-fp16'],
    ['finetuning_type: full\npure_bf16: true', 'bf16'],
    ['finetuning_type: full', 'fp32'],
    ['finetuning_type: full\nbf16: true\ndeepspeed: examples/deepspeed/ds_z3_config.json', 'bf16-master'],
    ['finetuning_type: full\npure_bf16: true\ndeepspeed: examples/deepspeed/ds_z2_config.json', 'bf16-master'],
    ['finetuning_type: lora', 'bf16'],
    ['finetuning_type: lora\nbf16: true', 'bf16', true],
    ['finetuning_type: lora\nfp16: true', 'bf16', true, true],
    [
      'finetuning_type: full\nfp16: true\ndeepspeed: examples/deepspeed/ds_z3_config.json',
      'bf16-master',
      undefined,
      true,
    ],
    ['finetuning_type: lora\npure_bf16: true', 'bf16'],
  ] as const)(
    'with %j has precision %s, under autocast: %s, in float16: %s',
    (text, precision, autocasts?: true, inFloat16?: true) => {
      const { spec } = trainingConfig(`${base}${text}\n`)
      expect([spec.precision, spec.autocasts, spec.inFloat16]).toEqual([precision, autocasts, inFloat16])
    },
  )

  it.each([
    ['', { gradientCheckpointing: true, reentrantCheckpoints: true }],
    ['use_reentrant_gc: false\n', { gradientCheckpointing: true, reentrantCheckpoints: false }],
    ['use_unsloth_gc: true\n', { gradientCheckpointing: true, reentrantCheckpoints: true, offloadsCheckpoints: true }],
    ['disable_gradient_checkpointing: true\n', { gradientCheckpointing: false }],
  ])('with %j checkpoints as its code does', (text, checkpointing) => {
    const { gradientCheckpointing, reentrantCheckpoints, offloadsCheckpoints } = trainingConfig(`${base}${text}`).spec
    expect({ gradientCheckpointing, reentrantCheckpoints, offloadsCheckpoints }).toEqual(checkpointing)
  })

  it.each([
    ['resize_vocab: true\n', ['embed_tokens', 'lm_head']],
    ['new_special_tokens: <a>,<b>\n', ['embed_tokens', 'lm_head']],
    ['resize_vocab: true\nadditional_target: lm_head\n', ['lm_head']],
    ['resize_vocab: false\n', undefined],
    ['resize_vocab: true\nadapter_name_or_path: saves/sft\n', undefined],
    ['resize_vocab: true\nadapter_name_or_path: saves/sft\ncreate_new_adapter: true\n', ['embed_tokens', 'lm_head']],
    ['resize_vocab: true\nfinetuning_type: full\n', undefined],
  ])('with %j trains these modules whole beside adapters: %j', (text, modules) => {
    expect(trainingConfig(`${base}${text}`).spec.lora?.modulesToSave).toEqual(modules)
  })

  it('says that adapters of an earlier run have the rank of that run', () => {
    const { assumptions, unreadSettings } = trainingConfig(`${base}adapter_name_or_path: saves/sft\n`)
    expect(assumptions.join(' ')).toContain('The adapters of "saves/sft" go on training')
    expect(unreadSettings).toMatchObject([{ name: 'adapter_name_or_path' }])
    expect(trainingConfig(base).assumptions.join(' ')).not.toContain('go on training')
  })

  it('gives MOSS-VL an image with every sample, as its plugin does, and other models none', () => {
    const ofModel = (model: string) => trainingConfig(base.replace('Qwen/Qwen2.5-0.5B', model)).spec.images
    expect(ofModel('OpenMOSS-Team/MOSS-VL-Instruct-0708')).toEqual({ tiles: 1, checkpointed: 'decoder' })
    expect(ofModel('google/gemma-3n-E2B-it')).toBeUndefined()
  })

  it.each([
    [
      '',
      756,
      "768×768 pixels, the largest that image_max_pixels, LLaMA-Factory's default, and the sequence allow: 729 of 2048",
    ],
    [
      'image_max_pixels: 262144\n',
      504,
      '512×512 pixels, the largest that image_max_pixels and the sequence allow: 324 of 2048',
    ],
    ['cutoff_len: 256\n', 448, 'the sequence allow: 256 of 256 tokens'],
  ])('with %j gives Qwen2.5-VL an image of %i pixels a side with every sample', (text, side, sentence) => {
    const seeing = base.replace('Qwen/Qwen2.5-0.5B', 'Qwen/Qwen2.5-VL-7B-Instruct')
    const { spec, assumptions } = trainingConfig(`${seeing}${text}`)
    expect(spec.images).toEqual({ tiles: 1, checkpointed: 'decoder', height: side, width: side })
    expect(assumptions.join(' ')).toContain(sentence)
  })

  it.each([
    ['', 1, undefined],
    ['crop_to_patches: true\n', 5, '768×768 pixels'],
    ['crop_to_patches: true\nimage_max_pixels: 200704\n', 1, '448×448 pixels'],
  ])('with %j has InternVL cut an image into %i tiles', (text, tiles, sentence) => {
    const seeing = base.replace('Qwen/Qwen2.5-0.5B', 'OpenGVLab/InternVL3_5-8B-HF')
    const { spec, assumptions } = trainingConfig(`${seeing}${text}`)
    expect(spec.images).toEqual({ tiles, checkpointed: 'decoder', height: 448, width: 448 })
    expect(assumptions.filter(each => each.includes('image_max_pixels'))).toEqual(
      sentence === undefined ? [] : [expect.stringContaining(sentence)],
    )
  })

  it("gives Gemma 3 images of its tower's size, whatever the limit", () => {
    const seeing = base.replace('Qwen/Qwen2.5-0.5B', 'google/gemma-3-4b-it')
    const { spec, assumptions } = trainingConfig(`${seeing}image_max_pixels: 262144\n`)
    expect(spec.images).toEqual({ tiles: 1, checkpointed: 'decoder', height: 896, width: 896 })
    expect(assumptions.join(' ')).not.toContain('image_max_pixels')
  })

  it.each([
    ['', ['model\\.language_model\\.', 'lm_head']],
    [
      'freeze_vision_tower: false\nfreeze_language_model: true\n',
      ['patch_embed', 'pos_embed', 'blocks', 'deepstack_merger_list'].map(part => String.raw`model\.visual\.${part}\.`),
    ],
    [
      'finetuning_type: full\nfreeze_language_model: true\nfreeze_multi_modal_projector: false\n',
      ['model\\.visual\\.merger\\.'],
    ],
  ])('with %j trains the parts of a vision-language model that are not frozen', (text, names) => {
    const seeing = base.replace('Qwen/Qwen2.5-0.5B', 'Qwen/Qwen2-VL-2B-Instruct')
    expect(trainingConfig(`${seeing}${text}`).spec.trainable).toEqual({ names, inputGradients: false })
  })

  it('refuses to train a vision-language model of which every part is frozen', () => {
    const seeing = base.replace('Qwen/Qwen2.5-0.5B', 'Qwen/Qwen2-VL-2B-Instruct')
    expect(onlyProblemIn(`${seeing}freeze_language_model: true\n`)).toMatchObject({
      code: 'unsupported-training',
      line: 6,
    })
  })

  it.each([
    ['quantization_bit: 4', 'nf4-double'],
    ['quantization_bit: 4\ndouble_quantization: false', 'nf4'],
  ])('with %j has weights in %s', (text, quantization) => {
    const { spec, unreadSettings } = trainingConfig(`${base}${text}\nquantization_type: nf4\n`)
    expect(spec.quantization).toBe(quantization)
    expect(unreadSettings).toBeUndefined()
  })

  it('with a checkpoint of GPTQ has its 4-bit integers, whatever quantization_bit says', () => {
    const text = base.replace('Qwen/Qwen2.5-0.5B', 'acme/Qwen2.5-0.5B-GPTQ')
    expect(trainingConfig(`${text}quantization_bit: 8\n`).spec.quantization).toBe('gptq')
    expect(onlyProblemIn(`${text}finetuning_type: full\n`).code).toBe('quantised-without-adapter')
  })

  it('with a checkpoint of AQLM has its 2 bits where they are of one codebook', () => {
    const named = (format: string) => base.replace('Qwen/Qwen2.5-0.5B', `acme/Qwen2.5-0.5B-${format}`)
    expect(trainingConfig(named('AQLM-2Bit-1x16')).spec.quantization).toBe('aqlm')
    expect(onlyProblemIn(named('AQLM-2Bit-2x8')).code).toBe('unsupported-quantization')
    expect(onlyProblemIn(`${named('AQLM-2Bit-1x16')}finetuning_type: full\n`).message).toContain('The 2-bit weights')
  })

  it.each([
    ['quantization_bit: 3', 'unsupported-quantization'],
    ['quantization_bit: 4\nquantization_method: hqq', 'unsupported-quantization'],
    ['quantization_bit: 4\nfinetuning_type: full', 'quantised-without-adapter'],
    ['finetuning_type: freeze\nuse_llama_pro: true', 'unsupported-setting'],
    ['finetuning_type: freeze\nfreeze_trainable_modules: mlp.*', 'unknown-value'],
    ['use_asft_loss: true', 'unsupported-setting'],
    ['finetuning_type: full\nuse_badam: true\nbadam_mode: ratio', 'unsupported-training'],
    ['finetuning_type: oft\noft_rank: 8', 'unsupported-setting'],
    ['use_galore: true', 'unsupported-setting'],
    ['use_kt: true', 'unsupported-setting'],
    ['finetuning_type: full\npure_bf16: true\ndeepspeed: ds_z3_config.json', 'unsupported-setting'],
    ['finetuning_type: full\npure_bf16: true\nbf16: true', 'precision-conflict'],
    ['tensor_model_parallel_size: 4', 'unsupported-setting'],
    ['mixture_of_depths: convert', 'unsupported-setting'],
    ['lora_target: c_attn', 'no-such-lora-target'],
  ])('with %j is refused', (text, code) => {
    expect(onlyProblemIn(`${base}${text}\n`).code).toBe(code)
  })

  it.each([
    ['stage: dpo', { kind: 'preference', reference: 'adapters-off', withCrossEntropy: false }],
    ['stage: dpo\nfinetuning_type: full', { kind: 'preference', reference: 'copy' }],
    ['stage: dpo\nref_model: Qwen/Qwen2.5-0.5B', { kind: 'preference', reference: 'copy' }],
    ['stage: dpo\npref_loss: simpo', { kind: 'preference', reference: 'none' }],
    ['stage: orpo', { kind: 'preference', reference: 'none' }],
    ['stage: kto', { kind: 'kto', reference: 'adapters-off' }],
  ])('with %j compares answers', (text, method) => {
    const { spec } = trainingConfig(`${base.replace('stage: sft\n', '')}${text}\n`)
    expect(spec).toMatchObject({ method: { ...method, logProbabilities: 'llamafactory' }, dropout: false })
  })

  it.each([
    ['use_muon: true', 'adamw-fused'],
    ['use_adam_mini: true', 'adam-mini'],
    ['use_muon: false\noptim: rmsprop', 'rmsprop'],
  ])('with %j has the optimizer %s', (text, optimizer) => {
    expect(trainingConfig(`${base}${text}\n`).spec.optimizer).toBe(optimizer)
  })

  it.each([
    ['finetuning_type: oft', { rank: 32, form: 'oft' }],
    ['finetuning_type: oft\noft_block_size: 64', { rank: 64, form: 'oft' }],
    ['use_dora: true', { rank: 8, form: 'dora' }],
  ])('with %j has other adapters than low-rank products', (text, adapters) => {
    expect(trainingConfig(`${base}${text}\n`).spec).toMatchObject({ lora: adapters, precision: 'bf16' })
  })

  it.each([
    ['', [22, 23]],
    ['freeze_trainable_layers: 1\n', [23]],
    ['freeze_trainable_layers: -2\n', [0, 1]],
  ])('that freezes with %j trains the blocks %j, in float32 over the rest in 16 bits', (text, blocks) => {
    const { spec } = trainingConfig(`${base}finetuning_type: freeze\nbf16: true\n${text}`)
    expect(spec.trainable).toEqual({
      names: blocks.map(block => String.raw`.*\.${block}\.`),
      inputGradients: false,
    })
    expect(spec.precision).toBe('amp-bf16')
  })

  it('that freezes may train some modules of the blocks and some beside them', () => {
    const text = 'freeze_trainable_layers: 1\nfreeze_trainable_modules: mlp,self_attn\nfreeze_extra_modules: norm\n'
    expect(trainingConfig(`${base}finetuning_type: freeze\n${text}`).spec.trainable?.names).toEqual([
      String.raw`.*\.23\.mlp`,
      String.raw`.*\.23\.self_attn`,
      '.*norm',
    ])
  })

  it('with use_badam trains the first block, its heaviest, over copies in float32', () => {
    const { spec } = trainingConfig(`${base}finetuning_type: full\nuse_badam: true\n`)
    expect(spec).toMatchObject({
      trainable: { names: [String.raw`.*layers\.0\.`], inputGradients: false },
      precision: 'bf16-master',
    })
  })

  it('with use_asft_loss holds the policy to a frozen copy', () => {
    const { spec, assumptions } = trainingConfig(`${base}finetuning_type: full\nuse_asft_loss: true\n`)
    expect(spec.method).toEqual({ kind: 'asft' })
    expect(assumptions.join(' ')).toContain('A frozen copy of the model processes the same batch')
  })

  it('with additional_target trains those modules whole', () => {
    const { spec } = trainingConfig(`${base}lora_target: q_proj\nadditional_target: embed_tokens,lm_head\n`)
    expect(spec.lora).toEqual({ rank: 8, targets: ['q_proj'], dropout: 0, modulesToSave: ['embed_tokens', 'lm_head'] })
  })

  it('of the stage rm has a value head beside the output layer, two sequences a sample', () => {
    const { spec, assumptions } = trainingConfig(base.replace('stage: sft', 'stage: rm'))
    expect(spec).toMatchObject({ method: { kind: 'reward', head: 'value' }, task: 'causal-lm' })
    expect(assumptions.join(' ')).toContain('Each sample is two sequences')
  })

  it('of the stage ppo generates between its steps, and what that holds is said to be missing', () => {
    const problem = onlyProblemIn(base.replace('stage: sft', 'stage: ppo'))
    expect(problem).toMatchObject({ code: 'unsupported-training', line: 2 })
    expect(problem.message).toContain('needs for generation')
  })

  it('of a stage that there is not is refused with those that there are', () => {
    const problem = onlyProblemIn(base.replace('stage: sft', 'stage: sfft'))
    expect(problem).toMatchObject({ code: 'unsupported-training', line: 2 })
    expect(problem.message).toContain('no stage "sfft"')
    expect(problem.fix).toContain('pt, sft, rm, ppo, dpo or kto')
  })

  it('that only chats or merges is left alone', () => {
    expect(() => trainingConfig('model_name_or_path: gpt2\ntemplate: default\nfinetuning_type: lora\n')).toThrow(
      'not a training config',
    )
  })
})

describe("LLaMA-Factory's second format", () => {
  const v1 = 'model: Qwen/Qwen3-0.6B\nmicro_batch_size: 2\ncutoff_len: 1024\ntrain_dataset: data/demo.yaml\n'

  it('becomes a spec', () => {
    expect(trainingConfig(`${v1}peft_config: {name: lora, r: 16, target_modules: all}\n`)).toMatchObject({
      dialect: 'LLaMA-Factory v1',
      batchSizeAt: { line: 2, column: 19 },
      spec: { microBatch: 2, sequenceLength: 1024, precision: 'bf16', optimizer: 'adamw', lora: { rank: 16 } },
    })
  })

  it('divides a sequence among the GPUs that cp_size names', () => {
    expect(trainingConfig(`${v1}dist_config: {name: fsdp2, cp_size: 2}\n`).spec).toMatchObject({
      sharding: 'fsdp',
      gpus: 2,
      sequenceLength: 512,
    })
    expect(trainingConfig(`${v1}dist_config: {name: fsdp2, cp_size: 1}\n`).spec.sequenceLength).toBe(1024)
  })

  it('freezes all but the last two blocks, which train in float32 beside their copy in 16 bits', () => {
    expect(trainingConfig(`${v1}peft_config: {name: freeze}\n`).spec).toMatchObject({
      trainable: { names: [String.raw`.*\.26\.`, String.raw`.*\.27\.`], inputGradients: true },
      precision: 'bf16-master',
    })
    const uncast = `${v1}peft_config: {name: freeze, cast_trainable_params_to_fp32: false}\n`
    expect(trainingConfig(uncast).spec.precision).toBe('bf16')
  })

  it('names the file of DeepSpeed in dist_config', () => {
    const text = `${v1}dist_config: {name: deepspeed, config_file: examples/deepspeed/ds_z2_config.json}\n`
    expect(trainingConfig(text).spec).toMatchObject({ sharding: 'zero2', precision: 'bf16-master' })
  })
})

it('is found one level down too, where a launcher hands a mapping on', () => {
  const text = `backend: llamafactory
llamafactory:
  model_name_or_path: Qwen/Qwen2.5-0.5B
  stage: sft
  finetuning_type: full
  cutoff_len: 4096
  per_device_train_batch_size: 2
`
  expect(trainingConfig(text)).toMatchObject({
    dialect: 'LLaMA-Factory',
    batchSizeAt: { line: 7, column: 32 },
    spec: { model: 'Qwen/Qwen2.5-0.5B', microBatch: 2, sequenceLength: 4096, gradientCheckpointing: true },
  })
})
