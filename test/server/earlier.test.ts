import { afterAll, describe, expect, test } from 'vitest'
import { defaultGpu } from '../../engine/gpus/catalogue.ts'
import { modelIds } from '../../engine/models/catalogue.ts'
import { earlierResult } from '../../server/earlier-result.ts'
import { health } from '../../server/health.ts'
import { KnownMachine } from '../../server/machine.ts'
import { modelList } from '../../server/model-list.ts'
import { Asking } from './asking.ts'
import { SilentPython } from './silent-python.ts'

const asking = new Asking()
afterAll(() => asking[Symbol.asyncDispose]())

const estimate = { engine: 'estimate', gpu: 'a10' }

async function analyze(body: object) {
  const answer = await asking.post('/analyze', body)
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return earlierResult.parse((answer.body as { data: unknown }).data)
}

describe('POST /analyze', () => {
  test('answers with status, data and the fields of the earlier tool', async () => {
    const { status, body } = await asking.post('/analyze', { model_name: 'bert', ...estimate })
    expect([status, body]).toMatchObject([200, { status: 'success', data: { model_name: 'bert', device: 'cuda' } }])
    const data = await analyze({ model_name: 'bert', ...estimate })
    expect(data).toMatchObject({
      current_batch_size: 16,
      current_fits: true,
      gpu_name: 'NVIDIA A10',
      provenance: 'estimated',
    })
    expect(data.gpu_total_gb).toBeCloseTo(22.06, 2)
  })

  test('waste is of the current batch, headroom of the recommended, and both are of usable memory', async () => {
    const data = await analyze({ model_name: 'bert', ...estimate })
    expect(data.waste_gb).toBeCloseTo(data.gpu_usable_gb - data.current_memory_gb, 9)
    expect(data.waste_percent).toBeCloseTo((100 * data.waste_gb) / data.gpu_usable_gb, 9)
    expect(data.headroom_gb).toBeCloseTo(data.gpu_usable_gb - (data.optimal_memory_gb ?? 0), 9)
    expect(data.waste_gb).toBeGreaterThan(data.headroom_gb ?? 0)
  })

  test('the optimal batch is the recommended one; the largest that fits stands beside it', async () => {
    const data = await analyze({ model_name: 'bert', ...estimate })
    expect(data.optimal_batch_size).toBe(64)
    expect(data.largest_batch_size).toBeGreaterThan(200)
    // The earlier tool would have said 264 / 16.
    expect(data.speedup).toBeLessThan(2)
  })

  test('each size tried is told, with why it does not fit', async () => {
    const { results } = await analyze({ model_name: 'bert', strategy: 'linear', ...estimate })
    expect(results.slice(0, 2).map(({ batch_size, success }) => [batch_size, success])).toEqual([
      [16, true],
      [24, true],
    ])
    expect(results.at(-1)).toMatchObject({ success: false, error: 'out of memory' })
    const [first] = results
    expect(first?.memory_mb).toBeCloseTo((first?.memory_gb ?? 0) * 1_024, 6)
  })

  test('takes everything that a spec can say, under names of its style', async () => {
    const data = await analyze({
      model_name: 'NousResearch/Llama-3.2-1B',
      batch_size: 4,
      gradient_accumulation: 2,
      sequence_length: 1_024,
      precision: 'bf16',
      optimizer: 'adamw-8bit',
      gradient_checkpointing: true,
      lora_rank: 16,
      lora_targets: ['q_proj'],
      quantization: 'nf4',
      fused_loss: true,
      ...estimate,
    })
    expect(data.current_batch_size).toBe(4)
    expect(data.current_memory_gb).toBeLessThan(6)
  })

  test('costs follow the price, the hours of a run and the runs of a year', async () => {
    const cost = { price_per_hour: 3, hours_per_run: 4, runs_per_year: 10 }
    const data = await analyze({ model_name: 'bert', ...cost, ...estimate })
    expect(data.cost_savings_per_run).toBeCloseTo(3 * 4 * (1 - 1 / data.speedup), 9)
    expect(data.cost_savings_annual).toBeCloseTo(10 * data.cost_savings_per_run, 9)
  })

  test('a model of which not even one sample fits has no optimum, and says so with null', async () => {
    const data = await analyze({ model_name: 'meta-llama/Llama-3.1-70B', sequence_length: 2_048, ...estimate })
    expect([data.optimal_batch_size, data.largest_batch_size, data.headroom_gb]).toEqual([null, null, null])
    expect(data.current_fits).toBe(false)
  })

  test.each([
    ['no model', {}, /model_name is missing/],
    ['an empty model', { model_name: '' }, /model_name is empty/],
    ['a model that is not known', { model_name: 'bert-base-uncasd', ...estimate }, /Unknown model.*Did you mean/],
    ['a field that is not known', { model_name: 'bert', batchsize: 1 }, /batchsize/],
    ['a batch of nothing', { model_name: 'bert', batch_size: 0 }, /batch_size/],
    ['adapters without a rank', { model_name: 'bert', lora_dropout: 0.1 }, /lora_rank/],
    ['more tokens than positions', { model_name: 'bert', sequence_length: 513, ...estimate }, /512 positions/],
  ])('%s is answered with 400 and the error in words', async (_, body, words) => {
    const answer = await asking.post('/analyze', body)
    expect([answer.status, answer.body]).toMatchObject([400, { status: 'error' }])
    expect((answer.body as { error: string }).error).toMatch(words)
  })

  test('an engine that this machine lacks is answered with 503', async () => {
    const { status, body } = await asking.post('/analyze', { model_name: 'bert', engine: 'tfjs', framework: 'pytorch' })
    expect([status, body]).toMatchObject([400, { problems: [{ code: 'engine-of-other-framework' }] }])
    await using noPython = new Asking({ python: '/nowhere/python' })
    const lacking = await noPython.post('/analyze', { model_name: 'bert', engine: 'trace' })
    expect([lacking.status, lacking.body]).toMatchObject([503, { problems: [{ code: 'engine-unavailable' }] }])
  })

  test('what takes longer than clients wait is answered with 504, goes on, and can be looked at', async () => {
    await using silent = await SilentPython.create()
    await using slow = new Asking({ python: silent.command, analyzeTimeoutMillis: 100 })
    const { status, body } = await slow.post('/analyze', { model_name: 'bert', engine: 'trace' })
    expect(status).toBe(504)
    const [, id = ''] = /\/v1\/analyses\/([0-9a-f-]+)/.exec((body as { error: string }).error) ?? []
    expect((await slow.find(id)).state).toBe('running')
  })

  test('a client that goes away takes its analysis along', async () => {
    await using silent = await SilentPython.create()
    await using slow = new Asking({ python: silent.command })
    const leaving = new AbortController()
    const asked = slow.fetch('/analyze', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model_name: 'bert', engine: 'trace' }),
      signal: leaving.signal,
    })
    await expect.poll(() => silent.pids()).toHaveLength(1)
    leaving.abort()
    expect(await (await asked).json()).toMatchObject({ status: 'error' })
    // The next sweep has the device to itself.
    const { id } = await slow.submit({ model: 'bert', engine: 'trace' })
    await expect.poll(async () => (await slow.find(id)).state).toBe('running')
  })
})

describe('GET /health', () => {
  test('is healthy without a GPU, and says so', async () => {
    const { status, body } = await asking.get('/health')
    expect(status).toBe(200)
    expect(health.parse(body)).toMatchObject({
      status: 'healthy',
      gpu_available: false,
      gpu_name: null,
      gpu_memory_total_gb: null,
      device: 'cpu',
    })
  })

  test('knows nothing of the GPU while that is being found out', async () => {
    await using silent = await SilentPython.create()
    await using starting = new Asking({ machine: KnownMachine.ask(silent.command) })
    const { body } = await starting.get('/health')
    expect(health.parse(body)).toMatchObject({ status: 'starting', gpu_available: null, device: null })
  })

  test('names the GPU and its memory in GiB', async () => {
    const device = {
      kind: 'cuda' as const,
      name: 'NVIDIA A10',
      count: 1,
      totalBytes: defaultGpu.totalBytes,
      contextBytes: 0,
      otherBytes: 0,
      isCapped: false,
      usableBytes: defaultGpu.totalBytes,
      cublasWorkspaceBytes: 0,
      driver: '1',
      cuda: '1',
      rocm: null,
      computeCapability: [8, 6] as [number, number],
    }
    const machine = {
      kind: 'python' as const,
      python: '3',
      torch: '2',
      transformers: '5',
      hasBitsandbytes: false,
      device,
    }
    await using withGpu = new Asking({ machine: KnownMachine.of(machine) })
    const { body } = await withGpu.get('/health')
    expect(health.parse(body)).toMatchObject({ gpu_available: true, gpu_name: 'NVIDIA A10', device: 'cuda' })
    expect(health.parse(body).gpu_memory_total_gb).toBeCloseTo(22.06, 2)
  })
})

test('GET /models lists the catalogue, the three models of before under their names of before', async () => {
  const { models } = modelList.parse((await asking.get('/models')).body)
  expect(models).toHaveLength(modelIds.length)
  expect(models.find(({ id }) => id === 'resnet')).toMatchObject({
    huggingface_id: 'microsoft/resnet-50',
    type: 'image',
  })
  expect(models.filter(({ id }) => ['bert', 'gpt2', 'resnet'].includes(id))).toHaveLength(3)
})

describe('an address or method that is not there', () => {
  test('GET / tells programs what there is', async () => {
    const { body } = await asking.get('/')
    expect(body).toMatchObject({ name: 'MemoryMark', endpoints: { 'POST /analyze': expect.any(String) } })
  })

  test('404 in JSON', async () => {
    expect(await asking.get('/analyse')).toMatchObject({ status: 404, body: { status: 'error' } })
  })

  test('405 in JSON, with what is allowed', async () => {
    const { status, headers, body } = await asking.get('/analyze')
    expect([status, headers.get('allow'), body]).toMatchObject([405, 'POST', { status: 'error' }])
  })

  test('our own fault is 500 in JSON, and its stack is in the log alone', async () => {
    await using broken = new Asking({
      repositories: {
        list: () => Promise.reject(new Error('the database is gone')),
        configs: async () => undefined,
        history: async () => undefined,
        ledger: async () => undefined,
        decisions: async () => undefined,
      },
    })
    const { status, body } = await broken.get('/v1/repositories')
    expect([status, body]).toMatchObject([500, { status: 'error', problems: [{ code: 'server-fault' }] }])
    expect(JSON.stringify(body)).not.toContain('database')
    expect(broken.logged.join()).toContain('the database is gone')
  })
})
