import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatWhere, problem } from '../../engine/base/errors.ts'
import { isCandidatePath } from '../../engine/config/candidate-path.ts'
import { readConfig } from '../../engine/config/read.ts'
import { onlyProblemIn, problemsIn, trainingConfig } from './readings.ts'

describe('a file that is not a training config', () => {
  it.each([
    [
      'docker-compose.yml',
      'services:\n  train:\n    image: acme/train\n    environment:\n      per_device_train_batch_size: 8\n',
    ],
    [
      '.github/workflows/train.yml',
      'on: push\njobs:\n  train:\n    steps:\n      - uses: acme/train@v1\n        with:\n          model_name_or_path: gpt2\n          per_device_train_batch_size: 8\n',
    ],
    [
      '.github/workflows/memorymark.yml',
      'name: MemoryMark\non: pull_request\njobs:\n  memorymark:\n    runs-on: gpu\n',
    ],
    ['package.json', '{"name": "a", "scripts": {"train": "train --per_device_train_batch_size 8"}}'],
    ['tsconfig.json', '{\n  // strict\n  "compilerOptions": {"strict": true},\n}'],
    ['values.yaml', 'memorymark:\n  image: acme/memorymark\n  replicas: 2\nbatch_size: 8\n'],
    [
      'pod.yaml',
      'apiVersion: v1\nkind: ConfigMap\ndata:\n  train.yaml: |\n    model_name_or_path: gpt2\n    per_device_train_batch_size: 8\n',
    ],
    [
      'dataset.yaml',
      'license: mit\ntask_categories: [text-classification]\nmodel_name: gpt2\nconfigs:\n  - config_name: default\n',
    ],
    [
      'config.json',
      '{"_name_or_path": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 768, "torch_dtype": "float32"}',
    ],
    ['trainer_state.json', '{"train_batch_size": 8, "max_steps": 100, "num_train_epochs": 3}'],
    [
      'ds_config.json',
      '{"train_batch_size": "auto", "gradient_accumulation_steps": "auto", "fp16": {"enabled": true}}',
    ],
    ['detector.yaml', 'model: yolo\nbatch_size: 16\nlearning_rate: 0.1\n'],
    ['serve.yaml', 'model_name_or_path: gpt2\noutput_dir: out\n'],
    ['versions.yaml', 'memorymark: 1.2.3\n'],
    ['list.yaml', '- per_device_train_batch_size: 8\n'],
    ['empty.yaml', ''],
    ['broken.json', '{"name": "a", "version": '],
    ['broken.yaml', 'a: [1\nb: "'],
    ['huge.json', `{"data": "${'x'.repeat(5 * 2 ** 20)}"}`],
  ])('%s is left alone', (path, text) => {
    expect(readConfig({ path, text }).kind).toBe('not-a-training-config')
  })
})

it('a file that no dialect knows is told what was looked for', () => {
  expect(readConfig({ path: 'a.yaml', text: 'services: {}\n' })).toEqual({
    kind: 'not-a-training-config',
    why: expect.stringMatching(
      /^It sets no batch size in a known format \(MemoryMark, LitGPT, NeMo RL, Axolotl.*\)\.$/,
    ),
  })
})

describe('a training config that is broken', () => {
  it('is named with line and column when it is not YAML', () => {
    const found = onlyProblemIn('per_device_train_batch_size: 8\nmodel_name: [gpt2\n', 'configs/a.yaml')
    expect(found.code).toBe('not-yaml')
    expect(formatWhere(found)).toBe('configs/a.yaml:3:1: ')
  })

  it('is named when it is not JSON', () => {
    expect(onlyProblemIn('{"per_device_train_batch_size": 8,}', 'a.json')).toMatchObject({ line: 1, column: 35 })
  })

  it('is named when it is 5 MB large', () => {
    expect(onlyProblemIn(`per_device_train_batch_size: 8\nx: ${'x'.repeat(5 * 2 ** 20)}`).code).toBe('file-too-large')
  })

  it('is none where a large file of results counts samples', () => {
    const text = `{"n_samples": 250, "responses": ["${'x'.repeat(600_000)}"]}`
    expect(readConfig({ path: 'results/mgsm.json', text }).kind).toBe('not-a-training-config')
  })

  it('is named when it nests 10,000 deep', () => {
    expect(onlyProblemIn(`per_device_train_batch_size: 8\nx: ${'['.repeat(10_000)}`)).toMatchObject({
      code: 'file-too-deep',
      line: 2,
    })
  })

  it('is named when it sets its batch size twice', () => {
    const text = 'model_name: gpt2\nper_device_train_batch_size: 8\nper_device_train_batch_size: 16\n'
    const { spec, batchSizeAt, assumptions } = trainingConfig(text)
    expect(spec.microBatch).toBe(16)
    expect(batchSizeAt).toEqual({ line: 3, column: 30 })
    expect(assumptions).toContain(
      'The key "per_device_train_batch_size" is set twice in the same mapping: the last counts (line 3).',
    )
  })
})

describe('hostile text', () => {
  const keys = [
    'memorymark',
    'model',
    'batch_size',
    'model_name_or_path',
    'per_device_train_batch_size',
    'optim',
    'fp16',
    'base_model',
    'micro_batch_size',
    'sequence_len',
    'adapter',
    'stage',
    'cutoff_len',
    'trainer',
    'data',
    'defaults',
    'zero_optimization',
    'train_batch_size',
    'imgsz',
    'batch',
    'opt',
    'sched',
    'distributed_type',
  ]
  const others = [
    ...['<<', '__proto__', 'constructor', 'task', 'torch_dtype', 'max_length', 'deepspeed', 'fsdp', 'lora_r', 'x'],
    ...['lora_target_modules', 'load_in_4bit', 'init_args', 'class_path', '_component_', 'plugins', 'use_peft', 'lr'],
  ]
  const values = [
    '8',
    '-1',
    'gpt2',
    '"16"',
    '*a',
    '&a {b: 1}',
    '[',
    '{',
    '|',
    '- - a',
    '[q_proj, 1, {a: b}]',
    'true',
    'lora',
    'torchtune.models.llama2.llama2_7b',
    '{device: cpu}',
    `\${X}`,
    '!!binary =',
    '!!set {a}',
  ]
  const line = fc
    .tuple(fc.nat(3), fc.constantFrom(...keys, ...others), fc.constantFrom(...values))
    .map(([depth, key, value]) => `${'  '.repeat(depth)}${key}: ${value}`)
  const configLike = fc.array(line, { maxLength: 12 }).map(lines => lines.join('\n'))
  const jsonConfig = fc
    .dictionary(fc.constantFrom(...keys, ...others), fc.jsonValue(), { maxKeys: 8 })
    .map(config => JSON.stringify(config))
  const noise = fc.tuple(fc.string({ unit: 'binary' }), configLike).map(parts => parts.join('\n'))

  it.each(['a.yaml', 'a.json'])('never makes reading %s throw, and every problem keeps to its schema', path => {
    fc.assert(
      fc.property(fc.oneof(configLike, jsonConfig, noise), text => {
        const reading = readConfig({ path, text })
        if (reading.kind !== 'unreadable') return
        expect(reading.problems.length).toBeGreaterThan(0)
        for (const found of reading.problems) expect(problem.parse(found)).toEqual(found)
      }),
      { numRuns: 300 },
    )
  })

  it('with many faults stays within the 50 problems that a report holds', () => {
    const unknown = Array.from({ length: 200 }, (_, index) => `  k${index}: 1`).join('\n')
    const problems = problemsIn(`memorymark:\n  batch_size: 8\n${unknown}\n`)
    expect(problems).toHaveLength(50)
    expect(problems[0]?.code).toBe('model-not-in-file')
  })
})

describe('isCandidatePath', () => {
  it.each([
    'train.yaml',
    'configs/bert/train.yml',
    'a.json',
    'A.YAML',
    'package/train.json',
    'locked.yaml',
    'src/train.py',
  ])('%s is worth reading', path => {
    expect(isCandidatePath(path)).toBe(true)
  })

  it.each([
    'tests/train.py',
    'src/test_train.py',
    'train.pyc',
    'yaml',
    'package.json',
    'package-lock.json',
    'web/tsconfig.build.json',
    'pnpm-lock.yaml',
    'conda-lock.yml',
    'node_modules/a/train.yaml',
    'a/.git/config.json',
    'tokenizer_config.json',
  ])('%s is not', path => {
    expect(isCandidatePath(path)).toBe(false)
  })
})
