import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { writtenRuns } from '../../engine/calibration/file.ts'
import { report } from '../../engine/index.ts'
import { runWith } from '../calibration/runs.ts'
import type { Repository } from '../github/index.ts'
import { annotations, BundleOnA10, doesNotFit, wasteful } from './bundle-on-a10.ts'

const beside = await BundleOnA10.start()
const { action, github, token } = beside

afterAll(() => beside[Symbol.asyncDispose]())

const open: BundleOnA10['open'] = (files, opening) => beside.open(files, opening)

describe('a model of the repository itself', () => {
  it('is read from its config.json at the head, and never from outside the repository', async () => {
    const config = JSON.stringify({
      model_type: 'bert',
      num_hidden_layers: 2,
      hidden_size: 128,
      num_attention_heads: 2,
    })
    const { repository } = await open({
      'configs/own.yaml': wasteful.replace('bert-base-uncased', 'models/tiny'),
      'configs/outside.yaml': wasteful.replace('bert-base-uncased', '../../../etc'),
      'models/tiny/config.json': config,
    })
    const run = await action.run({ github, repository, token, inputs: { 'fail-on': 'never' } })
    const { configs } = report.parse(run.report)
    const own = configs.find(({ path }) => path === 'configs/own.yaml')
    expect(own).toMatchObject({ status: 'analysed', spec: { model: 'models/tiny' } })
    expect(configs.find(({ path }) => path === 'configs/outside.yaml')).toMatchObject({ status: 'not-analysed' })
  })
})

describe("a file of DeepSpeed's settings", () => {
  const sharded = (file: string) => `${doesNotFit}deepspeed: ${file}\n`
  /** One by one, or by a query for many. */
  const pathsRead = (repository: Repository, since: number) =>
    github.requests.slice(since).flatMap(({ path, body }) => {
      const [, file] = path.split(`/${repository.name}/contents/`)
      if (file !== undefined) return [decodeURIComponent(file.split('?')[0] ?? '')]
      const query = z.object({ variables: z.record(z.string(), z.string()) }).safeParse(body)
      return Object.entries(query.data?.variables ?? {}).flatMap(([name, value]) => (/^path/.test(name) ? [value] : []))
    })

  it('is read at the head, once for every config that names it', async () => {
    const base = {
      'configs/zero1.json': '{"zero_optimization": {"stage": 1}}',
      '.github/memorymark.yml': 'gpu: a10\noverrides: [{ path: "configs/*", gpus: 8 }]\n',
    }
    const { repository, pullRequest } = await open(
      {
        'configs/a.yaml': sharded('configs/zero1.json'),
        'configs/b.yaml': sharded('zero1.json'),
        'configs/zero1.json': '{"zero_optimization": {"stage": 3}}',
      },
      { base },
    )
    const before = github.requests.length
    const run = await action.run({ github, repository, token, inputs: { 'fail-on': 'does-not-fit' } })
    const { configs } = report.parse(run.report)
    expect(configs).toMatchObject([
      { path: 'configs/a.yaml', spec: { sharding: 'zero3' }, otherFiles: [{ path: 'configs/zero1.json' }] },
      { path: 'configs/b.yaml', spec: { sharding: 'zero3' }, otherFiles: [{ path: 'configs/zero1.json' }] },
    ])
    expect((await repository.comments(pullRequest))[0]?.body).toContain('ZeRO stage 3: read from "configs/zero1.json"')
    // At the head, and as it was before.
    const read = pathsRead(repository, before).filter(path => path.endsWith('zero1.json'))
    expect(read).toEqual(['configs/zero1.json', 'configs/zero1.json'])
  })

  it('is never asked for outside the repository, nor where no config names one', async () => {
    const { repository } = await open({
      'configs/a.yaml': wasteful,
      'configs/b.yaml': sharded('../../zero2.json'),
      'configs/c.yaml': sharded('/repos/zero2.json'),
    })
    const before = github.requests.length
    const run = await action.run({ github, repository, token, inputs: { 'fail-on': 'never' } })
    expect(report.parse(run.report).configs).toMatchObject([
      { status: 'analysed' },
      { spec: { sharding: 'zero2' } },
      { spec: { sharding: 'zero2' } },
    ])
    expect(pathsRead(repository, before).toSorted()).toEqual([
      '.github/memorymark.yml',
      'configs/a.yaml',
      'configs/b.yaml',
      'configs/c.yaml',
    ])
  })
})

describe('the settings of the repository', () => {
  const lenient = { '.github/memorymark.yml': 'gpu: h100\nfail-on: never\nignore: ["old/**"]\n' }

  it('decide where no input does', async () => {
    const files = { 'configs/bert.yaml': wasteful, 'old/bert.yaml': wasteful }
    const { repository } = await open(files, { base: lenient })
    const run = await action.run({ github, repository, token })
    expect(run).toMatchObject({ exitCode: 0, errors: '', outputs: { verdict: 'warning' } })
    expect(report.parse(run.report).configs).toMatchObject([{ path: 'configs/bert.yaml', gpu: { id: 'h100' } }])
  })

  it('yield to inputs that are set', async () => {
    const { repository } = await open({ 'configs/bert.yaml': wasteful }, { base: lenient })
    const inputs = { gpu: 'l4', 'fail-on': 'waste > 40 %' }
    const run = await action.run({ github, repository, token, inputs })
    expect(run).toMatchObject({ exitCode: 1, outputs: { verdict: 'blocked' } })
    expect(report.parse(run.report).configs).toMatchObject([{ gpu: { id: 'l4' } }])
  })

  const takenFromGitHub = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_ACTION_REPOSITORY: 'acme/memorymark' }

  it.each([
    ['link to the playground of the Action where they name none', '', 'https://acme.github.io/memorymark/#1.'],
    ['name another', 'playground: https://acme.example/p/\n', 'https://acme.example/p/#1.'],
    ['allow no link', 'playground: never\n', undefined],
  ])('%s', async (_, written, link) => {
    const base = { '.github/memorymark.yml': `gpu: a10\nfail-on: never\n${written}` }
    const { repository, pullRequest } = await open({ 'configs/bert.yaml': wasteful }, { base })
    await action.run({ github, repository, token, env: takenFromGitHub })
    const [comment] = await repository.comments(pullRequest)
    const [found] = /https:[^"]*#1\./.exec(comment?.body ?? '') ?? []
    expect(found).toBe(link)
  })

  it('are not those that the pull request brings along', async () => {
    const { repository } = await open({ 'configs/bert.yaml': wasteful, ...lenient })
    const run = await action.run({ github, repository, token })
    expect(run).toMatchObject({ exitCode: 1, outputs: { verdict: 'blocked' } })
    expect(report.parse(run.report).configs).toMatchObject([{ gpu: { id: 'a10' } }])
  })

  it('are told to be broken, on the default branch and in the pull request, and the built-in ones hold', async () => {
    const { repository } = await open(
      { 'configs/bert.yaml': wasteful, '.github/memorymark.yml': 'gpu: a10\nfail_on: never\n' },
      { base: { '.github/memorymark.yml': 'gpu: a11\n' } },
    )
    const run = await action.run({ github, repository, token })
    const warnings = annotations(run.log).filter(({ level }) => level === 'warning')
    expect(warnings.map(({ message }) => message)).toEqual([
      '.github/memorymark.yml on the default branch cannot be read, so the built-in settings apply.',
      expect.stringContaining(
        '.github/memorymark.yml:1:6 (gpu): "a11" is not a GPU in the catalogue. Did you mean a10?',
      ),
      '.github/memorymark.yml as changed by this pull request cannot be read.',
      expect.stringContaining('.github/memorymark.yml:2:10 (fail_on): Unknown key "fail_on".'),
      expect.stringContaining('No GPU is named: the A10 is assumed.'),
    ])
    expect(run).toMatchObject({ exitCode: 0, outputs: { verdict: 'warning' } })
  })
})

describe('what the runs of the team measured', () => {
  const path = '.github/memorymark-calibration.json'
  const settings = { '.github/memorymark.yml': `gpu: a10\nfail-on: never\ncalibration: ${path}\n` }
  const runs = writtenRuns([runWith({ speed: 0.9 }), runWith({ speed: 0.9, memory: 1.1 })])

  it('corrects the estimates, by the file on the default branch', async () => {
    const { repository, pullRequest } = await open(
      { 'configs/bert.yaml': wasteful, [path]: '{}' },
      { base: { ...settings, [path]: runs } },
    )
    const run = await action.run({ github, repository, token })
    expect(run).toMatchObject({ exitCode: 0, errors: '' })
    expect(report.parse(run.report).configs).toMatchObject([
      { provenance: 'estimated', calibration: { speed: { runs: 2 }, memory: { runs: 1 } } },
    ])
    const [comment] = await repository.comments(pullRequest)
    expect(comment?.body).toContain('throughput modelled, calibrated on 2 runs of this runner')
  })

  it('corrects nothing where that file cannot be read, and the log says why', async () => {
    const { repository } = await open({ 'configs/bert.yaml': wasteful }, { base: { ...settings, [path]: '{}' } })
    const run = await action.run({ github, repository, token })
    expect(run).toMatchObject({ exitCode: 0 })
    expect(run.log).toContain(`${path}: schema is not what`)
    expect(report.parse(run.report).configs[0]).not.toHaveProperty('calibration')
  })
})
