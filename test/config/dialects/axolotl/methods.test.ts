/** What Axolotl trains, and how, beside the usual. */
import { describe, expect, it } from 'vitest'
import { effectiveBatch } from '../../../../engine/training/batches.ts'
import { onlyProblemIn, trainingConfig } from '../../readings.ts'
import { base } from './base.ts'

describe('what Axolotl trains beside the usual', () => {
  const lora = 'adapter: lora\nlora_r: 8\nlora_target_modules: [q_proj]\n'

  it('embeddings and output layers that lora_modules_to_save names train whole', () => {
    const text = `${base}${lora}lora_modules_to_save: [embed_tokens, lm_head]\n`
    expect(trainingConfig(text).spec.lora).toEqual({
      rank: 8,
      targets: ['q_proj'],
      dropout: 0,
      modulesToSave: ['embed_tokens', 'lm_head'],
    })
  })

  it('sample_packing of a gated delta net needs flash-linear-attention, which Axolotl asks for', () => {
    const model = base.replace(/base_model: .*/, 'base_model: Qwen/Qwen3.5-0.8B')
    const packed = trainingConfig(`${model}sample_packing: true\n`)
    expect(packed.spec.versions).toEqual({ 'flash-linear-attention': '0.4' })
    expect(packed.assumptions.join(' ')).toContain('flash-linear-attention is installed')
    expect(trainingConfig(model).spec.versions).toBeUndefined()
    expect(trainingConfig(`${base}sample_packing: true\n`).spec.versions).toBeUndefined()
  })

  it('peft_use_dora learns magnitudes beside the low-rank products', () => {
    expect(trainingConfig(`${base}${lora}peft_use_dora: true\n`).spec.lora?.form).toBe('dora')
  })

  it('tensor_parallel_size divides layers, beside what dp_shard_size divides', () => {
    const { spec } = trainingConfig(`${base}dp_shard_size: 2\ntensor_parallel_size: 4\n`)
    expect(spec).toMatchObject({ gpus: 8, tensorParallel: { gpus: 4, dividesTokens: false } })
  })

  it('diffusion tells masked tokens again that see all others, through a mask of their own', () => {
    const { spec, assumptions } = trainingConfig(`${base}diffusion: {noise_schedule: linear}\nsample_packing: true\n`)
    expect(spec).toMatchObject({ method: { kind: 'masked-diffusion' }, paddedBatches: true })
    expect(assumptions.join(' ')).toContain('Every token is counted as masked')
  })

  it.each([
    ['', undefined],
    ['use_scattermoe: true\n', 'axolotl-kernels'],
    ['use_sonicmoe: true\nquantize_moe_experts: true\n', 'axolotl-kernels'],
  ])("lora_target_parameters puts adapters on experts' matrices, with %j in Axolotl's kernels: %j", (line, style) => {
    const text = base.replace('meta-llama/Llama-3.2-1B', 'Qwen/Qwen3-30B-A3B')
    const experts = 'lora_target_parameters: [experts.gate_up_proj, experts.down_proj]\n'
    const { lora, expertStyle } = trainingConfig(`${text}adapter: lora\n${experts}${line}`).spec
    expect(lora).toMatchObject({ targets: [], parameters: ['gate_up_proj', 'down_proj'] })
    expect(expertStyle).toBe(style)
  })

  it('quantised experts under FSDP are refused, as Axolotl says that FSDP does not divide them all', () => {
    const mixture = base.replace('meta-llama/Llama-3.2-1B', 'zai-org/GLM-4.7-Flash')
    const quantised = `${mixture}adapter: qlora\nload_in_4bit: true\nlora_target_modules: [o_proj]\nquantize_moe_experts: true\n`
    expect(trainingConfig(quantised).spec.quantizedExperts).toBe(true)
    expect(onlyProblemIn(`${quantised}fsdp_config: { fsdp_version: 2 }\n`)).toMatchObject({
      code: 'unsupported-setting',
      field: 'quantize_moe_experts',
    })
  })

  it("layers named by the end of their path do not reach experts' matrices of the same last name", () => {
    const text = base.replace('meta-llama/Llama-3.2-1B', 'Qwen/Qwen3-Next-80B-A3B-Instruct')
    const targetsOf = (names: string) =>
      trainingConfig(`${text}adapter: lora\nlora_target_modules: [${names}]\n`).spec.lora?.targets
    expect(targetsOf('self_attn.q_proj, shared_expert.up_proj')).toEqual(['q_proj', 'shared_expert.up_proj'])
    expect(targetsOf('mlp.experts.up_proj')).toEqual(['up_proj'])
    expect(targetsOf('up_proj, shared_expert.up_proj')).toEqual(['up_proj'])
  })

  it('layers named by the end of their path are all of that name elsewhere', () => {
    const names = 'lora_target_modules: [self_attn.q_proj, mlp.up_proj]\n'
    expect(trainingConfig(`${base}adapter: lora\n${names}`).spec.lora?.targets).toEqual(['q_proj', 'up_proj'])
  })

  it('ReLoRA is counted between two merges, and it says so', () => {
    const { spec, assumptions } = trainingConfig(`${base}${lora}relora: true\n`)
    expect(spec.lora?.rank).toBe(8)
    expect(assumptions.join(' ')).toContain('between two merges of ReLoRA')
  })

  it('other modules that train whole are refused', () => {
    expect(onlyProblemIn(`${base}${lora}lora_modules_to_save: [mlp]\n`).code).toBe('unsupported-setting')
  })

  it('unfrozen_parameters says nothing beside adapters, and a size of 1 divides nothing', () => {
    const text = `${base}${lora}unfrozen_parameters: [^lm_head]\ntensor_parallel_size: 1\n`
    const { spec, assumptions } = trainingConfig(text)
    expect(spec.lora?.targets).toEqual(['q_proj'])
    expect(spec.trainable).toBeUndefined()
    expect(assumptions.join(' ')).toContain('although unfrozen_parameters freezes everything that it does not name')
  })

  it('unfrozen_parameters names what trains: its dots are dots, and rows in brackets belong to a whole gradient', () => {
    const text = `${base}unfrozen_parameters: ['^model.embed_tokens.weight$[:32000]', 'model.layers.1[4-5]+.mlp']\n`
    expect(trainingConfig(text).spec.trainable).toEqual({
      names: [String.raw`^model\.embed_tokens\.weight$`, String.raw`model\.layers\.1[4-5]+\.mlp`],
      inputGradients: true,
    })
  })

  it.each([
    ['', false],
    ['gradient_checkpointing: true\n', true],
  ])('with %j gradients go down to the embeddings below what trains: %s', (line, inputGradients) => {
    const text = `${base}unfrozen_parameters: [model.layers.15]\n${line}`
    expect(trainingConfig(text).spec.trainable?.inputGradients).toBe(inputGradients)
  })

  it('LISA trains a few blocks at a time beside what is in none', () => {
    const { spec, assumptions } = trainingConfig(`${base}lisa_n_layers: 2\nlisa_step_interval: 20\n`)
    expect(spec.trainable?.names.slice(-2)).toEqual([String.raw`model\.layers\.0\.`, String.raw`model\.layers\.1\.`])
    expect(spec.trainable?.inTurns).toBe(true)
    expect(assumptions).toContain(
      '2 blocks train at a time; the optimizer state of all blocks is counted, because LISA keeps it.',
    )
  })

  it('qat rounds in groups', () => {
    const text = `${base}qat: {activation_dtype: int8, weight_dtype: int4, group_size: 256}\n`
    expect(trainingConfig(text).spec.fakeQuantization).toEqual({ groupSize: 256 })
  })

  it.each([
    ['nvfp4', 16],
    ['mxfp4', 32],
  ])('qat in %s keeps 4-bit floats, a scale for every %i', (format, groupSize) => {
    const text = `${base}qat: {activation_dtype: ${format}, weight_dtype: ${format}}\n`
    expect(trainingConfig(text).spec.fakeQuantization).toEqual({ groupSize, format })
  })

  it.each(['context_parallel_size', 'sequence_parallel_degree'])('%s divides every sequence, and it says so', key => {
    const text = base.replace(/sequence_len: .*\n/, '')
    const { spec, assumptions } = trainingConfig(`${text}sequence_len: 10001\n${key}: 4\n`)
    expect(spec).toMatchObject({ sequenceLength: 2_501, gpus: 4, contextParallel: 4 })
    // The four train one sample together.
    expect(effectiveBatch(spec)).toBe(spec.microBatch * spec.gradientAccumulation)
    expect(assumptions.join(' ')).toContain('Each of 4 GPUs holds 2501 of the 10001 tokens of a sequence')
  })

  it.each([
    ['-1', 'out-of-range'],
    ['0', 'out-of-range'],
    ['long', 'not-a-whole-number'],
  ])('a sequence_len of %s is refused with its line: %s', (length, code) => {
    const problem = onlyProblemIn(base.replace(/sequence_len: .*/, `sequence_len: ${length}`))
    expect(problem).toMatchObject({ code, field: 'sequence_len' })
    expect(base.split('\n')[(problem.line ?? 0) - 1]).toContain('sequence_len')
  })

  it('expert_parallel_size divides experts, and the GPUs are the product of all divisions', () => {
    const text = `${base}expert_parallel_size: 2\ndp_shard_size: 4\nfsdp: [full_shard]\n`
    expect(trainingConfig(text).spec).toMatchObject({ expertParallel: 2, gpus: 8, sharding: 'fsdp' })
  })

  it('fp8 is told to its estimate', () => {
    expect(trainingConfig(`${base}fp8: true\n`).spec.float8).toBe(true)
  })

  it('dp_shard_size is the number of GPUs that share the model', () => {
    const text = `${base}dp_shard_size: 4\nfsdp: [full_shard]\n`
    expect(trainingConfig(text).spec).toMatchObject({ gpus: 4, sharding: 'fsdp' })
  })

  it('fsdp_sharding_strategy: NO_SHARD divides nothing', () => {
    const text = (strategy: string) => `${base}fsdp_config: { fsdp_sharding_strategy: ${strategy} }\n`
    expect(trainingConfig(text('NO_SHARD')).spec.sharding).toBeUndefined()
    expect(trainingConfig(text('FULL_SHARD')).spec.sharding).toBe('fsdp')
  })

  it('dp_replicate_size holds a copy of the shards on as many further GPUs', () => {
    const text = `${base}dp_shard_size: 4\ndp_replicate_size: 2\nfsdp: [full_shard]\n`
    expect(trainingConfig(text).spec).toMatchObject({ gpus: 8, sharding: 'fsdp', shardedOver: 4 })
    const once = text.replace('dp_replicate_size: 2', 'dp_replicate_size: 1')
    expect(trainingConfig(once).spec).toMatchObject({ gpus: 4 })
    expect(trainingConfig(once).spec.shardedOver).toBeUndefined()
  })

  it.each([
    ['', 'nf4-double'],
    ['bnb_config_kwargs: { bnb_4bit_use_double_quant: true, bnb_4bit_quant_type: nf4 }\n', 'nf4-double'],
    ['bnb_config_kwargs: { bnb_4bit_use_double_quant: false }\n', 'nf4'],
  ])('qlora with %j holds weights as %s', (line, quantization) => {
    const text = `${base}adapter: qlora\nload_in_4bit: true\nlora_r: 8\nlora_target_linear: true\n${line}`
    const { spec, unreadSettings } = trainingConfig(text)
    expect(spec.quantization).toBe(quantization)
    expect(unreadSettings).toBeUndefined()
  })

  it('kd_trainer learns from a teacher, which is refused', () => {
    expect(onlyProblemIn(`${base}kd_trainer: true\n`)).toMatchObject({
      code: 'unsupported-training',
      field: 'kd_trainer',
    })
    expect(trainingConfig(`${base}kd_trainer: false\n`).spec.method).toBeUndefined()
  })

  it.each(['activation_offloading: true', 'activation_offloading: legacy'])(
    '%s moves checkpoints to the host',
    text => {
      const written = `${base}gradient_checkpointing: true\n${text}\n`
      expect(trainingConfig(written).spec.offloadsCheckpoints).toBe(true)
      expect(trainingConfig(`${base}gradient_checkpointing: false\n${text}\n`).spec.offloadsCheckpoints).toBeUndefined()
    },
  )
})

describe('experts in Axolotl', () => {
  const moe =
    'base_model: Qwen/Qwen3-30B-A3B\nmicro_batch_size: 1\nsequence_len: 2048\nadapter: qlora\nload_in_4bit: true\nlora_target_modules: [q_proj]\n'

  it('stay in 16 bits beside a 4-bit base', () => {
    expect(trainingConfig(moe).spec).toMatchObject({ quantization: 'nf4-double' })
    expect(trainingConfig(moe).spec.quantizedExperts).toBeUndefined()
  })

  it('are quantised with quantize_moe_experts', () => {
    expect(trainingConfig(`${moe}quantize_moe_experts: true\n`).spec.quantizedExperts).toBe(true)
  })
})

describe('training methods of Axolotl', () => {
  const lora = 'adapter: lora\nlora_r: 8\nlora_target_modules: [q_proj]\n'
  const preference = { kind: 'preference', logProbabilities: 'trl', withCrossEntropy: false }

  it.each([
    ['rl: dpo', { ...preference, reference: 'copy' }],
    ['rl: ipo', { ...preference, reference: 'copy' }],
    [`rl: dpo\n${lora}`, { ...preference, reference: 'adapters-off' }],
    [`rl: dpo\nprecompute_ref_log_probs: true\n${lora}`, { ...preference, reference: 'none' }],
    [`rl: dpo\nrl_adapter_ref_model: true\n${lora}`, { ...preference, reference: 'copy' }],
    ['rl: orpo', { ...preference, reference: 'none', withCrossEntropy: true }],
    [`rl: simpo\n${lora}`, { ...preference, reference: 'none', withCrossEntropy: true }],
    [`rl: kto\n${lora}`, { kind: 'kto', reference: 'adapters-off', logProbabilities: 'trl' }],
  ])('%j is what TRL makes of it, without dropout', (text, method) => {
    expect(trainingConfig(`${base}${text}\n`).spec).toMatchObject({ method, dropout: false, task: 'causal-lm' })
  })

  it.each([
    ['reward_model: true', 'score', 1],
    ['process_reward_model: true', 'steps', 2],
  ])('%s is a classifier', (text, head, labels) => {
    expect(trainingConfig(`${base}${text}\n`).spec).toMatchObject({
      method: { kind: 'reward', head },
      task: 'sequence-classification',
      labels,
    })
  })

  it('a sample is told to be two sequences', () => {
    expect(trainingConfig(`${base}rl: dpo\n`).assumptions).toContain(
      'Each sample is two sequences, the chosen and the rejected response, in one forward pass; the reference is a frozen copy of the model.',
    )
  })

  it('a method that no builder of Axolotl knows is refused at its line', () => {
    const { message, line } = onlyProblemIn(`${base}rl: ppo\n`)
    expect(message).toContain('needs for generation')
    expect(line).toBe(base.split('\n').length)
  })

  it("FSDP's own switch checkpoints gradients too", () => {
    const sharded = (more: string) => `${base}fsdp: [full_shard]\nfsdp_config:\n  ${more}\n`
    for (const key of ['activation_checkpointing', 'fsdp_activation_checkpointing']) {
      expect(trainingConfig(sharded(`${key}: true`)).spec.gradientCheckpointing).toBe(true)
      expect(trainingConfig(sharded(`${key}: false`)).spec.gradientCheckpointing).toBe(false)
    }
  })

  it('llama4_linearized_experts makes linear layers of the experts of Llama 4, and of no other model', () => {
    const text = `${base}llama4_linearized_experts: true\n`
    const scout = text.replace(/base_model: .*/, 'base_model: meta-llama/Llama-4-Scout-17B-16E')
    expect(trainingConfig(scout).spec.expertStyle).toBe('axolotl-linear')
    expect(trainingConfig(text).spec.expertStyle).toBeUndefined()
  })

  it('image_size is the side of the squares that a vision-language model reads, where a processor is named', () => {
    const text = `base_model: Qwen/Qwen2-VL-7B-Instruct
datasets: [{ path: HuggingFaceH4/llava-instruct-mix-vsft, type: chat_template }]
sequence_len: 4096
micro_batch_size: 1
image_size: 512
`
    const { spec, assumptions } = trainingConfig(`${text}processor_type: AutoProcessor\nfreeze_mm_modules: true\n`)
    expect(spec.images).toEqual({ tiles: 1, checkpointed: 'decoder', height: 504, width: 504 })
    expect(assumptions).toContain('One image per sample of 512×512 pixels: 324 of the 4096 tokens of a sequence.')
    expect(spec.trainable?.names).toEqual([String.raw`model\.language_model\.`, 'lm_head'])
    expect(trainingConfig(text).spec.images).toBeUndefined()
  })

  it('a processor says that Llama 3.2 Vision sees images', () => {
    const text = base.replace(/base_model: .*/, 'base_model: meta-llama/Llama-3.2-11B-Vision-Instruct')
    const images = { tiles: 4, checkpointed: 'decoder' }
    expect(trainingConfig(`${text}processor_type: AutoProcessor\n`).spec.images).toEqual(images)
    expect(trainingConfig(text).spec.images).toBeUndefined()
  })
})
