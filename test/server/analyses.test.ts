import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { defaultGpu } from '../../engine/gpus/catalogue.ts'
import { report } from '../../engine/report/schema.ts'
import { KnownMachine } from '../../server/machine.ts'
import { hasTorch, python } from '../probes/python.ts'
import { Asking, stateOf } from './asking.ts'
import { pythonMachine } from './python-machine.ts'
import { SilentPython } from './silent-python.ts'

const estimate = { engine: 'estimate', gpu: 'a10' }
const axolotl = `base_model: NousResearch/Llama-3.2-1B
micro_batch_size: 2
gradient_accumulation_steps: 4
sequence_len: 2048
bf16: true
optimizer: adamw_torch_fused
`

/** For what needs no service of its own. */
const asking = new Asking()
afterAll(() => asking[Symbol.asyncDispose]())

describe('an analysis', () => {
  test('is accepted with an id and an address, runs, and ends with a report of one config', async () => {
    const { status, headers, body } = await asking.post('/v1/analyses', { model: 'bert', ...estimate })
    expect(status).toBe(202)
    const { id } = body as { id: string }
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/)
    expect(headers.get('location')).toBe(`/v1/analyses/${id}`)

    const { probing, trials, ...done } = stateOf(await asking.ended(id), 'done')
    const [config] = report.parse(done.report).configs
    if (config?.status !== 'analysed') throw new Error('not analysed')
    expect([config.path, config.provenance, config.gpu.id]).toEqual([
      'google-bert/bert-base-uncased',
      'estimated',
      'a10',
    ])
    expect(done.report.configs).toHaveLength(1)
    expect(probing?.device.name).toBe(defaultGpu.name)
    expect(probing?.spec).toMatchObject({ microBatch: 8, sequenceLength: 512, precision: 'amp-bf16' })
    expect(config.assumptions).toContain("Micro-batch 8, the Trainer's default.")
    expect(trials.map(({ microBatch }) => microBatch)).toContain(config.largest?.microBatch)
  })

  test('of what does not fit has the levers, estimated from the pasted text', async () => {
    const text = axolotl.replace('micro_batch_size: 2', 'micro_batch_size: 200')
    const { id } = await asking.submit({ config: { fileName: 'a.yaml', text }, ...estimate })
    const [config] = report.parse(stateOf(await asking.ended(id), 'done').report).configs
    const [best] = config?.status === 'analysed' ? (config.levers ?? []) : []
    expect(best?.fit).toBe('fits')
    expect(best?.lines.map(({ before }) => before)).toContain('micro_batch_size: 200')
  })

  test('has the memory over its step, whose highest point is the peak', async () => {
    const { id } = await asking.submit({ model: 'bert', ...estimate })
    const [config] = report.parse(stateOf(await asking.ended(id), 'done').report).configs
    if (config?.status !== 'analysed') throw new Error('not analysed')
    const { overStep = [], current } = config
    expect(Math.max(...overStep.map(({ bytes }) => bytes))).toBe(current.peakBytes)
    expect(new Set(overStep.map(({ phase }) => phase))).toEqual(new Set(['forward', 'backward', 'optimizer']))
  })

  test('tells each trial once, in the order in which it ran, between its start and its end', async () => {
    const { id } = await asking.submit({ model: 'bert', strategy: 'linear', ...estimate })
    const events = await asking.events(id)
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
    expect(events.slice(0, 3).map(({ kind }) => kind)).toEqual(['queued', 'started', 'probing'])
    expect(events.at(-1)?.kind).toBe('done')
    const told = events.flatMap(event => (event.kind === 'trial' ? [event.trial] : []))
    // The current size, and from there the sweep in steps of eight.
    expect(told.map(({ microBatch }) => microBatch).slice(0, 4)).toEqual([8, 16, 24, 32])
    expect(told).toEqual(stateOf(await asking.find(id), 'done').trials)
  })

  test('of a pasted config keeps its tool, and where its batch size is written', async () => {
    const { id } = await asking.submit({ config: { fileName: 'train/llama.yml', text: axolotl }, ...estimate })
    const [config] = stateOf(await asking.ended(id), 'done').report.configs
    if (config?.status !== 'analysed') throw new Error('not analysed')
    expect([config.path, config.dialect]).toEqual(['train/llama.yml', 'Axolotl'])
    expect(config.batchSizeAt).toEqual({ line: 2, column: 19 })
    expect(config.spec).toMatchObject({ microBatch: 2, gradientAccumulation: 4, sequenceLength: 2048 })
  })

  test('takes everything that a spec can say, and the price and length of a run', async () => {
    const spec = {
      microBatch: 4,
      sequenceLength: 512,
      precision: 'bf16',
      lora: { rank: 8 },
      gradientCheckpointing: true,
    }
    const cost = { pricePerHourUsd: 2, hoursPerRun: 10, runsPerYear: 5 }
    const { id } = await asking.submit({
      model: 'NousResearch/Llama-3.2-1B',
      spec,
      gpu: 'a100-40gb',
      engine: 'estimate',
      ...cost,
    })
    const [config] = stateOf(await asking.ended(id), 'done').report.configs
    if (config?.status !== 'analysed') throw new Error('not analysed')
    expect(config.spec).toMatchObject({ ...spec, lora: { rank: 8, targets: ['q_proj', 'v_proj'], dropout: 0 } })
    expect([config.gpu.id, config.gpu.pricePerHourUsd, config.gpu.priceSource]).toEqual([
      'a100-40gb',
      2,
      'your setting',
    ])
    expect([config.hoursPerRun, config.runsPerYear, config.current.costPerRunUsd]).toEqual([10, 5, 20])
  })

  test('takes the step size of the sweep', async () => {
    const { id } = await asking.submit({ model: 'bert', spec: { sequenceLength: 128 }, stepSize: 100, ...estimate })
    const [config] = stateOf(await asking.ended(id), 'done').report.configs
    if (config?.status !== 'analysed') throw new Error('not analysed')
    const { microBatch = 1 } = config.largest ?? {}
    expect(microBatch % 100).toBe(0)
  })
})

describe('what cannot be analysed', () => {
  test.each([
    [{ model: 'bert-base-uncasd' }, 'unknown-model', 'model'],
    [{ model: 'bert', spec: { sequenceLength: 513 } }, 'unsupported-setting', 'spec.sequenceLength'],
    [{ model: 'resnet', spec: { gradientCheckpointing: true } }, 'unsupported-setting', 'spec.gradientCheckpointing'],
    [{ model: 'gpt2', spec: { quantization: 'nf4' } }, 'unsupported-setting', 'spec.quantization'],
    [{ model: 'bert', spec: { task: 'image-classification' } }, 'unsupported-setting', 'spec.task'],
  ])('%o fails and names the field', async (request, code, field) => {
    const { id } = await asking.submit({ ...request, ...estimate })
    const { problems } = stateOf(await asking.ended(id), 'failed')
    expect(problems.map(problem => [problem.code, problem.field])).toEqual([[code, field]])
  })

  test('every slip of a pasted config is told with its line', async () => {
    const text = axolotl.replace('size: 2', 'size: two').replace('len: 2048', 'len: -1')
    const { id } = await asking.submit({ config: { fileName: 'a.yaml', text }, ...estimate })
    const { problems } = stateOf(await asking.ended(id), 'failed')
    expect(problems.map(({ file, line }) => [file, line])).toEqual([
      ['a.yaml', 2],
      ['a.yaml', 4],
    ])
  })

  test('a text that is no training config is told so', async () => {
    const { id } = await asking.submit({ config: { fileName: 'a.yaml', text: 'services: {}\n' }, ...estimate })
    const { problems } = stateOf(await asking.ended(id), 'failed')
    expect(problems.map(({ code }) => code)).toEqual(['not-a-training-config'])
  })

  test("a model is never looked for among this machine's files", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-model-'))
    try {
      await mkdir(path.join(folder, 'bert'))
      const config = { model_type: 'bert', num_hidden_layers: 2 }
      await writeFile(path.join(folder, 'config.json'), JSON.stringify(config))
      const { id } = await asking.submit({ model: folder, ...estimate })
      expect(stateOf(await asking.ended(id), 'failed').problems.map(({ code }) => code)).toEqual(['unknown-model'])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test("DeepSpeed's settings are never looked for among this machine's files", async () => {
    const text = 'model_name_or_path: gpt2\nper_device_train_batch_size: 1\ndeepspeed: package.json\n'
    const { id } = await asking.submit({ config: { fileName: 'a.yaml', text }, ...estimate })
    const { problems } = stateOf(await asking.ended(id), 'failed')
    expect(problems.map(({ message }) => message)).toEqual([
      'The ZeRO stage cannot be determined from the file: it is in "package.json"',
    ])
  })

  test('a sweep of more sizes than a report takes is broken off', async () => {
    const tiny = { spec: { sequenceLength: 1, step: 'forward-backward' }, stepSize: 1, strategy: 'linear' }
    const { id } = await asking.submit({ model: 'distilbert/distilbert-base-uncased', ...tiny, ...estimate })
    const { problems, trials } = stateOf(await asking.ended(id), 'failed')
    expect(problems.map(({ code }) => code)).toEqual(['too-many-trials'])
    expect(trials).toHaveLength(1_001)
  })

  test.each([
    ['neither model nor config', {}, 'model'],
    ['both', { model: 'bert', config: { fileName: 'a.yaml', text: 'a: 1' } }, 'model'],
    ['a GPU that the catalogue lacks', { model: 'bert', gpu: 'a11' }, 'gpu'],
    ['a setting that a spec does not have', { model: 'bert', spec: { batch: 1 } }, 'spec'],
    ['no batch at all', { model: 'bert', spec: { microBatch: 0 } }, 'spec.microBatch'],
    ['a file of another kind', { config: { fileName: 'train.rb', text: 'a' } }, 'config.fileName'],
    ['a text without end', { config: { fileName: 'a.yaml', text: 'a'.repeat(100_001) } }, 'config.text'],
    ['a list', [], undefined],
  ])('%s is refused with 400', async (_, request, field) => {
    const { status, body } = await asking.post('/v1/analyses', request)
    expect(status).toBe(400)
    expect(body).toMatchObject({ status: 'error', problems: [{ code: 'request-refused', ...(field && { field }) }] })
  })

  test.each([
    [{ model: 'bert', gpu: 'a11' }, 'Did you mean a10?'],
    [{ model: 'bert', engin: 'estimate' }, 'Did you mean engine?'],
    [{ model: 'bert', spec: { microbach: 1 } }, 'Did you mean microBatch?'],
    [{ model: 'bert', spec: { optimizer: 'admw' } }, 'Did you mean adamw?'],
  ])('%j is asked after', async (request, question) => {
    const { body } = await asking.post('/v1/analyses', request)
    expect(body).toMatchObject({ problems: [{ fix: expect.stringContaining(question) }] })
  })
})

describe('following', () => {
  test('a reader who was cut off gets what it has not seen, by Last-Event-ID', async () => {
    const { id } = await asking.submit({ model: 'bert', ...estimate })
    const all = await asking.events(id)
    expect(await asking.events(id, { 'last-event-id': '3' })).toEqual(all.slice(3))
  })

  test('one who has seen the end is told with 204 to stop asking', async () => {
    const { id } = await asking.submit({ model: 'bert', ...estimate })
    const last = String((await asking.events(id)).length)
    expect((await asking.get(`/v1/analyses/${id}/events`, { 'last-event-id': last })).status).toBe(204)
  })

  test('a number that is none is refused', async () => {
    const { id } = await asking.submit({ model: 'bert', ...estimate })
    expect((await asking.get(`/v1/analyses/${id}/events`, { 'last-event-id': 'x' })).status).toBe(400)
  })

  test('while nothing happens, comments keep the connection', async () => {
    await using silent = await SilentPython.create()
    await using asking = new Asking({ ...pythonMachine(silent.command), keepAliveMillis: 1 })
    const { id } = await asking.submit({ model: 'bert' })
    const response = await asking.fetch(`/v1/analyses/${id}/events`)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes(': still here\n\n')) text += (await reader?.read())?.value
    expect(text).toMatch(/^retry: 1000\n\n/)
    await asking.cancel(id)
  })

  test('an id that is not known is 404, for each route', async () => {
    for (const route of ['', '/events']) {
      const { status, body } = await asking.get(`/v1/analyses/00000000-0000-4000-8000-000000000000${route}`)
      expect([status, body]).toEqual([404, expect.objectContaining({ status: 'error' })])
    }
    expect((await asking.cancel('nobody')).status).toBe(404)
  })
})

describe("this machine's GPU", () => {
  const t4 = {
    ...pythonMachine('/nowhere/python').description,
    device: {
      kind: 'cuda' as const,
      name: 'Tesla T4',
      count: 1,
      totalBytes: 15 * 2 ** 30,
      contextBytes: 2 ** 28,
      otherBytes: 0,
      isCapped: false,
      usableBytes: 15 * 2 ** 30 - 2 ** 28,
      cublasWorkspaceBytes: 2 ** 23,
      driver: '1',
      cuda: '1',
      rocm: null,
      computeCapability: [7, 5] as [number, number],
    },
  }

  test('is what an analysis is about that names none', async () => {
    await using asking = new Asking({ machine: KnownMachine.of(t4) })
    const { id } = await asking.submit({ model: 'bert', engine: 'estimate' })
    expect(stateOf(await asking.ended(id), 'done').report.configs[0]).toMatchObject({ gpu: { id: 't4' } })
  })

  test('of another card nothing is measured: auto traces, and without PyTorch there that fails by name', async () => {
    await using asking = new Asking({ machine: KnownMachine.of(t4), python: '/nowhere/python' })
    const { id } = await asking.submit({ model: 'bert', gpu: 'a10' })
    const { problems } = stateOf(await asking.ended(id), 'failed')
    expect(problems[0]?.message).toMatch(/^the trace engine cannot run here/)
  })
})

describe.skipIf(!hasTorch)('with Python and PyTorch', () => {
  test('auto traces where there is no GPU, and tells each size before it is tried', async () => {
    await using asking = new Asking({ ...pythonMachine(python), python })
    const { id } = await asking.submit({ model: 'distilbert/distilbert-base-uncased', gpu: 'a10' })
    const events = await asking.events(id)
    const told = events.flatMap(event => {
      if (event.kind === 'log') return [event.text]
      return event.kind === 'trial' ? [`tried ${event.trial.microBatch}, ${event.trial.provenance}`] : []
    })
    expect(told.slice(0, 2)).toEqual(['Trying batch 8', 'tried 8, traced'])
    expect(told.length % 2).toBe(0)
    expect(stateOf(await asking.find(id), 'done').probing?.engine).toBe('trace')
  })
})
