import { describe, expect, test } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import type { FileReading } from '../../../engine/config/reading.ts'
import { readSettings } from '../../../engine/settings/read.ts'
import { settingsFor } from '../../../engine/settings/settings.ts'

/** `override` is YAML in flow style. */
async function read(text: string, override = '{}'): Promise<FileReading> {
  const path = 'train.yaml'
  const file = {
    path: '.github/memorymark.yml',
    text: `overrides:\n  - ${override.replace('{', '{ path: train.yaml, ')}\n`,
  }
  const reading = readSettings(file)
  if (reading.kind !== 'settings') throw new Error(JSON.stringify(reading))
  const { supplied } = settingsFor(path, reading.settings)
  return readConfigAsync({ path, text }, {}, supplied)
}

const open = 'per_device_train_batch_size: 4\nmodel_name_or_path: $MODEL\nmax_seq_length: $LENGTH\ntask: $TASK\n'

describe('what a config cannot say itself', () => {
  test('the number of GPUs that share a model', async () => {
    const sharded =
      'per_device_train_batch_size: 4\nmodel_name_or_path: gpt2\ntask: causal-lm\nmax_seq_length: 512\nfsdp: full_shard\n'
    expect(await read(sharded, '{ gpus: 4 }')).toMatchObject({
      spec: { sharding: 'fsdp', gpus: 4 },
      assumptions: expect.arrayContaining(['The number of GPUs is 4, as set in .github/memorymark.yml.']),
    })
  })

  test('the number of GPUs whose completions make whole groups', async () => {
    const part =
      'per_device_train_batch_size: 4\nmodel_name_or_path: gpt2\nnum_generations: 8\nmax_prompt_length: 64\nmax_completion_length: 64\n'
    expect(await read(part)).toMatchObject({ kind: 'training-config', assumesGpus: true })
    expect(await read(part, '{ gpus: 1 }')).toMatchObject({ problems: [{ field: 'num_generations' }] })
    expect(await read(part, '{ gpus: 2 }')).toMatchObject({ spec: { gpus: 2, method: { completions: 4 } } })
  })

  test('is asked for in the settings', async () => {
    const reading = await read(open)
    expect(reading.kind === 'unreadable' && reading.problems.map(({ line, fix }) => [line, fix])).toEqual([
      [2, 'Write the value into the config, or add model for this path to the overrides in .github/memorymark.yml.'],
      [4, 'Write the value into the config, or add task for this path to the overrides in .github/memorymark.yml.'],
      [
        3,
        'Write the value into the config, or add sequence_length for this path to the overrides in .github/memorymark.yml.',
      ],
    ])
  })

  test('is taken from there, and the reader is told', async () => {
    const reading = await read(open, '{ model: gpt2, sequence_length: 256, task: causal-lm }')
    expect(reading).toMatchObject({
      kind: 'training-config',
      spec: { task: 'causal-lm', microBatch: 4, sequenceLength: 256 },
      model: { id: 'openai-community/gpt2' },
    })
    expect(reading.kind === 'training-config' && reading.assumptions).toEqual(
      expect.arrayContaining([
        'The model is "gpt2", as set in .github/memorymark.yml.',
        'The sequence length is 256, as set in .github/memorymark.yml.',
        'The task is "causal-lm", as set in .github/memorymark.yml.',
      ]),
    )
  })

  test.each([
    ['Axolotl', 'base_model: $MODEL\nmicro_batch_size: 2\nsequence_len: 512\n', 'gpt2', 256],
    [
      'Lightning CLI',
      'trainer: { max_epochs: 3 }\nmodel: { class_path: ours.Net }\ndata: { class_path: ours.Data, init_args: { batch_size: 8 } }\n',
      'bert',
      256,
    ],
    ['MemoryMark', 'memorymark:\n  batch_size: 2\n', 'bert', 256],
  ])('is taken from there in every dialect: %s', async (dialect, text, model, length) => {
    expect(await read(text, `{ model: ${model}, sequence_length: ${length} }`)).toMatchObject({
      kind: 'training-config',
      dialect,
      spec: { sequenceLength: length },
    })
  })

  test('is taken from there where the config says something else', async () => {
    const text = 'memorymark:\n  model: bert\n  batch_size: 2\n  labels: 2\n  sequence_length: 128\n'
    expect(await read(text, '{ labels: 5, sequence_length: 64 }')).toMatchObject({
      spec: { labels: 5, sequenceLength: 64 },
    })
  })
})

describe('a model for a file whose own is not followed', () => {
  test('Hydra: batch size, accumulation and lengths are those of the file, the rest is told as assumed', async () => {
    const text =
      'defaults:\n  - model: vit\n  - _self_\nbatch_size: 8\nlr: 0.1\ntrainer: { accumulate_grad_batches: 4 }\nmax_length: 96\n'
    const reading = await read(text, '{ model: bert }')
    expect(reading).toMatchObject({
      kind: 'training-config',
      dialect: 'Hydra',
      batchSizeAt: { line: 4, column: 13 },
      spec: { microBatch: 8, gradientAccumulation: 4, sequenceLength: 96, precision: 'fp32', optimizer: 'adamw' },
    })
    expect(reading.kind === 'training-config' && reading.assumptions.join(' ')).toContain(
      'Hydra composes the config from model: vit, which may say otherwise',
    )
  })

  test('Ultralytics: batch, image size, precision and optimizer are those of the file', async () => {
    const text = 'model: yolov8n-cls.pt\nbatch: 32\nimgsz: 256\nepochs: 10\noptimizer: SGD\n'
    expect(await read(text, '{ model: resnet }')).toMatchObject({
      kind: 'training-config',
      dialect: 'Ultralytics',
      spec: { microBatch: 32, imageSize: 256, precision: 'amp-fp16', optimizer: 'sgd-momentum' },
    })
  })

  test('a batch size that is left open stays a problem', async () => {
    const reading = await read('model: yolov8n.pt\nbatch: -1\nimgsz: 640\nepochs: 10\n', '{ model: resnet }')
    expect(reading).toMatchObject({ kind: 'unreadable', problems: [{ code: 'not-in-file', line: 2 }] })
  })
})

test('what a tool leaves no choice about is told, not passed over', async () => {
  const reading = await read('base_model: gpt2\nmicro_batch_size: 2\nsequence_len: 512\n', '{ task: masked-lm }')
  expect(reading.kind === 'training-config' && reading.assumptions.at(-1)).toBe(
    '.github/memorymark.yml supplies task, which do not apply to Axolotl configs.',
  )
})

test('a model that the settings name and nobody knows is told on the line of the settings', async () => {
  const reading = await read(open, '{ model: bort, sequence_length: 64, task: causal-lm }')
  expect(reading).toMatchObject({
    kind: 'unreadable',
    problems: [{ code: 'unknown-model', file: '.github/memorymark.yml', line: 2, field: 'overrides[0].model' }],
  })
})
