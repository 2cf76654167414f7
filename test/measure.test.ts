/** Sweeps as an assessor: whose answers, on a machine without Python, are estimates; whose terms are each config's own; what is kept. */
import { describe, expect, test } from 'vitest'
import { analyze } from '../engine/analyze.ts'
import { measuring } from '../engine/measure.ts'
import { readSettings } from '../engine/settings/read.ts'
import type { RepositorySettings } from '../engine/settings/settings.ts'
import { bertMnli as bert } from './bert-mnli.ts'
import { hasTorch, python } from './probes/python.ts'

const now = new Date('2026-01-02T03:04:05Z')

function settings(text: string): RepositorySettings {
  const reading = readSettings({ path: '.github/memorymark.yml', text })
  if (reading.kind !== 'settings') throw new Error('the settings of this test are wrong')
  return reading.settings
}

/** With the sizes tried, in order. */
async function swept(files: Readonly<Record<string, string>>, of = '', signal = new AbortController().signal) {
  const tried: number[] = []
  const assessor = measuring({
    engine: 'estimate',
    strategy: 'predict-verify',
    python: '/nonexistent/python',
    now,
    signal,
    remark: () => {},
    log: () => {},
    onTrial: ({ microBatch }) => tried.push(microBatch),
  })
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }))
  const report = await analyze(sources, { now, assessor, ...(of !== '' && { settings: settings(of) }) })
  return { configs: report.configs, tried }
}

test('configs that come down to the same step are swept once', async () => {
  const { configs, tried } = await swept({ 'a.yaml': bert, 'b.yaml': `# a copy\n${bert}` })
  expect(configs.map(({ path, status }) => [path, status])).toEqual([
    ['a.yaml', 'analysed'],
    ['b.yaml', 'analysed'],
  ])
  expect(new Set(tried).size).toBe(tried.length)
})

test('each keeps the terms that its path has in the settings', async () => {
  const overrides = 'overrides:\n  - path: long/**\n    hours_per_run: 20\n'
  const { configs } = await swept({ 'short/a.yaml': bert, 'long/a.yaml': bert }, overrides)
  expect(configs).toMatchObject([{ hoursPerRun: 2 }, { hoursPerRun: 20 }])
})

describe.skipIf(!hasTorch)('trials that were kept', () => {
  const files = {
    'train.yaml': `${bert.replace('bert-base-uncased', 'models/tiny').replace('bf16: true\n', '')}deepspeed: ds.json\n`,
    'models/tiny/config.json': JSON.stringify({
      model_type: 'bert',
      num_hidden_layers: 1,
      hidden_size: 64,
      num_attention_heads: 2,
      intermediate_size: 128,
    }),
  }

  /** How many trials were run, and how many of them were kept from before. */
  async function traced(isHalf: boolean, entries: Map<string, string>) {
    const counts = { run: 0, kept: 0 }
    const assessor = measuring({
      engine: 'trace',
      strategy: 'predict-verify',
      python,
      now,
      signal: new AbortController().signal,
      kept: { read: async key => entries.get(key), write: async (key, text) => void entries.set(key, text) },
      remark: () => {},
      log: () => {},
      onTrial: (_, __, isKept) => counts[isKept ? 'kept' : 'run']++,
    })
    const inRepository: Readonly<Record<string, string>> = {
      ...files,
      'ds.json': `{"zero_optimization": {"stage": 0}, "bf16": {"enabled": ${isHalf}}}`,
    }
    const report = await analyze([{ path: 'train.yaml', text: files['train.yaml'] }], {
      now,
      assessor,
      settings: settings('step_size: 8192\n'),
      sources: { readFile: async path => inRepository[path] },
    })
    expect(report.configs).toMatchObject([{ status: 'analysed', provenance: 'traced' }])
    return counts
  }

  test("answer for the same config while DeepSpeed's file says the same, and not once it says something else", async () => {
    const entries = new Map<string, string>()
    expect((await traced(false, entries)).kept).toBe(0)
    expect(await traced(false, entries)).toMatchObject({ run: 0 })
    expect((await traced(true, entries)).kept).toBe(0)
  })
})

test('what a cancelled sweep has found is not taken for a result', async () => {
  const reason = new Error('cancelled')
  await expect(swept({ 'a.yaml': bert }, '', AbortSignal.abort(reason))).rejects.toBe(reason)
})
