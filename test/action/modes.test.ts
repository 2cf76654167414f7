/** The modes beside `check`: the real bundle, the real Python worker where this machine has one, and the emulated GitHub. */
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { report } from '../../engine/index.ts'
import { type EmulatedGitHub, type Repository, startGitHub } from '../github/index.ts'
import { hasTorch, python } from '../probes/python.ts'
import { type ActionRun, BundledAction, type RunOptions } from './run-action.ts'

/** Small enough to trace in a second. */
const tiny = `model_name_or_path: models/tiny
task_name: mnli
max_seq_length: 32
per_device_train_batch_size: 16
gradient_accumulation_steps: 8
num_labels: 3
bf16: true
`
const tinyModel = JSON.stringify({
  model_type: 'bert',
  num_hidden_layers: 2,
  hidden_size: 128,
  num_attention_heads: 2,
  intermediate_size: 256,
})
const models = { 'models/tiny/config.json': tinyModel }

let action: BundledAction
let github: EmulatedGitHub
let token: string
let folder: string

beforeAll(async () => {
  action = await BundledAction.build()
  github = await startGitHub()
  token = await github.actionsToken()
  folder = await mkdtemp(path.join(tmpdir(), 'memorymark-modes-'))
})

afterAll(async () => {
  await github[Symbol.asyncDispose]()
  await action[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

let repositories = 0

async function open(files: Readonly<Record<string, string | null>>, { fork = false, base = {} } = {}) {
  const repository = await github.createRepository(`fleet-${repositories++}`, {
    'README.md': 'Models',
    ...models,
    ...base,
  })
  return { repository, pullRequest: await repository.openPullRequest({ files, fork }) }
}

function run(
  repository: Repository,
  inputs: RunOptions['inputs'],
  options: Partial<RunOptions> = {},
): Promise<ActionRun> {
  return action.run({ github, repository, token, inputs: { python, 'fail-on': 'never', ...inputs }, ...options })
}

function warnings({ log }: ActionRun): string[] {
  return Array.from(log.matchAll(/^::warning::(.*)$/gm), ([, message = '']) => message)
}

/** An interpreter's command that does something before, or instead of, Python. */
async function interpreter(name: string, script: string): Promise<string> {
  const file = path.join(folder, name)
  await writeFile(file, `#!/bin/sh\n${script}\n`)
  await chmod(file, 0o755)
  return file
}

async function pidIn(file: string): Promise<number> {
  for (let attempt = 0; attempt < 500; attempt++) {
    const pid = Number(await readFile(file, 'utf8').catch(() => ''))
    if (pid > 0) return pid
    await setTimeout(20)
  }
  throw new Error(`${file} was not written`)
}

/** A process that nobody waited for yet is gone too. */
async function isGone(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State:\tZ')
  return /^State:\tZ/m.test(status)
}

describe('an unknown mode', () => {
  it('is refused by name before anything is asked of GitHub', async () => {
    const { repository } = await open({ 'a.yaml': tiny })
    const before = github.requests.length
    const { exitCode, log } = await run(repository, { mode: 'sweeep' })
    expect(exitCode).toBe(1)
    expect(log).toBe(
      '::error::(input mode): "sweeep" is none of its values. Did you mean sweep? Use check, sweep, plan, report.\n',
    )
    expect(github.requests.length).toBe(before)
  })
})

describe('an input of another mode', () => {
  it('is said not to be used, and the rest goes on', async () => {
    const { repository } = await open({ 'a.yaml': tiny })
    const judged = await run(repository, { entrypoint: 'step.py:make', reports: 'shards/*.json', comment: 'never' })
    expect(judged.exitCode).toBe(0)
    expect(warnings(judged)).toEqual([
      'The input entrypoint is for mode sweep, and this is mode check: it is not used.',
      'The input reports is for mode report, and this is mode check: it is not used.',
    ])
  })
})

describe('plan', () => {
  const runners = 'a10: self-hosted, linux, a10\nh100: self-hosted, h100'

  it('puts out a matrix of the configs that changed and the GPUs of the fleet', async () => {
    const { repository } = await open({ 'a.yaml': tiny, 'service.yaml': 'kind: Service\n' })
    const { exitCode, outputs, report: written } = await run(repository, { mode: 'plan', runners })
    expect({ exitCode, any: outputs.any, configs: outputs.configs, written }).toEqual({
      exitCode: 0,
      any: 'true',
      configs: '1',
      written: undefined,
    })
    expect(JSON.parse(outputs.matrix ?? '')).toEqual({
      include: [
        { id: expect.any(String), config: 'a.yaml', gpu: 'a10', 'runs-on': ['self-hosted', 'linux', 'a10'] },
        { id: expect.any(String), config: 'a.yaml', gpu: 'h100', 'runs-on': ['self-hosted', 'h100'] },
      ],
    })
  })

  it('leaves a config on the GPU that the settings name', async () => {
    const { repository } = await open({ 'a.yaml': tiny }, { base: { '.github/memorymark.yml': 'gpu: h100\n' } })
    const { outputs } = await run(repository, { mode: 'plan', runners })
    expect(JSON.parse(outputs.matrix ?? '').include).toMatchObject([{ config: 'a.yaml', gpu: 'h100' }])
  })

  it('puts out an empty matrix where nothing is to be measured', async () => {
    const { repository } = await open({ 'train.py': 'print(1)' })
    const nothing = await run(repository, { mode: 'plan', runners })
    expect(nothing).toMatchObject({ exitCode: 0, outputs: { matrix: '{"include":[]}', any: 'false' } })
    const event = { name: 'push', payload: { before: 'a'.repeat(40), after: '0'.repeat(40), deleted: true } }
    const deleted = await run(repository, { mode: 'plan', runners }, { event })
    expect(deleted).toMatchObject({ exitCode: 0, outputs: { matrix: '{"include":[]}', any: 'false' } })
  })
})

describe('sweep without PyTorch', () => {
  it('estimates, and says that nothing was measured', async () => {
    const { repository } = await open({ 'a.yaml': tiny })
    const swept = await run(repository, { mode: 'sweep', python: '/nonexistent/python' })
    expect(swept).toMatchObject({ exitCode: 0, errors: '' })
    expect(report.parse(swept.report).configs).toMatchObject([{ path: 'a.yaml', provenance: 'estimated' }])
    expect(warnings(swept)).toContainEqual(
      '1 of 1 training configs could not be measured and are traced or estimated instead: this runner has no GPU with PyTorch for them, or the worker does not run their kind of step.',
    )
  })

  it('says of each config that it could not be swept where an engine is asked for that is not there', async () => {
    const { repository } = await open({ 'a.yaml': tiny })
    const swept = await run(repository, { mode: 'sweep', engine: 'torch', python: '/nonexistent/python' })
    expect(swept).toMatchObject({ exitCode: 1, outputs: { verdict: 'blocked' } })
    expect(report.parse(swept.report).configs).toMatchObject([
      { path: 'a.yaml', status: 'not-analysed', problems: [{ code: 'engine-unavailable' }] },
    ])
  })

  it.each([
    [{ engine: 'cuda' }, '(input engine): "cuda" is none of its values.'],
    [{ strategy: 'bisekt' }, '(input strategy): "bisekt" is none of its values. Did you mean bisect?'],
    [{ timeout: '0' }, '(input timeout): "0" is not a number above 0'],
    [{ entrypoint: 'train/step.py:make' }, '(input entrypoint): It runs code of the repository on this runner'],
    [{ entrypoint: 'train/step.sh', 'trust-entrypoint': 'true' }, '"train/step.sh" names no function of a Python file'],
    [{ 'trust-entrypoint': 'yes' }, '(input trust-entrypoint): "yes" is none of its values. Use true, false.'],
  ])('refuses %o', async (inputs, message) => {
    const { repository } = await open({ 'a.yaml': tiny })
    const { exitCode, log } = await run(repository, { mode: 'sweep', ...inputs })
    expect(exitCode).toBe(1)
    expect(log).toContain(message)
  })
})

describe('sweep of one config of a fleet', () => {
  const inputs = { mode: 'sweep', engine: 'estimate', 'fail-on': 'waste > 40 %' }

  it('lists no files, since a fleet shares the requests of an hour', async () => {
    const { repository } = await open(
      { 'a.yaml': tiny, 'b.yaml': tiny },
      { base: { 'a.yaml': tiny.replace('16', '8') } },
    )
    const before = github.requests.length
    const swept = await run(repository, { ...inputs, 'fail-on': 'never', config: 'b.yaml' })
    expect(report.parse(swept.report).configs.map(config => config.path)).toEqual(['b.yaml'])
    const asked = github.requests.slice(before).map(({ path: asked }) => asked)
    expect(asked.filter(path => /\/files|\/trees/.test(path))).toEqual([])
    expect(asked.length).toBeLessThanOrEqual(6)
  })

  it('finds its former name all the same where that decides', async () => {
    const { repository } = await open({ 'old.yaml': null, 'new.yaml': tiny }, { base: { 'old.yaml': tiny } })
    const swept = await run(repository, { ...inputs, config: 'new.yaml' })
    expect(swept).toMatchObject({ exitCode: 0, errors: '', outputs: { verdict: 'warning' } })
  })

  it('is refused by name where there is no such file', async () => {
    const { repository, pullRequest } = await open({ 'a.yaml': tiny })
    const { exitCode, log } = await run(repository, { ...inputs, config: 'absent.yaml' })
    expect(exitCode).toBe(1)
    expect(log).toContain(
      `::error::(input config): There is no file "absent.yaml" to read at ${pullRequest.headSha.slice(0, 7)}. Give the path as plan names it.`,
    )
  })
})

describe('a sweep that is cancelled', () => {
  it('ends the interpreter and all that it started, though it does not answer, and publishes nothing', async () => {
    const { repository, pullRequest } = await open({ 'a.yaml': tiny })
    const [own, childs] = [path.join(folder, 'own.pid'), path.join(folder, 'childs.pid')]
    const silent = await interpreter('silent', `sleep 600 & echo $! > ${childs}; echo $$ > ${own}; wait`)
    const swept = await run(
      repository,
      { mode: 'sweep', python: silent },
      { onStart: child => void pidIn(own).then(() => child.kill('SIGINT')) },
    )
    expect(swept).toMatchObject({ exitCode: 130, report: undefined, summary: '' })
    expect(await repository.comments(pullRequest)).toEqual([])
    expect(await isGone(await pidIn(own))).toBe(true)
    expect(await isGone(await pidIn(childs))).toBe(true)
  })
})

describe.skipIf(!hasTorch)('sweep with PyTorch', { timeout: 120_000 }, () => {
  /** Few sizes, since each is a trace of a second. */
  const coarse = { '.github/memorymark.yml': 'step_size: 8192\n' }

  it('reads the config at the head as data, answers by trials, and comments as a check does', async () => {
    const { repository, pullRequest } = await open({ 'a.yaml': tiny }, { base: coarse })
    const swept = await run(repository, { mode: 'sweep', engine: 'trace' })
    expect(swept).toMatchObject({ exitCode: 0, errors: '', outputs: { verdict: expect.any(String), configs: '1' } })
    const [config] = report.parse(swept.report).configs
    expect(config).toMatchObject({ path: 'a.yaml', dialect: 'Hugging Face Trainer', provenance: 'traced' })
    const [comment] = await repository.comments(pullRequest)
    expect(comment?.body).toContain('Memory traced, ±3 %')
    expect(swept.log).toMatch(/^trial {2}1 {2}batch {4}16 /m)
  })

  it('gives the worker none of the secrets that the runner holds', async () => {
    const { repository } = await open({ 'a.yaml': tiny }, { base: coarse })
    const file = path.join(folder, 'environment')
    const nosy = await interpreter('nosy', `env > ${file}\nexec ${python} "$@"`)
    const env = {
      GITHUB_TOKEN: 'secret',
      ACTIONS_RUNTIME_TOKEN: 'secret',
      AWS_SECRET_ACCESS_KEY: 'secret',
      HF_TOKEN: 'secret',
      CUDA_VISIBLE_DEVICES: '0',
    }
    const swept = await run(repository, { mode: 'sweep', engine: 'trace', python: nosy }, { env })
    expect(swept.exitCode).toBe(0)
    const passed = (await readFile(file, 'utf8')).split('\n').map(line => line.split('=')[0])
    expect(passed).toContain('CUDA_VISIBLE_DEVICES')
    expect(passed.filter(name => /TOKEN|SECRET|^INPUT_|^GITHUB_|^ACTIONS_/.test(name ?? ''))).toEqual([])
  })

  it('runs nothing that is in the folder of kept trials, and says of what day they are', async () => {
    const { repository } = await open({ 'a.yaml': tiny }, { base: coarse })
    const inputs = { mode: 'sweep', engine: 'trace', 'cache-path': 'kept' }
    const first = await run(repository, inputs)
    const kept = await readdir(path.join(first.workspace, 'kept'))
    expect(kept).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.json$/)])

    const again = await run(repository, inputs, { workspace: first.workspace })
    const trials = ({ report: written }: ActionRun) =>
      report.parse(written).configs.flatMap(config => (config.status === 'analysed' ? config.trials : []))
    expect(trials(again)).toEqual(trials(first))
    expect(first.log).not.toContain('(kept)')
    expect(again.log.match(/^trial .*$/gm)?.every(line => line.endsWith('(kept)'))).toBe(true)
    const today = new Date().toISOString().slice(0, 10)
    expect(again.summary).toContain(
      `${trials(first).length} trials were traced on ${today} with the same config, device, driver and libraries, and not run again.`,
    )
    expect(first.summary).not.toContain('not run again')
    expect(warnings(again)).toEqual(warnings(first))
  })

  it('leaves aside kept trials that are broken, says so, and keeps the new ones', async () => {
    const { repository } = await open({ 'a.yaml': tiny }, { base: coarse })
    const inputs = { mode: 'sweep', engine: 'trace', 'cache-path': 'kept' }
    const first = await run(repository, inputs)
    const [name = ''] = await readdir(path.join(first.workspace, 'kept'))
    const file = path.join(first.workspace, 'kept', name)
    await writeFile(file, '{"schema":')
    const again = await run(repository, inputs, { workspace: first.workspace })
    expect(again).toMatchObject({ exitCode: 0, errors: '' })
    expect(warnings(again)).toContainEqual(
      'The kept trials of a.yaml were left aside, since they are not as MemoryMark writes them.',
    )
    expect(again.log).toMatch(/^trial .*$/m)
    expect(again.log).not.toContain('(kept)')
    expect(await readFile(file, 'utf8')).toContain('"microBatch":16')
  })

  it('measures what is the same on the base branch only once, and does not block what gets no worse', async () => {
    const { repository } = await open({ 'a.yaml': `${tiny}seed: 7\n` }, { base: { ...coarse, 'a.yaml': tiny } })
    const swept = await run(repository, { mode: 'sweep', engine: 'trace', 'fail-on': 'waste > 40 %' })
    expect(swept).toMatchObject({ exitCode: 0, errors: '' })
    expect(swept.log.match(/batch {4}16 /g)).toHaveLength(1)
  })

  it('ends the worker in the middle of a trial when the job is cancelled', async () => {
    const { repository } = await open({ 'a.yaml': tiny }, { base: coarse })
    const pids = path.join(folder, 'pids')
    const noted = await interpreter('noted', `echo $$ >> ${pids}\nexec ${python} "$@"`)
    const swept = await run(
      repository,
      { mode: 'sweep', engine: 'trace', python: noted },
      {
        onStart: child => {
          child.stdout?.on('data', (text: Buffer) => {
            if (text.toString().includes('trial  1')) child.kill('SIGTERM')
          })
        },
      },
    )
    expect(swept).toMatchObject({ exitCode: 130, report: undefined })
    expect(swept.log).toContain('The job is cancelled: the trial that ran is ended, and nothing is published.')
    const started = (await readFile(pids, 'utf8')).trim().split('\n').map(Number)
    expect(started.length).toBeGreaterThan(0)
    for (const pid of started) expect(await isGone(pid)).toBe(true)
  })

  it('puts the shards of a fleet into one report', async () => {
    const { repository, pullRequest } = await open(
      { 'a.yaml': tiny, 'b.yaml': tiny.replace('32', '64') },
      { base: coarse },
    )
    const shard = await run(repository, { mode: 'sweep', engine: 'trace', config: 'a.yaml', comment: 'never' })
    expect(report.parse(shard.report).configs).toMatchObject([{ path: 'a.yaml', provenance: 'traced' }])
    const files = { 'shards/one/memorymark-report.json': JSON.stringify(shard.report), 'shards/two/x.json': '{"a":' }
    const merged = await run(repository, { mode: 'report', reports: 'shards/**/*.json' }, { files })
    expect(report.parse(merged.report).configs).toMatchObject([
      { path: 'a.yaml', provenance: 'traced' },
      { path: 'b.yaml', provenance: 'estimated' },
    ])
    expect(warnings(merged).filter(message => !message.includes('Micro-batch'))).toEqual([
      'shards/two/x.json is no report of MemoryMark and was left aside.',
      'No shard has figures for 1 of 2 training configs: their estimate stands.',
    ])
    expect((await repository.comments(pullRequest)).map(({ body }) => body)).toEqual([
      expect.stringMatching(/traced[\s\S]*estimated/),
    ])
  })
})

describe('report', () => {
  const schedule = { name: 'schedule', payload: {} }

  it('on a schedule is about every config of the default branch, and ends with what changed since the last', async () => {
    const { repository, pullRequest } = await open({ 'b.yaml': tiny, 'a.yaml': null }, { base: { 'a.yaml': tiny } })
    const main = await repository.branchHead('main')
    const first = await run(repository, { mode: 'report' }, { event: schedule, sha: main })
    expect(report.parse(first.report).configs.map(config => config.path)).toEqual(['a.yaml'])
    expect(first.summary).not.toContain('Since the report')

    const files = { 'last/report.json': JSON.stringify(first.report) }
    const inputs = { mode: 'report', 'last-report': 'last/report.json' }
    const second = await run(repository, inputs, { event: schedule, sha: pullRequest.headSha, files })
    expect(report.parse(second.report).configs.map(config => config.path)).toEqual(['b.yaml'])
    expect(second.summary).toMatch(/#### Since the report of \d{4}-\d\d-\d\d/)
    expect(second.summary).toMatch(/`a\.yaml`.*gone/)
    expect(second.summary).toMatch(/`b\.yaml` *\| not there/)

    const third = await run(repository, inputs, { event: schedule, sha: main, files })
    expect(third.summary).toContain('Nothing of note changed.')
  })

  it('says so where there is no last report, or none that can be read', async () => {
    const { repository } = await open({ 'a.yaml': tiny })
    const inputs = { mode: 'report', 'last-report': 'last.json' }
    const sha = await repository.branchHead('main')
    for (const files of [{}, { 'last.json': '{"schema":"memorymark.report/v1"}' }]) {
      const { exitCode, summary } = await run(repository, inputs, { event: schedule, sha, files })
      expect(exitCode).toBe(0)
      expect(summary).toContain('There is no earlier report to compare with.')
    }
  })

  it('believes no shard that is larger than a report can be', async () => {
    const { repository } = await open({ 'a.yaml': tiny })
    const files = { 'shards/huge.json': ' '.repeat(17 * 1024 * 1024) }
    const merged = await run(repository, { mode: 'report', reports: 'shards/*.json' }, { files })
    expect(warnings(merged)[0]).toBe('shards/huge.json is no report of MemoryMark and was left aside.')
    expect(report.parse(merged.report).configs).toMatchObject([{ path: 'a.yaml', provenance: 'estimated' }])
  })
})
