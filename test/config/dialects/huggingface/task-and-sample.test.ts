import { describe, expect, it } from 'vitest'
import { onlyProblemIn, trainingConfig } from '../../readings.ts'
import { bert, gpt2, resnet } from './configs.ts'

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
    [`${bert}task:\n  labels: [positive, negative]\n`, 'sequence-classification'],
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

  it.each(['SubtaskA', 'subtask-2', 'Task 1b', 'SemEval2024'])("%s is a data set's, and says nothing", name => {
    const { spec, assumptions } = trainingConfig(`${bert}task: ${name}\n`)
    expect(spec.task).toBe('sequence-classification')
    expect(assumptions).toContain('The task is sequence-classification: the config does not name one.')
  })

  it('that is not supported is refused', () => {
    for (const name of ['multiple-choice', 'task', 'subtasks', 'semantic-search'])
      expect(onlyProblemIn(`${bert}task: ${name}\n`)).toMatchObject({ code: 'unsupported-task', line: 3 })
  })
})

describe('a sequence-to-sequence config', () => {
  const t5 = 'model_name_or_path: google-t5/t5-small\nper_device_train_batch_size: 8\n'

  it.each([
    ['', 448],
    ['max_label_length: 225\n', 225],
  ])('with %j lets Whisper write %i tokens to every half minute of sound', (text, tokens) => {
    const whisper = t5.replace('google-t5/t5-small', 'openai/whisper-small')
    const { spec } = trainingConfig(`${whisper}${text}`)
    expect(spec).toMatchObject({ task: 'seq2seq-lm', sequenceLength: tokens })
    expect(spec.targetLength).toBeUndefined()
  })

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
      '4096 tokens, as written, although "TinyLlama/TinyLlama_v1.1" was trained on up to 2048.',
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
