import { describe, expect, test } from 'vitest'
import { readConfigAsync } from '../../engine/config/read.ts'
import type { Reading } from '../../engine/config/reading.ts'
import { resolveOffline } from '../../engine/models/resolve.ts'
import { readSettings } from '../../engine/settings/read.ts'
import { settingsFor } from '../../engine/settings/settings.ts'

/** `override` is YAML in flow style. */
async function read(text: string, override = '{}'): Promise<Reading> {
  const path = 'train.yaml'
  const file = {
    path: '.github/memorymark.yml',
    text: `overrides:\n  - ${override.replace('{', '{ path: train.yaml, ')}\n`,
  }
  const reading = readSettings(file)
  if (reading.kind !== 'settings') throw new Error(JSON.stringify(reading))
  const { supplied } = settingsFor(path, reading.settings)
  return readConfigAsync({ path, text }, async name => resolveOffline(name), supplied)
}

const open = 'per_device_train_batch_size: 4\nmodel_name_or_path: $MODEL\nmax_seq_length: $LENGTH\ntask: $TASK\n'

describe('what a config cannot say itself', () => {
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
        'The model is "gpt2", as .github/memorymark.yml says.',
        'The sequence length is 256, as .github/memorymark.yml says.',
        'The task is "causal-lm", as .github/memorymark.yml says.',
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

test('what a tool leaves no choice about is told, not passed over', async () => {
  const reading = await read('base_model: gpt2\nmicro_batch_size: 2\nsequence_len: 512\n', '{ task: masked-lm }')
  expect(reading.kind === 'training-config' && reading.assumptions.at(-1)).toBe(
    '.github/memorymark.yml supplies task, which configs of Axolotl leave no choice about.',
  )
})

test('a model that the settings name and nobody knows is told on the line of the settings', async () => {
  const reading = await read(open, '{ model: bort, sequence_length: 64, task: causal-lm }')
  expect(reading).toMatchObject({
    kind: 'unreadable',
    problems: [{ code: 'unknown-model', file: '.github/memorymark.yml', line: 2, field: 'overrides[0].model' }],
  })
})
