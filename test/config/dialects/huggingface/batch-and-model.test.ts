import { describe, expect, it } from 'vitest'
import { onlyProblemIn, trainingConfig } from '../../readings.ts'

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
    'that reads %s cannot be determined from the file',
    value => {
      expect(onlyProblemIn(withBatch(value))).toMatchObject({ code: 'not-in-file', line: 2, column: 30 })
    },
  )
})

describe('the model', () => {
  it.each([
    'base_model_id: gpt2',
    'model: { base_model_id: gpt2 }',
    'base: { hf_model_id: gpt2 }',
    'model_path: gpt2',
    'model: { model_path: gpt2 }',
  ])('is what a team calls it: %s', line => {
    const text = `${line}\ntraining: { per_device_train_batch_size: 8, learning_rate: 1.0e-4, max_length: 512 }\n`
    expect(trainingConfig(text).spec.model).toBe('openai-community/gpt2')
  })

  it('is not where the result goes', () => {
    const text = 'model_path: out/llama\nmodel_name: gpt2\nper_device_train_batch_size: 8\nmax_length: 512\n'
    expect(trainingConfig(text).spec.model).toBe('openai-community/gpt2')
  })

  it('that is missing cannot be determined from the file', () => {
    expect(onlyProblemIn('per_device_train_batch_size: 8\n')).toEqual({
      code: 'model-not-in-file',
      message: 'The model cannot be determined from the file',
      fix: 'Set model_name_or_path in the config, or add model for this path to the overrides in .github/memorymark.yml.',
      file: 'train.yaml',
    })
  })

  it('that is nearly known is put right', () => {
    expect(onlyProblemIn('model_name_or_path: google-bert/bert-base-uncasd\nper_device_train_batch_size: 8\n')).toEqual(
      {
        code: 'unknown-model',
        message: 'Unknown model "google-bert/bert-base-uncasd"',
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
      fix: "Use its Hugging Face Hub id, or add the model's config.json to the repository, in a folder of that name or next to the training config. For a config, a known model of its size may stand in: model in the overrides of .github/memorymark.yml.",
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
    expect(problem.fix).toMatch(/^Supported: bert, .* CONTRIBUTING\.md says how to add another\.$/)
  })

  it('with Markdown and a mention in its name stays data', () => {
    const name = '[x](http://example.com) @team `a` | <b>'
    const problem = onlyProblemIn(`model_name_or_path: "${name}"\nper_device_train_batch_size: 8\n`)
    expect(problem.message).toBe(`Unknown model "${name}"`)
  })

  it('with a very long or multi-line name is cut in the message', () => {
    const problem = onlyProblemIn(`model_name_or_path: "a\\nb${'x'.repeat(5_000)}"\nper_device_train_batch_size: 8\n`)
    expect(problem.message).toBe(`Unknown model "a b${'x'.repeat(76)}…"`)
  })
})

it('a model without a name is asked for, where its empty text stands', () => {
  expect(onlyProblemIn("model_name_or_path: ''\nper_device_train_batch_size: 4\n")).toMatchObject({
    code: 'model-not-in-file',
    message: 'The model cannot be determined from the file: model_name_or_path is an empty text',
    line: 1,
    column: 21,
  })
})
