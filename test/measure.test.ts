/** Sweeps as an assessor, on a machine without Python: whose answers are estimates, and whose terms are each config's own. */
import { expect, test } from 'vitest'
import { analyze } from '../engine/analyze.ts'
import { measuring } from '../engine/measure.ts'
import { readSettings } from '../engine/settings/read.ts'
import type { RepositorySettings } from '../engine/settings/settings.ts'

const bert = `model_name_or_path: bert-base-uncased
task_name: mnli
max_seq_length: 128
per_device_train_batch_size: 16
num_labels: 3
bf16: true
`
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

test('what a cancelled sweep has found is not taken for a result', async () => {
  const reason = new Error('cancelled')
  await expect(swept({ 'a.yaml': bert }, '', AbortSignal.abort(reason))).rejects.toBe(reason)
})
