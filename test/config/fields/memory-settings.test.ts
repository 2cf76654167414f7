/** What looks like a setting of memory and nobody understands is named in every format, and no verdict is confident then. */
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { analyze } from '../../../engine/analyze.ts'
import { unmodelledTools } from '../../../engine/config/dialects/unmodelled-tools.ts'
import { dialects } from '../../../engine/config/dialects.ts'
import { readConfig } from '../../../engine/config/read.ts'
import { advice } from '../../../engine/render/advice.ts'
import { readSettings } from '../../../engine/settings/read.ts'

const corpus = new URL('../../../bench/configs/training/', import.meta.url)

/** Texts of YAML that are read, by tool. */
const texts = new Map<string, string>()
for (const folder of readdirSync(corpus)) {
  for (const name of readdirSync(new URL(`${folder}/`, corpus))) {
    if (!/\.ya?ml$/.test(name)) continue
    const text = readFileSync(new URL(`${folder}/${name}`, corpus), 'utf8')
    const reading = readConfig({ path: 'train.yaml', text })
    if (reading.kind === 'training-config' && reading.unreadSettings === undefined && !/^(?:---|\.\.\.)/m.test(text)) {
      if (!texts.has(reading.dialect)) texts.set(reading.dialect, text)
    }
  }
}

const stems = [
  'quant',
  'load_in_4bit',
  'bits',
  'lora',
  'qlora',
  'peft',
  'adapter',
  'gradient_ckpt',
  'offload',
  'shard',
  'zero',
]
const more = [
  'max_len',
  'seq_len',
  'dtype',
  'fp8',
  'precision',
  'packing',
  'freeze',
  'galore',
  'parallel_size',
  'compile',
]
const settings = fc.record({
  key: fc
    .tuple(fc.constantFrom('my', 'x1', 'team', 'acme'), fc.constantFrom(...stems, ...more))
    .map(([prefix, stem]) => (stem === 'precision' ? `precision_of_${prefix}` : `${prefix}_${stem}`)),
  value: fc.constantFrom('true', '4', '4bit', 'nf4', '{ kind: full }', '[a, b]', 'stage3'),
  levels: fc.array(fc.constantFrom('mine', 'team_settings', 'model_setup'), { maxLength: 4 }),
})

test('there is a text to try for every tool whose YAML makes a config alone', () => {
  const alone = dialects
    .filter(dialect => !unmodelledTools.includes(dialect))
    .map(({ name }) => name)
    .filter(name => !['Accelerate', 'DeepSpeed', 'Hydra', 'timm'].includes(name))
  expect(alone.filter(name => !texts.has(name))).toEqual([])
})

test('it is named with its line, at any depth, in every format', () => {
  fc.assert(
    fc.property(fc.constantFrom(...texts), settings, ([dialect, text], { key, value, levels }) => {
      const nested = [...levels, key].map((name, level) => `${'  '.repeat(level)}${name}:`)
      const written = `${text.trimEnd()}\n${nested.join('\n')} ${value}\n`
      const reading = readConfig({ path: 'train.yaml', text: written })
      // Our own format takes no key that it does not know.
      if (dialect === 'MemoryMark' && reading.kind === 'unreadable') return
      if (reading.kind !== 'training-config') throw new Error(`${dialect}: ${JSON.stringify(reading)}`)
      const line = text.trimEnd().split('\n').length + nested.length
      expect(reading.unreadSettings?.map(({ at }) => at.line)).toContain(line)
    }),
    { numRuns: 400 },
  )
})

test.each([
  'torch_compile: true',
  'torch_compile_backend: inductor',
  'torch_compile_mode: default',
  'auto_find_batch_size: true',
  'accelerator_config: { split_batches: true }',
  'fsdp_reshard_after_forward: false',
  'upcast_layernorm: true',
  'shift_attn: true',
  'chunked_cross_entropy: true',
])('beside the arguments of the Trainer, %s is named, since it is not counted', argument => {
  const text = `${texts.get('Hugging Face Trainer')?.trimEnd()}\n${argument}\n`
  expect(readConfig({ path: 'train.yaml', text })).toMatchObject({
    unreadSettings: [{ name: expect.stringContaining(argument.split(':')[0]!) }],
  })
})

test.each(['false', 'null', '""', 'none', '0', '{ enabled: false, bits: 4 }'])('what is off (%s) is not', off => {
  const text = texts.get('Hugging Face Trainer')
  const reading = readConfig({ path: 'train.yaml', text: `${text}my_quantization: ${off}\n` })
  expect(reading).not.toHaveProperty('unreadSettings')
})

async function judged(text: string) {
  const read = readSettings({
    path: '.github/memorymark.yml',
    text: 'gpu: a100-80gb\noverrides: [{ path: "*", gpus: 1 }]\n',
  })
  if (read.kind !== 'settings') throw new Error('unreadable')
  const { configs } = await analyze([{ path: 'train.yaml', text }], { now: new Date(0), settings: read.settings })
  const [config] = configs
  if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
  return config
}

const bert =
  'model_name_or_path: google-bert/bert-base-uncased\nper_device_train_batch_size: 64\nmax_seq_length: 512\ntask: masked-lm\nbf16: true\n'
const mistral =
  'model_name_or_path: mistralai/Mistral-7B-v0.1\nper_device_train_batch_size: 64\nmax_seq_length: 2048\ntask: causal-lm\n'

test('what would be fine is a warning, and says why', async () => {
  expect((await judged(bert)).verdict.state).toBe('fine')
  const config = await judged(`${bert}acme_quantization: 4bit\n`)
  expect(config.verdict).toEqual({ state: 'warning', reasons: [{ kind: 'unread-settings' }] })
  expect(advice(config).join(' ')).toContain('acme_quantization (line 6)')
})

test('what would block is a warning', async () => {
  expect((await judged(mistral)).verdict.state).toBe('blocked')
  expect((await judged(`${mistral}acme_quantization: 4bit\n`)).verdict).toEqual({
    state: 'warning',
    reasons: [{ kind: 'does-not-fit', spared: 'assumed' }, { kind: 'unread-settings' }],
  })
})

test.each([
  ['extends: DEFAULT_SFT', 'extends'],
  ['_base_: ../base.yaml', '_base_'],
  ['_base: base.yaml', '_base'],
  ['train_type: custom_4bit', 'train_type'],
  ['tuning_method: 8bit', 'tuning_method'],
  ['fine_tune: head_only', 'fine_tune'],
  ['task_loss: triplet', 'task_loss'],
  ['loss_fn: MultipleNegativesRankingLoss', 'loss_fn'],
  ['finetune_strategy: frozen', 'finetune_strategy'],
  ['sft_adapter_path: outputs/sft', 'sft_adapter_path'],
  ['vision_tower: openai/clip-vit-large-patch14-336', 'vision_tower'],
])('%s hides settings of memory', (line, name) => {
  const text = `model_name_or_path: gpt2\nper_device_train_batch_size: 8\nlearning_rate: 1e-5\n${line}\n`
  expect(readConfig({ path: 'train.yaml', text })).toMatchObject({
    unreadSettings: [{ name, at: { line: 4 } }],
  })
})

test.each(['train_type: full', 'training_method: sft', 'extends: null', 'fine_tune: full', 'save_adapter_path: out'])(
  '%s hides none',
  line => {
    const text = `model_name_or_path: gpt2\nper_device_train_batch_size: 8\nlearning_rate: 1e-5\n${line}\n`
    expect(readConfig({ path: 'train.yaml', text })).not.toHaveProperty('unreadSettings')
  },
)

test.each([
  ['Qwen/Qwen2.5-0.5B', 'causal-lm', 0.1, ['label_smoothing_factor']],
  ['facebook/bart-base', 'seq2seq-lm', 0.1, ['label_smoothing_factor']],
  ['facebook/bart-base', 'seq2seq-lm', 0, undefined],
  ['bert-base-uncased', 'sequence-classification', 0.1, undefined],
])('the loss of smoothed labels is named where tokens are predicted: %s, %s, %d', (model, task, factor, named) => {
  const lines = ['per_device_train_batch_size: 4', 'learning_rate: 1e-5', 'max_seq_length: 128', `task: ${task}`]
  const text = [`model_name_or_path: ${model}`, ...lines, `label_smoothing_factor: ${factor}`].join('\n')
  const reading = readConfig({ path: 'train.yaml', text })
  if (reading.kind !== 'training-config') throw new Error(reading.kind)
  expect(reading.unreadSettings?.map(({ name }) => name)).toEqual(named)
})
