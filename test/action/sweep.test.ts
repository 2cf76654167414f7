/** With the real Python worker, where this machine has one. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { report } from '../../engine/index.ts'
import { bandInWords } from '../band-in-words.ts'
import { coldPython, hasTorch, python } from '../probes/python.ts'
import { ActionBesideGitHub, coarse, tiny, warnings } from './action-beside-github.ts'
import type { ActionRun } from './run-action.ts'

let beside: ActionBesideGitHub
beforeAll(async () => {
  beside = await ActionBesideGitHub.start()
})
afterAll(() => beside[Symbol.asyncDispose]())

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

describe('sweep without PyTorch', () => {
  it('estimates, and says that nothing was measured', async () => {
    const { repository } = await beside.open({ 'a.yaml': tiny })
    const swept = await beside.run(repository, { mode: 'sweep', python: '/nonexistent/python' })
    expect(swept).toMatchObject({ exitCode: 0, errors: '' })
    expect(report.parse(swept.report).configs).toMatchObject([{ path: 'a.yaml', provenance: 'estimated' }])
    expect(warnings(swept)).toContainEqual(
      '1 of 1 training configs could not be measured and are traced or estimated instead: this runner has no GPU with PyTorch for them, or the worker does not support their kind of step.',
    )
  })

  it('says of each config that it could not be swept where an engine is asked for that is not there', async () => {
    const { repository } = await beside.open({ 'a.yaml': tiny })
    const swept = await beside.run(repository, { mode: 'sweep', engine: 'torch', python: '/nonexistent/python' })
    expect(swept).toMatchObject({ exitCode: 1, outputs: { verdict: 'blocked' } })
    expect(report.parse(swept.report).configs).toMatchObject([
      { path: 'a.yaml', status: 'not-analysed', problems: [{ code: 'engine-unavailable' }] },
    ])
  })

  it.each([
    [{ engine: 'cuda' }, 'input engine: "cuda" is not one of its values.'],
    [{ strategy: 'bisekt' }, 'input strategy: "bisekt" is not one of its values. Did you mean bisect?'],
    [{ timeout: '0' }, 'input timeout: "0" is not a number above 0'],
    [{ entrypoint: 'train/step.py:make' }, 'input entrypoint: It runs code from the repository on this runner'],
    [
      { entrypoint: 'train/step.sh', 'trust-entrypoint': 'true' },
      '"train/step.sh" does not name a function in a Python file',
    ],
    [{ 'trust-entrypoint': 'yes' }, 'input trust-entrypoint: "yes" is not one of its values. Use true, false.'],
  ])('refuses %o', async (inputs, message) => {
    const { repository } = await beside.open({ 'a.yaml': tiny })
    const { exitCode, log } = await beside.run(repository, { mode: 'sweep', ...inputs })
    expect(exitCode).toBe(1)
    expect(log).toContain(message)
  })
})

describe('sweep of one config of a fleet', () => {
  const inputs = { mode: 'sweep', engine: 'estimate', 'fail-on': 'waste > 40 %' }

  it('does not list what is changed, and one tree only, since a fleet shares the requests of an hour', async () => {
    const { repository } = await beside.open(
      { 'a.yaml': tiny, 'b.yaml': tiny },
      { base: { 'a.yaml': tiny.replace('16', '8') } },
    )
    const before = beside.github.requests.length
    const swept = await beside.run(repository, { ...inputs, 'fail-on': 'never', config: 'b.yaml' })
    expect(report.parse(swept.report).configs.map(config => config.path)).toEqual(['b.yaml'])
    const asked = beside.github.requests.slice(before).map(({ path: asked }) => asked)
    expect(asked.filter(path => path.includes('/files'))).toEqual([])
    expect(asked.filter(path => path.includes('/trees'))).toHaveLength(1)
    expect(asked.length).toBeLessThanOrEqual(6)
  })

  it('finds its former name all the same where that decides', async () => {
    const { repository } = await beside.open({ 'old.yaml': null, 'new.yaml': tiny }, { base: { 'old.yaml': tiny } })
    const swept = await beside.run(repository, { ...inputs, config: 'new.yaml' })
    expect(swept).toMatchObject({ exitCode: 0, errors: '', outputs: { verdict: 'warning' } })
  })

  it('is refused by name where there is no such file', async () => {
    const { repository, pullRequest } = await beside.open({ 'a.yaml': tiny })
    const { exitCode, log } = await beside.run(repository, { ...inputs, config: 'absent.yaml' })
    expect(exitCode).toBe(1)
    expect(log).toContain(
      `::error::input config: There is no file "absent.yaml" to read at ${pullRequest.headSha.slice(0, 7)}. Give the path as plan outputs it.`,
    )
  })
})

describe('a sweep that is cancelled', () => {
  it('ends the interpreter and all that it started, though it does not answer, and publishes nothing', async () => {
    const { repository, pullRequest } = await beside.open({ 'a.yaml': tiny })
    const [own, childs] = [beside.file('own.pid'), beside.file('childs.pid')]
    const silent = await beside.interpreter('silent', `sleep 600 & echo $! > ${childs}; echo $$ > ${own}; wait`)
    const swept = await beside.run(
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

describe.skipIf(!hasTorch)('sweep with PyTorch', () => {
  it('reads the config at the head as data, answers by trials, and comments as a check does', async () => {
    const { repository, pullRequest } = await beside.open({ 'a.yaml': tiny }, { base: coarse })
    const swept = await beside.run(repository, { mode: 'sweep', engine: 'trace' })
    expect(swept).toMatchObject({ exitCode: 0, errors: '', outputs: { verdict: expect.any(String), configs: '1' } })
    const [config] = report.parse(swept.report).configs
    expect(config).toMatchObject({ path: 'a.yaml', dialect: 'Hugging Face Trainer', provenance: 'traced' })
    const [comment] = await repository.comments(pullRequest)
    expect(comment?.body).toContain(`Memory traced, ${bandInWords}`)
    expect(swept.log).toMatch(/^trial {2}1 {2}batch {4}16 /m)
  })

  it('gives the worker none of the secrets that the runner holds', async () => {
    const { repository } = await beside.open({ 'a.yaml': tiny }, { base: coarse })
    const file = beside.file('environment')
    const nosy = await beside.interpreter('nosy', `env > ${file}\nexec ${python} "$@"`)
    const env = {
      GITHUB_TOKEN: 'secret',
      ACTIONS_RUNTIME_TOKEN: 'secret',
      AWS_SECRET_ACCESS_KEY: 'secret',
      HF_TOKEN: 'secret',
      CUDA_VISIBLE_DEVICES: '0',
    }
    const swept = await beside.run(repository, { mode: 'sweep', engine: 'trace', python: nosy }, { env })
    expect(swept.exitCode).toBe(0)
    const passed = (await readFile(file, 'utf8')).split('\n').map(line => line.split('=')[0])
    expect(passed).toContain('CUDA_VISIBLE_DEVICES')
    expect(passed.filter(name => /TOKEN|SECRET|^INPUT_|^GITHUB_|^ACTIONS_/.test(name ?? ''))).toEqual([])
  })

  it('runs nothing that is in the folder of kept trials, and says of what day they are', async () => {
    const { repository } = await beside.open({ 'a.yaml': tiny }, { base: coarse })
    const inputs = { mode: 'sweep', engine: 'trace', 'cache-path': 'kept' }
    const first = await beside.run(repository, inputs)
    const kept = await readdir(path.join(first.workspace, 'kept'))
    expect(kept).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.json$/)])

    const again = await beside.run(repository, inputs, { workspace: first.workspace })
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
    const { repository } = await beside.open({ 'a.yaml': tiny }, { base: coarse })
    const inputs = { mode: 'sweep', engine: 'trace', 'cache-path': 'kept' }
    const first = await beside.run(repository, inputs)
    const [name = ''] = await readdir(path.join(first.workspace, 'kept'))
    const file = path.join(first.workspace, 'kept', name)
    await writeFile(file, '{"schema":')
    const again = await beside.run(repository, inputs, { workspace: first.workspace })
    expect(again).toMatchObject({ exitCode: 0, errors: '' })
    expect(warnings(again)).toContainEqual(
      'The kept trials of a.yaml were left aside, since they are not in the format that MemoryMark writes.',
    )
    expect(again.log).toMatch(/^trial .*$/m)
    expect(again.log).not.toContain('(kept)')
    expect(await readFile(file, 'utf8')).toContain('"microBatch":16')
  })

  it('measures what is the same on the base branch only once, and does not block what gets no worse', async () => {
    const { repository } = await beside.open({ 'a.yaml': `${tiny}seed: 7\n` }, { base: { ...coarse, 'a.yaml': tiny } })
    const swept = await beside.run(repository, { mode: 'sweep', engine: 'trace', 'fail-on': 'waste > 40 %' })
    expect(swept).toMatchObject({ exitCode: 0, errors: '' })
    expect(swept.log.match(/batch {4}16 /g)).toHaveLength(1)
  })

  it('ends the worker in the middle of a trial when the job is cancelled', async () => {
    const { repository } = await beside.open({ 'a.yaml': tiny }, { base: coarse })
    const pids = beside.file('pids')
    const noted = await beside.interpreter('noted', `echo $$ >> ${pids}\nexec ${coldPython} "$@"`)
    const swept = await beside.run(
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
    expect(swept.log).toContain('The job was cancelled: the running trial is ended, and nothing is published.')
    const started = (await readFile(pids, 'utf8')).trim().split('\n').map(Number)
    expect(started.length).toBeGreaterThan(0)
    for (const pid of started) expect(await isGone(pid)).toBe(true)
  })
})
