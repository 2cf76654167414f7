import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { analyze } from '../../engine/analyze.ts'
import { affectedConfigs } from '../../engine/change/affected-configs.ts'
import type { SourceFile } from '../../engine/config/reading.ts'
import { explainFile } from '../../engine/explain.ts'
import { defaultGpu } from '../../engine/gpus/catalogue.ts'
import { IsolatedEngine, type IsolatedEngineOptions } from '../../engine/isolated/engine.ts'
import { proposeChange } from '../../engine/propose.ts'
import { readSettings } from '../../engine/settings/read.ts'
import { noSettings } from '../../engine/settings/settings.ts'
import { sharedHostileScript } from '../shared-builds.ts'

// Processes end and start again, on a busy machine as slowly as it takes.
const now = new Date('2026-03-01T12:00:00Z')
const bert =
  'memorymark:\n  model: bert\n  batch_size: 2\n  gradient_accumulation: 16\n  precision: bf16\n  sequence_length: 128\n'
const hostile = (word: string) => `${bert}# ${word}\n`
const script = await sharedHostileScript()

const logged: string[] = []
let engine: IsolatedEngine
function open(options: IsolatedEngineOptions = {}): IsolatedEngine {
  engine = new IsolatedEngine({ script, log: text => logged.push(text), ...options })
  return engine
}
beforeEach(() => {
  logged.length = 0
})
afterEach(() => engine[Symbol.asyncDispose]())

function files(texts: Readonly<Record<string, string>>): SourceFile[] {
  return Object.entries(texts).map(([path, text]) => ({ path, text }))
}

/** Paths, and codes of the problems where there are some. */
async function verdicts(texts: Readonly<Record<string, string>>): Promise<unknown[]> {
  const { configs } = await engine.analyze(files(texts), { now, gpu: defaultGpu })
  return configs.map(config => [
    config.path,
    config.status === 'analysed' ? config.verdict.state : config.problems.map(({ code }) => code),
  ])
}

describe('in a process with limits', () => {
  test('files come to the same report as without', async () => {
    open()
    const all = files({
      'a.yaml': bert,
      'b.yaml': 'name: docs\n',
      'c.yaml': 'memorymark:\n  batch_size: 8\n',
      'd.yaml': 'model_name_or_path: models/own\nper_device_train_batch_size: 4\ndeepspeed: ds.json\nbf16: true\n',
      'e.yaml': 'train:\n  batch_size: 12\n  lr: 1.0e-4\nmodel:\n  name: gpt2\n',
    })
    const repository: Record<string, string> = {
      'ds.json': '{"zero_optimization": {"stage": 2}}',
      'requirements.txt': 'transformers==4.46.3\n',
      'models/own/config.json': '{"model_type": "bert", "num_hidden_layers": 2}',
      // The only script nearby: it is found in the folder, and loads e.yaml.
      'train.py': `import yaml
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
config = yaml.safe_load(open("e.yaml"))
arguments = TrainingArguments("out", per_device_train_batch_size=config["train"]["batch_size"], bf16=True)
Trainer(AutoModelForCausalLM.from_pretrained(config["model"]["name"]), arguments).train()
`,
    }
    const options = {
      now,
      sources: {
        readFile: async (path: string) => repository[path],
        listFolder: async (path: string) => (path === '.' ? ['ds.json', 'requirements.txt', 'train.py'] : []),
      },
      base: async (path: string) => (path === 'a.yaml' ? bert.replace('batch_size: 2', 'batch_size: 1') : undefined),
    }
    expect(await engine.analyze(all, options)).toEqual(await analyze(all, options))
  })

  test('files of several processes come in their order, though the first take longest', async () => {
    open({ processes: 2, limits: { fileMillis: 1_000 } })
    const paths = Array.from({ length: 40 }, (_, index) => `${index}.yaml`)
    const texts = paths.map(path => [path, path === '0.yaml' ? hostile('spin') : bert])
    const judged = await verdicts(Object.fromEntries(texts))
    expect(judged[0]).toEqual(['0.yaml', ['analysis-time-limit']])
    expect(judged.slice(1)).toEqual(paths.slice(1).map(path => [path, 'blocked']))
  })

  test('what configs name is looked for once, and what the looking rejects with ends the analysis', async () => {
    open()
    const asked: string[] = []
    const text = 'model_name_or_path: models/own\nper_device_train_batch_size: 4\n'
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`configs/${index}.yaml`, text]))
    const readFile = async (path: string) => {
      asked.push(path)
      return path === 'models/own/config.json' ? '{"model_type": "bert", "num_hidden_layers": 2}' : undefined
    }
    const { configs } = await engine.analyze(files(many), { now, sources: { readFile } })
    expect(configs).toHaveLength(40)
    expect(asked).toEqual(['models/own/config.json'])

    const failure = new Error('GitHub does not answer')
    const failing = { readFile: () => Promise.reject(failure) }
    await expect(engine.analyze(files({ 'a.yaml': text }), { now, sources: failing })).rejects.toBe(failure)
    expect(await verdicts({ 'a.yaml': bert })).toEqual([['a.yaml', 'blocked']])
  })

  test('files are explained, changed and searched, and settings read, as without', async () => {
    open()
    const file = { path: 'a.yaml', text: bert }
    const other = { path: 'b.yaml', text: 'per_device_train_batch_size: 4\n' }
    expect(await engine.explainFile(file)).toEqual(await explainFile(file))
    expect(await engine.explainFiles([other, file])).toEqual([await explainFile(other), await explainFile(file)])
    const [config] = (await analyze([file], { now })).configs
    if (config?.status !== 'analysed') throw new Error('not analysed')
    const proposal = await engine.proposeChange(file, config)
    expect(proposal.kind).toBe('change')
    expect(proposal).toEqual(await proposeChange(file, config))
    const settings = {
      path: '.github/memorymark.yml',
      text: 'gpu: h100\noverrides:\n  - path: "a/*"\n    model: bert\n',
    }
    expect(await engine.readSettings(settings)).toEqual(readSettings(settings))
    expect(await engine.readSettings({ ...settings, text: 'gpu: [\n' })).toMatchObject({ kind: 'unreadable' })
    const naming = {
      path: 'b.yaml',
      text: 'model_name_or_path: gpt2\nper_device_train_batch_size: 1\ndeepspeed: ds.json\n',
    }
    const change = { paths: ['ds.json'], files: [{ path: 'ds.json', text: '{"zero_optimization": {}}' }] }
    const repository = {
      list: async () => ['a.yaml', 'b.yaml', 'ds.json'],
      read: async () => [file, naming],
      readBefore: async () => [],
    }
    const affected = await engine.affectedConfigs(change, noSettings, repository)
    expect(affected.files).toEqual([naming])
    expect(affected).toEqual(await affectedConfigs(change, noSettings, repository))
  })
})

describe('a hostile file', () => {
  test.each([
    ['spin', 'analysis-time-limit', 'takes longer than the limit of 1 s'],
    ['allocate', 'analysis-memory-limit', 'takes more memory than the limit of 64 MiB'],
    ['die', 'analysis-crashed', 'ended twice without an answer'],
  ])('that makes its reader %s is not analysed, and the others are', async (word, code, message) => {
    open({
      limits: { fileMillis: word === 'spin' ? 1_000 : 20_000, heapMib: 64, totalMillis: Number.POSITIVE_INFINITY },
    })
    const texts = { 'a.yaml': bert, 'b.yaml': hostile(word), 'c.yaml': bert, 'd.yaml': hostile(word), 'e.yaml': bert }
    expect(await verdicts(texts)).toEqual([
      ['a.yaml', 'blocked'],
      ['b.yaml', [code]],
      ['c.yaml', 'blocked'],
      ['d.yaml', [code]],
      ['e.yaml', 'blocked'],
    ])
    const { configs } = await engine.analyze(files({ 'b.yaml': hostile(word) }), { now })
    expect(configs).toMatchObject([{ problems: [{ file: 'b.yaml', message: expect.stringContaining(message) }] }])
    expect(logged.length > 0).toBe(word === 'die')
  })

  test('is not blamed for the memory that others left, or for one end of the process', async () => {
    open({ limits: { heapMib: 64, fileMillis: 20_000, totalMillis: Number.POSITIVE_INFINITY } })
    expect(await verdicts({ 'a.yaml': bert })).toEqual([['a.yaml', 'blocked']])
    expect(await verdicts({ 'b.yaml': hostile('leave a mess') })).toEqual([['b.yaml', 'blocked']])
  })

  test('leaves what is beyond the limit of the whole analysis not analysed, and says so', async () => {
    open({ limits: { fileMillis: 400, totalMillis: 1_000 } })
    const texts = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index}.yaml`, hostile('spin')]))
    const codes = (await verdicts(texts)).map(verdict => JSON.stringify(verdict).includes('analysis-total-limit'))
    expect(codes.slice(0, 3)).toEqual([false, false, false])
    expect(codes.slice(3)).toEqual(codes.slice(3).map(() => true))
    expect(await verdicts({ 'a.yaml': bert })).toEqual([['a.yaml', 'blocked']])
  })

  test('holds nobody else for long: the process goes round', async () => {
    open({ limits: { fileMillis: 200 } })
    const ends: string[] = []
    const many = Object.fromEntries(Array.from({ length: 3 }, (_, index) => [`${index}.yaml`, hostile('spin')]))
    await Promise.all([
      verdicts(many).then(() => ends.push('hostile')),
      verdicts({ 'a.yaml': bert }).then(() => ends.push('honest')),
    ])
    expect(ends).toEqual(['honest', 'hostile'])
  })

  test('keeps nothing from being explained, proposed or read as settings', async () => {
    open({ limits: { fileMillis: 300 } })
    const file = { path: 'a.yaml', text: hostile('spin') }
    expect(await engine.explainFile(file)).toMatchObject({ reading: { problems: [{ code: 'analysis-time-limit' }] } })
    expect(await engine.readSettings(file)).toMatchObject({ problems: [{ code: 'analysis-time-limit' }] })
    const change = { paths: ['ds.json'], files: [{ ...file, path: 'ds.json' }] }
    const repository = { list: async () => [], read: async () => [], readBefore: async () => [] }
    expect(await engine.affectedConfigs(change, noSettings, repository)).toEqual({
      files: [],
      formerVersions: new Map(),
      remarks: [],
    })
  })
})

test('a bug of ours ends the analysis, with its stack', async () => {
  open()
  await expect(engine.analyze(files({ 'a.yaml': hostile('bug') }), { now })).rejects.toThrow(/a bug\n\s+at /)
})

test('an analysis is cancelled by its signal, and by the end of the engine', async () => {
  open({ limits: { fileMillis: 20_000 } })
  const cancel = new AbortController()
  const spinning = files({ 'a.yaml': hostile('spin') })
  const cancelled = engine.analyze(spinning, { now, signal: cancel.signal })
  setTimeout(() => cancel.abort(new Error('enough')), 300)
  await expect(cancelled).rejects.toThrow('enough')

  const ended = engine.analyze(spinning, { now })
  const waiting = engine.analyze(spinning, { now })
  const both = Promise.allSettled([ended, waiting])
  await new Promise(resolve => setTimeout(resolve, 300))
  await engine[Symbol.asyncDispose]()
  expect(await both).toMatchObject([{ reason: { name: 'AbortError' } }, { reason: { name: 'AbortError' } }])
})

describe('paths against globs', () => {
  const paths = Array.from({ length: 1_000 }, (_, index) => `c/${index}/${'a'.repeat(3_000)}.yaml`)

  test('are counted as the settings say', async () => {
    open()
    const globs = { paths: ['c/1*/**'], ignore: ['**/*.json'] }
    const counted = await engine.countPaths(['c/1/a.yaml', 'c/1/a.json', 'c/2/a.yaml'], globs)
    expect(counted).toEqual({ paths: ['c/1/a.yaml'], isWithinLimits: true })
  })

  test('all count where that takes too long', async () => {
    open({ limits: { fileMillis: 500 } })
    const globs = { paths: Array.from({ length: 40 }, (_, index) => `c/*/*${'a*'.repeat(45)}b${index}`), ignore: [] }
    expect(await engine.countPaths(paths, globs)).toEqual({ paths, isWithinLimits: false })
  })
})
