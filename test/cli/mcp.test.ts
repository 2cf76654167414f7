import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { report } from '../../engine/report/schema.ts'
import { sharedCommand } from '../shared-builds.ts'
import { Workspace } from './run-cli.ts'

interface Told {
  readonly content: readonly { readonly text: string }[]
  readonly isError: boolean
}

/** A client of one server, which speaks JSON-RPC a line each. */
class Client implements AsyncDisposable {
  readonly #server: ChildProcess
  readonly #lines: AsyncIterator<string>
  #id = 0

  constructor(script: string, folder: string) {
    const env = { ...process.env, HF_HUB_OFFLINE: '1' }
    this.#server = spawn(process.execPath, [script, 'mcp'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] })
    this.#lines = createInterface({ input: this.#server.stdout! })[Symbol.asyncIterator]()
  }

  async start(): Promise<void> {
    const clientInfo = { name: 'test', version: '1' }
    await this.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    this.#send({ method: 'notifications/initialized' })
  }

  async ask(method: string, params: object): Promise<unknown> {
    this.#send({ id: ++this.#id, method, params })
    const { value } = await this.#lines.next()
    const { id, result } = JSON.parse(value)
    expect(id).toBe(this.#id)
    return result
  }

  async call(name: string, args: object): Promise<{ readonly text: string; readonly isError: boolean }> {
    const { content, isError = false } = (await this.ask('tools/call', { name, arguments: args })) as Told
    return { text: content.map(({ text }) => text).join(), isError }
  }

  #send(message: object): void {
    this.#server.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  /** As a client ends a server: by closing its stdin. */
  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#server, 'exit')
    this.#server.stdin?.end()
    expect(await exited).toEqual([0, null])
  }
}

const bert = (batch: number) => `memorymark:\n  model: bert\n  batch_size: ${batch}\n  sequence_length: 128\n`

test('a coding agent gets what the commands answer, and nothing from outside the folder', async () => {
  await using workspace = await Workspace.with({ 'inside/train.yaml': bert(100_000), 'secret.yaml': bert(8) })
  await using client = new Client(await sharedCommand('memorymark'), `${workspace.folder}/inside`)
  await client.start()

  const { tools } = (await client.ask('tools/list', {})) as { tools: { name: string }[] }
  expect(tools.map(({ name }) => name)).toEqual(['estimate', 'check', 'advise', 'plan'])

  const checked = await client.call('check', { gpu: 'a10' })
  const { configs } = report.parse(JSON.parse(checked.text))
  expect(configs.map(({ path }) => path)).toEqual(['train.yaml'])
  const [config] = configs
  expect(config?.status === 'analysed' && config.verdict.state).toBe('blocked')

  const batch = { target: 'bert', batchSize: 4, precision: 'bf16', gradientCheckpointing: true, gpu: 'l4' }
  const { spec, gpu } = JSON.parse((await client.call('estimate', batch)).text)
  expect([spec.microBatch, spec.precision, spec.gradientCheckpointing, gpu.id]).toEqual([4, 'bf16', true, 'l4'])

  const advised = JSON.parse((await client.call('advise', { target: 'train.yaml', gpu: 'a10' })).text)
  expect(advised.configs[0].levers.length).toBeGreaterThan(0)

  const planned = await client.call('plan', { target: 'gpt2', gpus: 'a10,l4', maxGpus: 1, method: 'full' })
  expect(JSON.parse(planned.text).sections[0].rows.length).toBeGreaterThan(0)

  for (const target of ['../secret.yaml', `${workspace.folder}/secret.yaml`]) {
    expect(await client.call('estimate', { target })).toEqual({
      text: `${target} lies outside the working directory. Name a file inside it.`,
      isError: true,
    })
  }
  const unknown = await client.call('estimate', { target: 'bert', gpu: 'a11' })
  expect([unknown.isError, unknown.text]).toEqual([true, expect.stringContaining('Did you mean a10?')])
  // What looks like a flag is a name.
  expect((await client.call('check', { paths: ['--details'] })).text).toContain('no such file')
})
