import { describe, expect, it } from 'vitest'
import { builderOf } from '../../../engine/config/dialects/torchtune/models.ts'
import { onlyProblemIn, trainingConfig } from '../readings.ts'

const recipe = (model: string, rest = '') => `model:
  _component_: torchtune.models.${model}
tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: 1024
batch_size: 2
optimizer:
  _component_: torch.optim.AdamW
  fused: True
gradient_accumulation_steps: 8
dtype: bf16
enable_activation_checkpointing: True
${rest}`

describe('a recipe of torchtune', () => {
  it('names its model by a builder', () => {
    expect(trainingConfig(recipe('llama3_2.llama3_2_1b'))).toMatchObject({
      dialect: 'torchtune',
      batchSizeAt: { line: 6, column: 13 },
      gradientAccumulationAt: { line: 10, column: 30 },
      spec: {
        model: 'meta-llama/Llama-3.2-1B',
        microBatch: 2,
        gradientAccumulation: 8,
        sequenceLength: 1024,
        precision: 'bf16',
        optimizer: 'adamw-fused',
        gradientCheckpointing: true,
        paddedBatches: false,
      },
    })
  })

  it('checkpoints every so many layers where a distributed recipe is told to, and none where both switches are set', () => {
    const selective = (lines: string, model = 'llama3_2.llama3_2_1b') => {
      const { spec } = trainingConfig(recipe(model).replace('enable_activation_checkpointing: True\n', lines))
      return [spec.gradientCheckpointing, spec.checkpointEvery]
    }
    expect(selective('ac_mode: selective\nac_option: 2\n')).toEqual([true, 2])
    expect(selective('ac_mode: selective\nac_option: 0\n')).toEqual([true, undefined])
    expect(selective('ac_mode: full\n')).toEqual([true, undefined])
    expect(selective('ac_mode: full\nenable_activation_checkpointing: True\n')).toEqual([false, undefined])
    const ofAdapters = 'enable_activation_checkpointing: True\nac_mode: selective\nac_option: 2\n'
    expect(selective(ofAdapters, 'llama3_2.lora_llama3_2_1b')).toEqual([true, undefined])
    expect(onlyProblemIn(recipe('llama3_2.llama3_2_1b', 'ac_mode: half\n'))).toMatchObject({ line: 13 })
  })

  it('with a loss that is not known is refused', () => {
    const loss = (name: string) => recipe('llama3_2.llama3_2_1b', `loss:\n  _component_: ${name}\n`)
    expect(onlyProblemIn(loss('torchtune.modules.loss.ORPOLoss'))).toMatchObject({
      code: 'unsupported-training',
      line: 14,
      message: 'What the loss "torchtune.modules.loss.ORPOLoss" computes is not known',
    })
    expect(trainingConfig(loss('torch.nn.CrossEntropyLoss')).spec.method).toBeUndefined()
  })

  it('runs the output layer and the loss in chunks where the loss does', () => {
    const loss = (name: string, more = '') =>
      trainingConfig(recipe('llama3_2.llama3_2_1b', `loss:\n  _component_: torchtune.modules.loss.${name}\n${more}`))
        .spec
    expect(loss('CEWithChunkedOutputLoss').chunkedLoss).toEqual({ count: 8, outputLayer: 'before' })
    expect(loss('LinearCrossEntropyLoss', '  num_output_chunks: 4\n').chunkedLoss).toEqual({
      count: 4,
      outputLayer: 'within',
    })
  })

  it('turns pairs of features in float32, but for the models whose positions turn halves', () => {
    const pairs = (model: string) => trainingConfig(recipe(model)).spec.rotatesPairs
    expect(['llama3_2.llama3_2_1b', 'mistral.mistral_7b', 'gemma.gemma_2b'].map(pairs)).toEqual([true, true, true])
    expect(['qwen2.qwen2_7b', 'phi3.phi3_mini'].map(pairs)).toEqual([undefined, undefined])
  })

  it('compiles, and offloads checkpoints, where it says so', () => {
    const text = recipe('llama3_2.llama3_2_1b', 'compile: True\nenable_activation_offloading: True\n')
    expect(trainingConfig(text).spec).toMatchObject({ compiled: true, offloadsCheckpoints: true })
  })

  it('shards wherever several GPUs train', () => {
    const { spec } = trainingConfig(recipe('llama3_2.llama3_2_1b'))
    expect(spec).toMatchObject({ gpus: 1, sharding: 'fsdp', fsdpVersion: 2, syncsEveryMicroBatch: true })
  })

  it('with use_dora learns magnitudes beside adapters in the type of the weights', () => {
    const text = recipe('llama3_2.lora_llama3_2_1b').replace('\ntokenizer', '\n  use_dora: True\ntokenizer')
    expect(trainingConfig(text).spec.lora).toMatchObject({ form: 'dora', inWeightsType: true })
  })

  it('with an open max_seq_len is taken to be 2,048 tokens long, and says so', () => {
    const reading = trainingConfig(recipe('llama3_2.llama3_2_1b').replace('1024', 'null'))
    expect(reading.spec.sequenceLength).toBe(2048)
    expect(reading.assumptions.join(' ')).toContain('tokenizer.max_seq_len is not set')
  })

  it.each([
    ['torchtune.models.llama3_1.lora_llama3_1_8b', 'meta-llama/Llama-3.1-8B', 'lora'],
    ['torchtune.models.qwen2_5.qlora_qwen2_5_3b', 'Qwen/Qwen2.5-3B', 'qlora'],
    ['torchtune.models.qwen3.qwen3_0_6b_instruct', 'Qwen/Qwen3-0.6B', 'full'],
    ['torchtune.models.gemma2.gemma2_9b', 'google/gemma-2-9b', 'full'],
    ['acme.models.tiny', 'tiny', 'full'],
  ])('%s builds %s, trained by %s', (component, model, method) => {
    expect(builderOf(component)).toEqual({ model, method })
  })

  describe('that gives the builder a shape', () => {
    const shaped = (more: string) =>
      recipe(`llama2.llama2\n  vocab_size: 32000\n  num_heads: 32\n  num_kv_heads: 4\n  embed_dim: 2048\n  ${more}`)

    it('names the known model that has it', () => {
      expect(trainingConfig(shaped('num_layers: 22')).spec.model).toBe('TinyLlama/TinyLlama_v1.1')
    })

    it.each(['num_layers: 24', 'num_layers: 22\n  intermediate_dim: 4096'])('is of no known model with %j', more =>
      expect(onlyProblemIn(shaped(more)).message).toBe('Unknown model "llama2"'),
    )
  })

  it("calls transformers' layers by other names", () => {
    const text = recipe('llama3_2.lora_llama3_2_1b').replace(
      'tokenizer:',
      "  lora_attn_modules: ['q_proj', 'output_proj']\n  apply_lora_to_mlp: True\n  lora_rank: 64\ntokenizer:",
    )
    expect(trainingConfig(text).spec.lora).toEqual({
      inWeightsType: true,
      rank: 64,
      targets: ['q_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
      dropout: 0,
    })
  })

  it('with a qlora builder has 4-bit weights', () => {
    const text = recipe('llama3_2.qlora_llama3_2_1b')
    expect(trainingConfig(text).spec).toMatchObject({ quantization: 'nf4-double', lora: { rank: 8 } })
  })

  it.each([
    ['teacher_model:\n  _component_: torchtune.models.llama3_1.my_own\n', 'unknown-model'],
    [
      'teacher_model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\nkd_loss:\n  _component_: torchtune.modules.loss.ReverseKLLoss\n',
      'unsupported-training',
    ],
    ['quantizer:\n  _component_: torchtune.training.quantization.Int4WeightOnlyQATQuantizer\n', 'unsupported-training'],
  ])('with %j is refused', (rest, code) => {
    expect(onlyProblemIn(recipe('llama3_2.llama3_2_1b', rest)).code).toBe(code)
  })

  it.each([
    ['llama3_2.lora_llama3_2_1b', 'DPOLoss', 'adapters-off'],
    ['llama3_2.llama3_2_1b', 'DPOLoss', 'copy'],
    ['llama3_2.llama3_2_1b', 'SimPOLoss', 'none'],
  ])('that builds %s and minimises %s compares with: %s', (builder, loss, reference) => {
    const text = recipe(builder, `loss:\n  _component_: torchtune.rlhf.loss.${loss}\n`)
    expect(trainingConfig(text).spec.method).toEqual({
      kind: 'preference',
      reference,
      logProbabilities: 'torchtune',
      withCrossEntropy: false,
    })
  })

  it('with a teacher is distillation, its logits in 8 chunks unless told otherwise', () => {
    const text = recipe(
      'llama3_2.lora_llama3_2_1b',
      'teacher_model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\n',
    )
    const { spec, assumptions } = trainingConfig(text)
    expect(spec.method).toEqual({ kind: 'distillation', teacher: 'meta-llama/Llama-3.1-8B', chunks: 8 })
    expect(assumptions.join(' ')).toContain('The teacher "meta-llama/Llama-3.1-8B" processes the same batch')
  })

  it.each([
    ['', 256],
    ['  groupsize: 32\n', 32],
  ])('with a quantizer rounds in groups: %j', (line, groupSize) => {
    const text = recipe(
      'llama3_2.llama3_2_1b',
      `quantizer:\n  _component_: torchtune.training.quantization.Int8DynActInt4WeightQATQuantizer\n${line}`,
    )
    expect(trainingConfig(text).spec.fakeQuantization).toEqual({ groupSize })
  })

  it('with fsdp_cpu_offload keeps weights and optimizer state on the host', () => {
    expect(trainingConfig(recipe('llama3_2.llama3_2_1b', 'fsdp_cpu_offload: True\n')).spec).toMatchObject({
      sharding: 'fsdp',
      offload: 'optimizer-and-weights',
    })
  })

  it('without fsdp_reshard_after_forward keeps weights until the backward pass', () => {
    const shardings = ['True', 'False'].map(
      flag => trainingConfig(recipe('llama3_2.llama3_2_1b', `fsdp_reshard_after_forward: ${flag}\n`)).spec.sharding,
    )
    expect(shardings).toEqual(['fsdp', 'fsdp-grad-op'])
    const both = 'fsdp_reshard_after_forward: False\nfsdp_cpu_offload: True\n'
    expect(trainingConfig(recipe('llama3_2.llama3_2_1b', both)).spec).toMatchObject({
      sharding: 'fsdp-grad-op',
      offload: 'optimizer-and-weights',
    })
  })

  it('compiles what a mapping names, and is told that a mapping without the model was not understood', () => {
    const compiling = (mapping: string) => trainingConfig(recipe('llama3_2.llama3_2_1b', `compile: ${mapping}\n`))
    expect(compiling('{ model: true, loss: false }').spec).toMatchObject({ compiled: true, uncompiledLoss: true })
    expect(compiling('{ model: true }').spec.uncompiledLoss).toBeUndefined()
    const withoutModel = compiling('{ model: false, loss: true }')
    expect(withoutModel.spec.compiled).toBeUndefined()
    expect(withoutModel.unreadSettings).toMatchObject([{ name: 'compile' }])
  })

  it('with 4-bit AdamW is said to be counted high', () => {
    const text = recipe('llama3_2.llama3_2_1b').replace('torch.optim.AdamW', 'torchao.optim.AdamW4bit')
    expect(trainingConfig(text)).toMatchObject({ countsTooMuch: true, spec: { optimizer: 'adamw-8bit' } })
  })

  it('with optimizer_in_bwd steps with every gradient as it comes', () => {
    expect(trainingConfig(recipe('llama3_2.llama3_2_1b', 'optimizer_in_bwd: True\n')).spec.optimizerInBackward).toBe(
      true,
    )
    expect(
      trainingConfig(recipe('llama3_2.llama3_2_1b', 'optimizer_in_bwd: False\n')).spec.optimizerInBackward,
    ).toBeUndefined()
  })

  it('with tensor_parallel_dim divides layers, tokens and vocabulary', () => {
    expect(trainingConfig(recipe('llama3_2.llama3_2_1b', 'tensor_parallel_dim: 2\n')).spec).toMatchObject({
      gpus: 2,
      tensorParallel: { gpus: 2, dividesTokens: true },
    })
    expect(trainingConfig(recipe('llama3_2.llama3_2_1b', 'tensor_parallel_dim: 1\n')).spec.gpus).toBe(1)
  })

  it('of a model that the catalogue lacks is told so, at the builder', () => {
    expect(onlyProblemIn(recipe('acme.acme_1b'))).toMatchObject({
      line: 2,
      column: 16,
      field: 'model._component_',
    })
  })

  it('that only evaluates is left alone', () => {
    const text = 'model:\n  _component_: torchtune.models.llama2.llama2_7b\nbatch_size: 8\ntasks: [arc]\n'
    expect(() => trainingConfig(text)).toThrow('not a training config')
  })

  it('runs the experts of Llama 4 on the rows chosen for them', () => {
    const { spec } = trainingConfig(recipe('llama4.llama4_scout_17b_16e'))
    expect(spec).toMatchObject({ model: 'meta-llama/Llama-4-Scout-17B-16E', expertStyle: 'torchtune' })
    expect(trainingConfig(recipe('llama3_2.llama3_2_1b')).spec.expertStyle).toBeUndefined()
  })

  describe('with an encoder of images', () => {
    const vision = (more: string, dataset: string) =>
      recipe(
        `llama3_2_vision.lora_llama3_2_vision_11b\n  lora_attn_modules: [q_proj]\n  ${more}`,
        `dataset:\n  _component_: torchtune.datasets.${dataset}`,
      )
    const frozenDecoder = vision('decoder_trainable: frozen', 'multimodal.the_cauldron_dataset')

    it('counts an image in four tiles, and checkpoints every layer with self-attention', () => {
      const { spec } = trainingConfig(frozenDecoder)
      expect(spec.model).toBe('meta-llama/Llama-3.2-11B-Vision-Instruct')
      expect(spec.images).toEqual({ tiles: 4, checkpointed: 'self-attention' })
    })

    it('puts adapters on the parts that train', () => {
      const patterns = (trainingConfig(frozenDecoder).spec.trainable?.names ?? []).map(name => new RegExp(`^${name}`))
      const trains = (name: string) => patterns.some(pattern => pattern.test(name))
      expect(trains('model.vision_model.transformer.layers.0.mlp.fc1.weight')).toBe(true)
      expect(trains('model.vision_model.global_transformer.layers.0.mlp.fc1.weight')).toBe(true)
      expect(trains('model.language_model.layers.38.cross_attn.q_proj.weight')).toBe(true)
      expect(trains('model.language_model.layers.3.mlp.up_proj.weight')).toBe(true)
      expect(trains('model.language_model.layers.39.self_attn.q_proj.weight')).toBe(false)
      expect(trains('lm_head.weight')).toBe(false)
    })

    it('counts the image beside a dataset of text as well, since text reaches nothing that trains', () => {
      const reading = trainingConfig(vision('decoder_trainable: frozen', 'alpaca_cleaned_dataset'))
      expect(reading.spec.images?.tiles).toBe(4)
      expect(reading.assumptions.join(' ')).toContain('reaches no trainable layer')
    })

    it('takes text for text where the decoder trains', () => {
      const { spec } = trainingConfig(vision('decoder_trainable: lora', 'alpaca_cleaned_dataset'))
      expect(spec.images).toBeUndefined()
      expect(spec.trainable).toBeUndefined()
    })

    it('has tiles of 560 pixels', () => {
      const problem = onlyProblemIn(frozenDecoder.replace('lora_attn_modules', 'image_size: 448\n  lora_attn_modules'))
      expect(problem.code).toBe('unsupported-setting')
      expect(problem.message).toContain('448 pixels')
    })
  })
})
