import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import { type Report, report } from '../../engine/report/schema.ts'
import { analysis } from '../../server/analysis.ts'
import { isAlive, SilentPython } from '../server/silent-python.ts'
import { sharedCommand } from '../shared-builds.ts'
import { run, Workspace } from './run-cli.ts'

class Served implements AsyncDisposable {
  readonly url: string
  readonly #child: ChildProcess
  readonly #exit: Promise<unknown[]>

  private constructor(url: string, child: ChildProcess, exit: Promise<unknown[]>) {
    this.url = url
    this.#child = child
    this.#exit = exit
  }

  static async start(args: readonly string[], env: Record<string, string> = {}, cwd?: string): Promise<Served> {
    const child = spawn(process.execPath, [await sharedCommand('memorymark'), 'serve', '--port', '0', ...args], {
      env: { ...process.env, NODE_OPTIONS: '', HF_HUB_OFFLINE: '1', ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
      ...(cwd !== undefined && { cwd }),
    })
    const exit = once(child, 'exit')
    for await (const line of createInterface(child.stdout)) {
      const [, url] = /^MemoryMark is listening at (http:\S+?)(?:,|\. )/.exec(line) ?? []
      if (url !== undefined) return new Served(url, child, exit)
    }
    throw new Error(`serve ended with ${await exit}`)
  }

  /** Exit code and signal. */
  async end(signal: NodeJS.Signals): Promise<unknown[]> {
    this.#child.kill(signal)
    return this.#exit
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.end('SIGKILL')
  }
}

function submit(url: string, request: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(`${url}/v1/analyses`, { method: 'POST', headers, body: JSON.stringify(request) })
}

describe('serve', () => {
  test('takes the GPUs, the prices, the policy and the calibration of the settings, as check does', async () => {
    const config =
      'model_name_or_path: bert-base-uncased\ndataset_name: glue\nper_device_train_batch_size: 8\nmax_seq_length: 128\nlearning_rate: 2e-5\nnum_train_epochs: 3\n'
    await using workspace = await Workspace.with({
      '.github/memorymark.yml': `gpu: our-card
gpus:
  - { name: our-card, memory_gib: 30, bandwidth_gb_per_second: 900, bf16_tflops: 120, fp32_tflops: 20, dollars_per_hour: 3 }
calibration: runs.json
warn-on: never
margin_percent: 20
`,
      'train.yaml': config,
      'state.json': '{"log_history": [{"train_runtime": 100, "train_samples_per_second": 90}], "train_batch_size": 8}',
    })
    expect(await workspace.run('calibrate', 'state.json', '--config', 'train.yaml')).toMatchObject({ exitCode: 0 })
    const checked = report.parse(JSON.parse((await workspace.run('check', 'train.yaml', '--json')).stdout))
    await using served = await Served.start(['--engine', 'estimate'], {}, workspace.folder)
    const accepted = await submit(served.url, { config: { fileName: 'train.yaml', text: config } })
    const { id } = analysis.parse(await accepted.json())
    const found = async () => analysis.parse(await (await fetch(`${served.url}/v1/analyses/${id}`)).json())
    await expect.poll(async () => (await found()).state).toBe('done')
    const done = await found()
    if (done.state !== 'done') throw new Error(done.state)
    const { report: analysed } = done
    // A sweep does not say what the allocator reserves.
    const figures = ({ configs: [one], policy }: Report) => {
      if (one?.status !== 'analysed') return undefined
      const points = [one.current, one.recommended, one.largest].map(point => ({ ...point, reservedBytes: undefined }))
      return [one.gpu, points, one.calibration, policy]
    }
    expect(figures(analysed)).toEqual(figures(checked))
    const [one] = analysed.configs
    if (one?.status !== 'analysed') throw new Error('not analysed')
    expect([one.gpu.id, one.gpu.pricePerHourUsd, one.calibration?.speed?.runs]).toEqual(['our-card', 3, 1])
    expect(one.current.samplesPerSecond).toBeCloseTo(90, 6)
  })

  test('prints its address, and answers there: programs with JSON, browsers with the page', async () => {
    await using served = await Served.start(['--engine', 'estimate', '--gpu', 't4'])
    const asked = await fetch(`${served.url}/analyze`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"model_name":"bert"}',
    })
    expect(await asked.json()).toMatchObject({ status: 'success', data: { gpu_name: 'NVIDIA T4', engine: 'estimate' } })
    const page = await fetch(served.url, { headers: { accept: 'text/html' } })
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    expect(page.headers.get('content-security-policy')).toMatch(/script-src 'self'/)
  })

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s cancels the sweep that runs, leaves no process, and is no failure',
    async signal => {
      await using silent = await SilentPython.create()
      await using served = await Served.start(['--engine', 'trace', '--python', silent.command])
      expect((await submit(served.url, { model: 'bert' })).status).toBe(202)
      await expect.poll(() => silent.pids()).not.toEqual([])
      expect(await served.end(signal)).toEqual([0, null])
      expect((await silent.pids()).filter(isAlive)).toEqual([])
    },
  )

  test('with MEMORYMARK_API_TOKEN answers only those who have it', async () => {
    const token = '0123456789abcdef'
    await using served = await Served.start(['--engine', 'estimate'], { MEMORYMARK_API_TOKEN: token })
    expect((await fetch(`${served.url}/models`)).status).toBe(401)
    expect((await fetch(`${served.url}/models`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
  })

  test('lets in pages of the origins that are listed', async () => {
    const [a, b] = ['https://a.example', 'https://b.example:8443']
    await using served = await Served.start(['--engine', 'estimate', '--allow-origin', a, '--allow-origin', b])
    for (const origin of [a, b]) {
      const { headers } = await fetch(`${served.url}/models`, { headers: { origin } })
      expect(headers.get('access-control-allow-origin')).toBe(origin)
    }
  })

  test.each([
    [['--host', '0.0.0.0'], /--host.*MEMORYMARK_API_TOKEN/],
    [['--port', '70000'], /--port.*65,535/],
    [['--engine', 'tensor'], /--engine.*auto, estimate/],
    [['--gpu', 'a11'], /--gpu.*Did you mean a10/],
    [['--allow-origin', 'https://a.example/path'], /--allow-origin.*scheme, host and port/],
    [['bert'], /serve takes no arguments, only options; "bert" is one/],
    [['--engin', 'trace'], /Did you mean --engine/],
  ])('%o is refused in one line', async (args, words) => {
    const { exitCode, stdout, stderr } = await run('serve', ...args)
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(words)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  test('its options are told by --help', async () => {
    expect((await run('serve', '--help')).stdout).toMatch(/--host <address>.*MEMORYMARK_API_TOKEN/)
  })
})
