import { describe, expect, it } from 'vitest'
import { findModel } from '../../../engine/models/catalogue.ts'
import { onlyProblemIn, problemsIn, trainingConfig } from '../readings.ts'

const small = 'memorymark:\n  model: google-bert/bert-base-uncased\n  batch_size: 32\n'

describe("a config in MemoryMark's own dialect", () => {
  it('of embeddings has as many texts a sample as its loss takes', () => {
    const sentences = `${small}  sequence_length: 64\n  task: sentence-similarity\n  sentence_loss: triplet\n`
    expect(trainingConfig(sentences).spec.sentences).toEqual({ columns: 3, loss: 'triplet' })
    expect(onlyProblemIn(`${sentences}  sentence_columns: 2\n`)).toMatchObject({
      message: 'The loss triplet takes 3 texts of a sample, not 2',
      line: 7,
    })
  })

  it('becomes a spec with the defaults of a plain PyTorch loop', () => {
    expect(trainingConfig(small)).toEqual({
      kind: 'training-config',
      assumesLength: true,
      dialect: 'MemoryMark',
      model: findModel('bert'),
      spec: {
        model: 'google-bert/bert-base-uncased',
        task: 'sequence-classification',
        framework: 'pytorch',
        step: 'training',
        microBatch: 32,
        gradientAccumulation: 1,
        gpus: 1,
        sequenceLength: 512,
        labels: 2,
        precision: 'fp32',
        optimizer: 'adamw',
        attention: 'sdpa',
        gradientCheckpointing: false,
        paddedBatches: false,
        loop: 'plain',
      },
      batchSizeAt: { line: 3, column: 15 },
      assumptions: [
        'The task is sequence-classification: the config does not name one.',
        'Sequences of 512 tokens: the config sets no maximum length.',
        'Two labels: the config sets no number of labels.',
      ],
    })
  })

  it('sets everything that a spec holds', () => {
    const text = `${small}  gradient_accumulation: 4
  gpus: 8
  sequence_length: 128
  labels: 3
  task: masked-lm
  precision: amp-bf16
  optimizer: sgd-momentum
  attention: eager
  gradient_checkpointing: true
  step: forward-backward
  loop: trainer
  padded_batches: true
`
    const reading = trainingConfig(text)
    expect(reading.spec).toEqual({
      model: 'google-bert/bert-base-uncased',
      task: 'masked-lm',
      framework: 'pytorch',
      step: 'forward-backward',
      microBatch: 32,
      gradientAccumulation: 4,
      gpus: 8,
      sequenceLength: 128,
      labels: 3,
      precision: 'amp-bf16',
      optimizer: 'sgd-momentum',
      attention: 'eager',
      gradientCheckpointing: true,
      paddedBatches: true,
      loop: 'trainer',
    })
    expect(reading.gradientAccumulationAt).toEqual({ line: 4, column: 26 })
    expect(reading.assumptions).toEqual([])
  })

  it('takes an image size for images', () => {
    const text = '{"memorymark": {"model": "microsoft/resnet-50", "batch_size": 8, "image_size": 160}}'
    const reading = trainingConfig(text, 'a.json')
    expect(reading.spec).toMatchObject({ imageSize: 160, task: 'image-classification', labels: 1000 })
    expect(reading.batchSizeAt).toEqual({ line: 1, column: 63 })
  })

  it('refuses a key that it does not know, with its line', () => {
    expect(onlyProblemIn(`${small}  optimiser: sgd\n`)).toMatchObject({
      code: 'unknown-key',
      message: 'Unknown key "optimiser"',
      line: 4,
      column: 14,
      field: 'memorymark.optimiser',
    })
    expect(onlyProblemIn(`${small}  optimiser: sgd\n`).fix).toMatch(/^Did you mean optimizer\? Use model, /)
  })

  it('needs a batch size', () => {
    expect(onlyProblemIn('memorymark:\n  model: gpt2\n')).toMatchObject({
      code: 'batch-size-missing',
      fix: 'Set memorymark.batch_size.',
    })
  })

  it('needs a model', () => {
    expect(onlyProblemIn('memorymark:\n  batch_size: 8\n')).toMatchObject({
      code: 'model-not-in-file',
      fix: 'Set memorymark.model in the config, or add model for this path to the overrides in .github/memorymark.yml.',
    })
  })

  it('tells every problem at once, with the words that each field takes', () => {
    const problems = problemsIn('memorymark:\n  model: gpt3\n  batch_size: 0\n  precision: bf61\n  step: train\n')
    expect(problems.map(({ line, code, fix }) => [line, code, fix])).toEqual([
      [2, 'unknown-model', 'Did you mean gpt2?'],
      [3, 'out-of-range', 'Write a whole number from 1 to 1,000,000.'],
      [4, 'unknown-value', 'Use fp32, tf32, bf16, bf16-master, amp-bf16 or amp-fp16.'],
      [5, 'unknown-value', 'Did you mean training? Use training or forward-backward.'],
    ])
  })

  it('is asked before other dialects', () => {
    expect(trainingConfig(`${small}per_device_train_batch_size: 8\nmodel_name: gpt2\n`).dialect).toBe('MemoryMark')
  })
})

describe('fine-tuning', () => {
  const llama = 'memorymark:\n  model: meta-llama/Llama-3.2-1B\n  batch_size: 2\n  sequence_length: 1024\n'

  it('has adapters, 4-bit weights, sharding and a fused loss where it says so', () => {
    const rest =
      '  lora_rank: 16\n  lora_targets: [q_proj, v_proj]\n  quantization: nf4\n  sharding: zero2\n  fused_loss: true\n'
    expect(trainingConfig(llama + rest).spec).toMatchObject({
      lora: { rank: 16, targets: ['q_proj', 'v_proj'], dropout: 0 },
      quantization: 'nf4',
      sharding: 'zero2',
      fusedLoss: true,
    })
  })

  it('has none of them where it says nothing', () => {
    const { spec } = trainingConfig(llama)
    expect([spec.lora, spec.quantization, spec.sharding, spec.fusedLoss]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  it('of quantised weights needs adapters', () => {
    expect(onlyProblemIn(`${llama}  quantization: nf4\n`)).toMatchObject({ code: 'quantised-without-adapter', line: 5 })
  })
})
