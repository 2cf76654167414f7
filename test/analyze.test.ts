import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { type AnalyzeOptions, analyze } from '../engine/analyze.ts'
import { version } from '../engine/base/version.ts'
import { defaultGpu, findGpu, gpus } from '../engine/gpus/catalogue.ts'
import { type AnalysedConfig, type ConfigResult, report } from '../engine/report/schema.ts'
import { readSettings } from '../engine/settings/read.ts'
import { defaultPolicy } from '../engine/verdict/policy.ts'

const waste = { kind: 'waste', abovePercent: 40 } as const

const now = new Date('2026-03-01T12:00:00Z')

const bert = {
  path: 'configs/bert.yaml',
  text: 'memorymark:\n  model: bert\n  batch_size: 16\n  sequence_length: 128\n',
}
const broken = { path: 'configs/broken.yaml', text: 'memorymark:\n  model: bert\n  batch_size: sixteen\n' }
const foreign = { path: 'mkdocs.yml', text: 'site_name: Docs\nnav: [index.md]\n' }

async function analysed(text: string, options: Partial<AnalyzeOptions> = {}): Promise<AnalysedConfig> {
  const { configs } = await analyze([{ path: 'train.yaml', text }], { now, gpu: defaultGpu, ...options })
  return narrowed(configs[0])
}

function narrowed(config: ConfigResult | undefined): AnalysedConfig {
  if (config?.status !== 'analysed') throw new Error(`not analysed: ${JSON.stringify(config)}`)
  return config
}

describe('a set of files', () => {
  test('leaves no trace of those that are no training config', async () => {
    const { configs } = await analyze([foreign, bert, { path: 'empty.yaml', text: '' }], { now })
    expect(configs.map(config => config.path)).toEqual(['configs/bert.yaml'])
  })

  test('with a broken config has it told apart, and the others analysed', async () => {
    const { configs } = await analyze([broken, bert], { now })
    expect(configs.map(({ path, status }) => [path, status])).toEqual([
      ['configs/broken.yaml', 'not-analysed'],
      ['configs/bert.yaml', 'analysed'],
    ])
    expect(configs[0]).toMatchObject({ problems: [{ file: 'configs/broken.yaml', line: 3 }] })
  })

  test('without a training config gives an empty report', async () => {
    expect(await analyze([foreign], { now })).toMatchObject({
      schema: 'memorymark.report/v2',
      toolVersion: version,
      createdAt: '2026-03-01T12:00:00.000Z',
      configs: [],
    })
  })
})

describe('the report of the examples', () => {
  const examples = async () => {
    const folder = new URL('../examples/configs/', import.meta.url)
    const names = await readdir(folder)
    const files = names.map(async name => ({ path: name, text: await readFile(new URL(name, folder), 'utf8') }))
    return analyze(await Promise.all(files), { now })
  }

  test('obeys its own schema and survives JSON unchanged', async () => {
    const written = await examples()
    expect(written.configs.length).toBeGreaterThanOrEqual(3)
    expect(report.parse(JSON.parse(JSON.stringify(written)))).toEqual(written)
  })

  test('analyses every training config among them', async () => {
    const { configs } = await examples()
    expect(configs.filter(({ status }) => status === 'not-analysed')).toEqual([])
  })
})

describe('one config', () => {
  test('is described at its own, the recommended and the largest batch', async () => {
    const config = await analysed(bert.text)
    expect(config).toMatchObject({
      provenance: 'estimated',
      throughputProvenance: 'modelled',
      batchSizeAt: { line: 3 },
      current: { microBatch: 16, gradientAccumulation: 1, effectiveBatch: 16, fits: true },
    })
    const { current, recommended, largest } = config
    if (recommended === undefined || largest === undefined) throw new Error('BERT fits an A10')
    expect(recommended.microBatch).toBeLessThanOrEqual(largest.microBatch)
    expect(recommended.peakBytes).toBeLessThanOrEqual(0.95 * config.gpu.usableBytes)
    expect(config.speedup).toBeCloseTo((recommended.samplesPerSecond ?? 0) / (current.samplesPerSecond ?? 0), 9)
  })

  test('costs hours × price × (1 − 1/speedup) too much a run', async () => {
    const config = await analysed(bert.text, { hoursPerRun: 3, runsPerYear: 50, pricePerHourUsd: 2 })
    expect(config.current.costPerRunUsd).toBeCloseTo(6, 9)
    expect(config.savingsPerRunUsd).toBeCloseTo(6 * (1 - 1 / config.speedup), 9)
    expect(config.savingsPerYearUsd).toBeCloseTo(50 * config.savingsPerRunUsd, 9)
    expect(config.gpu).toMatchObject({ pricePerHourUsd: 2, priceSource: 'your setting', priceDate: '2026-03-01' })
  })

  test('has a breakdown that adds up to its peak', async () => {
    const { breakdown, current } = await analysed(bert.text)
    expect(Object.values(breakdown).reduce((sum, bytes) => sum + bytes, 0)).toBe(current.peakBytes)
  })

  test('shows trials in order, up to the largest batch and then the first whose bytes in use alone are too much', async () => {
    const { trials, largest, gpu } = await analysed(bert.text)
    const sizes = trials.map(({ microBatch }) => microBatch)
    expect(sizes).toEqual([...new Set(sizes)].toSorted((a, b) => a - b))
    expect(sizes.at(-2)).toBe(largest?.microBatch)
    const tooLarge = trials.at(-1)!
    expect(tooLarge.outcome).toEqual({ kind: 'out-of-memory', neededBytes: expect.any(Number) })
    const { current } = await analysed(bert.text.replace('16', String(tooLarge.microBatch - 8)))
    expect(current.peakBytes).toBeLessThanOrEqual(gpu.usableBytes)
    const { current: further } = await analysed(bert.text.replace('16', String(tooLarge.microBatch)))
    expect(further.peakBytes).toBeGreaterThan(gpu.usableBytes)
  })

  test('has a modelled speed at every size tried that fits, and at no other', async () => {
    const { trials, throughputCurve = [], current, throughputProvenance } = await analysed(bert.text)
    const fitting = trials.flatMap(({ microBatch, outcome }) => (outcome.kind === 'fits' ? [microBatch] : []))
    expect(throughputProvenance).toBe('modelled')
    expect(throughputCurve.map(({ microBatch }) => microBatch)).toEqual(fitting)
    const { samplesPerSecond, peakBytes } = current
    expect(throughputCurve).toContainEqual({ microBatch: 16, samplesPerSecond, peakBytes })
  })

  test('that runs out of memory is blocked and offered the largest that fits', async () => {
    const config = await analysed('memorymark:\n  model: bert\n  batch_size: 4096\n  sequence_length: 128\n')
    expect(config.verdict).toEqual({ state: 'blocked', reasons: [{ kind: 'does-not-fit' }] })
    expect(config.current.fits).toBe(false)
    expect(config.speedup).toBe(1)
    expect(config.recommended?.effectiveBatch).toBe(4_096)
    expect(config.largest?.microBatch).toBeLessThan(4_096)
  })

  test('of which not one sample fits has neither a recommended nor a largest batch', async () => {
    const t4 = findGpu('t4')
    if (t4 === undefined) throw new Error('no T4')
    const text = 'memorymark:\n  model: gpt2-xl\n  batch_size: 1\n  sequence_length: 1024\n'
    const config = await analysed(text, { gpu: t4 })
    expect(config).not.toHaveProperty('recommended')
    expect(config).not.toHaveProperty('largest')
    expect(config.trials.map(({ microBatch, outcome }) => [microBatch, outcome.kind])).toEqual([[1, 'out-of-memory']])
  })

  test('is right-sized only to a GPU on which it fits and that costs less', async () => {
    const h100 = findGpu('h100')
    if (h100 === undefined) throw new Error('no H100')
    const { rightSizing, recommended, current } = await analysed(bert.text, { gpu: h100 })
    expect(rightSizing?.gpu.pricePerHourUsd).toBeLessThan(h100.pricePerHourUsd)
    expect(rightSizing?.gpu.usableBytes).toBeGreaterThan(current.peakBytes)
    expect(rightSizing?.costPerRunUsd).toBeLessThan(recommended?.costPerRunUsd ?? 0)
  })
})

describe('the settings of the repository', () => {
  const settings = (text: string) => {
    const reading = readSettings({ path: '.github/memorymark.yml', text })
    if (reading.kind !== 'settings') throw new Error(JSON.stringify(reading))
    return reading.settings
  }
  const team = settings(`gpu: l4
prices: { l4: 0.3, a10: 0.9 }
hours_per_run: 5
runs_per_year: 10
fail-on: never
step_size: 16
margin_percent: 50
overrides:
  - path: big.yaml
    gpu: h100
    hours_per_run: 6
`)

  test('name the PyTorch without which no config is blocked that only older ones have no room for', async () => {
    const t4 = findGpu('t4')
    if (t4 === undefined) throw new Error('no T4')
    const spec =
      'model: TinyLlama/TinyLlama-1.1B-Chat-v1.0\n  batch_size: 2\n  sequence_length: 4096\n  precision: amp-fp16'
    const text = `memorymark:\n  ${spec}\n  gradient_checkpointing: true\n  lora_rank: 8\n  gpus: 1\n`
    const versions = (torch: string) => ({ settings: settings(`versions:\n  torch: "${torch}"\n`) })
    const states = []
    for (const options of [{}, versions('2.13.0'), versions('2.14.1')]) {
      const { current, verdict, assumed = [], assumptions } = await analysed(text, { gpu: t4, ...options })
      const isTold = assumptions.some(sentence => sentence.includes('before PyTorch 2.14'))
      states.push({ fits: current.fits, state: verdict.state, assumed, isTold })
    }
    expect(states).toEqual([
      { fits: false, state: 'warning', assumed: ['upper-bound'], isTold: true },
      { fits: false, state: 'blocked', assumed: [], isTold: false },
      { fits: true, state: 'fine', assumed: [], isTold: false },
    ])
    const far = await analysed(text.replace('batch_size: 2', 'batch_size: 64'), { gpu: t4 })
    expect(far).toMatchObject({ verdict: { state: 'blocked' } })
  })

  test('choose GPU, price, hours, runs, policy, steps and margin', async () => {
    const slow = bert.text.replace('batch_size: 16', 'batch_size: 1')
    const written = await analyze([{ path: 'train.yaml', text: slow }], { now, settings: team })
    expect(written.policy).toEqual({ failOn: [], warnOn: defaultPolicy.warnOn })
    const config = narrowed(written.configs[0])
    expect(config).toMatchObject({
      gpu: { id: 'l4', pricePerHourUsd: 0.3, priceSource: '.github/memorymark.yml', priceDate: '2026-03-01' },
      hoursPerRun: 5,
      runsPerYear: 10,
      verdict: { state: 'warning' },
    })
    expect((config.largest?.microBatch ?? 0) % 16).toBe(0)
    expect(config.recommended?.peakBytes).toBeLessThanOrEqual(0.5 * config.gpu.usableBytes)
  })

  test('choose another GPU for some paths', async () => {
    const { configs } = await analyze([{ path: 'big.yaml', text: bert.text }], { now, settings: team })
    expect(configs).toMatchObject([{ gpu: { id: 'h100' }, hoursPerRun: 6, runsPerYear: 10 }])
  })

  test('have their prices compared when a cheaper GPU is looked for', async () => {
    const [dear, cheap] = [
      settings('gpu: h100\nprices: { l4: 100, t4: 100 }\n'),
      settings('gpu: h100\nprices: { t4: 0.01 }\n'),
    ]
    expect((await analysed(bert.text, { settings: dear })).rightSizing?.gpu.id).not.toMatch(/^(l4|t4)$/)
    expect((await analysed(bert.text, { settings: cheap })).rightSizing?.gpu).toMatchObject({
      id: 't4',
      pricePerHourUsd: 0.01,
    })
  })

  test('stand behind a cheaper GPU whose own price is undated or of another card', async () => {
    const text = bert.text
    const h100 = findGpu('h100')
    const doubtful = gpus.filter(({ priceCaveat }) => priceCaveat !== undefined).map(({ id }) => id)
    const { rightSizing } = await analysed(text, { ...(h100 && { gpu: h100 }) })
    expect(doubtful).toContain('l4')
    expect(doubtful).not.toContain(rightSizing?.gpu.id)
    const prices = settings(`gpu: h100\nprices: { ${doubtful[0]}: 0.01 }\n`)
    const { configs } = await analyze([{ path: 'train.yaml', text }], { now, settings: prices })
    expect(narrowed(configs[0]).rightSizing?.gpu).toMatchObject({ id: doubtful[0], pricePerHourUsd: 0.01 })
    expect(narrowed(configs[0]).rightSizing?.gpu).not.toHaveProperty('priceCaveat')
  })

  test('yield to what the caller gives', async () => {
    const given = { gpu: defaultGpu, hoursPerRun: 1, pricePerHourUsd: 2, policy: { failOn: [waste] } }
    const config = await analysed(bert.text, { settings: team, ...given })
    expect(config).toMatchObject({
      gpu: { id: 'a10', pricePerHourUsd: 2, priceSource: 'your setting' },
      hoursPerRun: 1,
      runsPerYear: 10,
      verdict: { reasons: expect.arrayContaining([expect.objectContaining({ condition: waste })]) },
    })
  })

  test('are told of an optimizer that fails in its first step', async () => {
    const text = 'model_name_or_path: gpt2\nper_device_train_batch_size: 1\noptim: adafactor\nbf16: true\n'
    const said = async (more: string) => (await analysed(`${text}${more}`)).assumptions.join(' ')
    expect(await said('fsdp: full_shard\n')).toContain('Adafactor fails in its first step under FSDP2')
    expect(await said('fsdp: full_shard\nfsdp_config: { fsdp_version: 1 }\n')).not.toContain('Adafactor fails')
    expect(await said('')).not.toContain('Adafactor fails')
  })

  test('are told that a model cannot be checkpointed', async () => {
    const said = async (model: string, checkpoints: boolean) => {
      const text = `model_name_or_path: ${model}\nper_device_train_batch_size: 8\ngradient_checkpointing: ${checkpoints}\n`
      return (await analysed(text)).assumptions.join(' ')
    }
    const refusal = 'does not support gradient checkpointing'
    expect(await said('microsoft/resnet-50', true)).toContain(refusal)
    expect(await said('microsoft/resnet-50', false)).not.toContain(refusal)
    expect(await said('google/vit-base-patch16-224', true)).not.toContain(refusal)
  })

  test('turn what a config cannot say into figures', async () => {
    const text = 'per_device_train_batch_size: 16\nmodel_name_or_path: $MODEL\n'
    const supplying = settings('overrides:\n  - { path: "*.yaml", model: bert, sequence_length: 128 }\n')
    expect((await analyze([{ path: 'train.yaml', text }], { now })).configs).toMatchObject([
      { status: 'not-analysed', dialect: 'Hugging Face Trainer' },
    ])
    const config = await analysed(text, { settings: supplying })
    expect(config).toMatchObject({ spec: { sequenceLength: 128 } })
    expect(config.assumptions).toContain('The model is "bert", as set in .github/memorymark.yml.')
  })
})

describe('what a config names', () => {
  const gpt2 = (file: string) =>
    `model_name_or_path: gpt2\nper_device_train_batch_size: 1\nmax_length: 512\nn_gpus: 8\nbf16: true\ndeepspeed: ${file}\n`
  const zero = (stage: number) => JSON.stringify({ zero_optimization: { stage } })

  test('is read once for all of them, and told with the text that it had', async () => {
    const asked: string[] = []
    const readFile = async (path: string) => {
      asked.push(path)
      return path === 'ds.json' ? zero(3) : undefined
    }
    const files = ['a.yaml', 'b.yaml', 'c/c.yaml'].map(path => ({ path, text: gpt2('ds.json') }))
    const { configs } = await analyze(files, { now, sources: { readFile } })
    expect(asked.filter(path => !path.endsWith('config.json'))).toEqual(['ds.json'])
    const otherFiles = [{ path: 'ds.json', blobSha: 'b27cc2b97e0f2adf75ed30352ad8de94a2b77792' }]
    expect(configs).toMatchObject(files.map(({ path }) => ({ path, otherFiles, spec: { sharding: 'zero3' } })))
  })

  test('is told of a config that cannot be read, too', async () => {
    const sources = { readFile: async (path: string) => (path === 'ds.json' ? zero(4) : undefined) }
    const { configs } = await analyze([{ path: 'a.yaml', text: gpt2('ds.json') }], { now, sources })
    expect(configs).toMatchObject([{ status: 'not-analysed', otherFiles: [{ path: 'ds.json' }] }])
    expect(report.shape.configs.parse(configs)).toEqual(configs)
  })

  test('is not told where there is nothing of it in the repository', async () => {
    const sources = { readFile: async () => undefined }
    const { configs } = await analyze([{ path: 'a.yaml', text: gpt2('zero2.json') }], { now, sources })
    expect(configs[0]).toMatchObject({ status: 'analysed', spec: { sharding: 'zero2' } })
    expect(configs[0]).not.toHaveProperty('otherFiles')
  })

  test('is no config by itself, though it sets batch sizes, unless they contradict each other', async () => {
    const text = '{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2}}'
    const judged = async (config: string) => {
      const files = [
        { path: 'ds.json', text },
        { path: 'other.json', text: text.replace('{', '{"train_batch_size": 3, "gradient_accumulation_steps": 2, ') },
        { path: 'train.yaml', text: config },
      ]
      const sources = { readFile: async (path: string) => files.find(file => file.path === path)?.text }
      return (await analyze(files, { now, sources })).configs.map(({ path, status }) => [path, status])
    }
    expect(await judged(gpt2('ds.json'))).toEqual([
      ['other.json', 'not-analysed'],
      ['train.yaml', 'analysed'],
    ])
    expect(await judged(gpt2('ds.json').replace('gpt2', 'nobody'))).toEqual([
      ['other.json', 'not-analysed'],
      ['train.yaml', 'not-analysed'],
    ])
  })

  test('is looked for on the base branch where the base is judged', async () => {
    const config = gpt2('ds.json').replace('size: 1', 'size: 40').replace('gpt2', 'gpt2-xl')
    const verdict = async (before: number, after: number) => {
      const at = (stage: number) => async (path: string) => {
        if (path === 'ds.json') return zero(stage)
        return path === 'train.yaml' ? config : undefined
      }
      const options = { sources: { readFile: at(after) }, base: at(before), gpu: findGpu('a100-40gb') ?? defaultGpu }
      return (await analysed(config, options)).verdict
    }
    expect(await verdict(3, 0)).toMatchObject({ state: 'blocked' })
    expect(await verdict(0, 0)).toMatchObject({ state: 'warning', reasons: [{ spared: 'no-worse' }] })
  })
})

describe('against the base branch', () => {
  const config = (microBatch: number) => bert.text.replace('batch_size: 16', `batch_size: ${microBatch}`)
  const against = (before: string | undefined, after: number, text = '') => {
    const strict = `fail-on: waste > 40 %\n${text}`
    const reading = readSettings({ path: '.github/memorymark.yml', text: strict })
    return analysed(config(after), {
      base: async () => before,
      ...(reading.kind === 'settings' && { settings: reading.settings }),
    })
  }

  test.each([
    ['as wasteful as before', 2, 2],
    ['less wasteful than before', 1, 2],
    ['out of memory as before', 4_096, 4_096],
    ['less out of memory than before', 8_192, 4_096],
  ])('a config that is %s does not block', async (_, before, after) => {
    const { verdict } = await against(config(before), after)
    expect(verdict.state).toBe('warning')
    expect(verdict.reasons[0]?.spared).toBe('no-worse')
  })

  test.each([
    ['more wasteful than before', config(16), 2],
    ['further out of memory than before', config(4_096), 8_192],
    ['new', undefined, 2],
    ['read for the first time', 'memorymark:\n  model: nobody\n  batch_size: 2\n', 2],
    ['wasteful now and was out of memory', config(4_096), 2],
  ])('a config that is %s blocks', async (_, before, after) => {
    expect((await against(before, after)).verdict.state).toBe('blocked')
  })

  test('every bad config blocks where the settings say so', async () => {
    expect((await against(config(2), 2, 'judge: all\n')).verdict.state).toBe('blocked')
  })

  test('the base is not asked for where the config is fine', async () => {
    const base = async () => Promise.reject(new Error('asked for'))
    const options = { base, policy: { failOn: [] } }
    expect((await analysed(bert.text, options)).verdict.state).not.toBe('blocked')
  })
})
