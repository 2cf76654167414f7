/** The real bundle against the emulated GitHub. What the figures are is the engine's matter; here they only have to arrive. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { writtenRuns } from '../../engine/calibration/file.ts'
import { commentMarker, report } from '../../engine/index.ts'
import { runWith } from '../calibration/runs.ts'
import type { Repository } from '../github/index.ts'
import { BundleOnA10, wasteful } from './bundle-on-a10.ts'

const doesNotFit = wasteful.replace('batch_size: 2', 'batch_size: 100000')

const beside = await BundleOnA10.start()
const { action, github, token } = beside

afterAll(() => beside[Symbol.asyncDispose]())

const open: BundleOnA10['open'] = (files, opening) => beside.open(files, opening)

/** File, line and title of each annotation, as the runner would read them. */
function annotations(log: string) {
  return Array.from(
    log.matchAll(/^::(error|warning)(?: (.*?))?::(.*)$/gm),
    ([, level, properties = '', message = '']) => {
      const named = Object.fromEntries(properties.split(',').map(pair => pair.split('=', 2)))
      return { level, file: named.file, line: named.line, title: named.title, message }
    },
  )
}

describe('a config that is beyond every limit', () => {
  it('is not analysed, and the others are judged', async () => {
    const endless = JSON.stringify({ model_type: 'bert', num_hidden_layers: 10_000_000 })
    const { repository } = await open({
      'a.yaml': wasteful,
      'hostile/config.json': endless,
      'hostile/train.yaml': wasteful.replace('bert-base-uncased', 'hostile'),
      'z.yaml': wasteful,
    })
    const run = await action.run({ github, repository, token, inputs: { comment: 'never' } })
    const { configs } = report.parse(run.report)
    expect(configs.map(({ path, status }) => [path, status])).toEqual([
      ['a.yaml', 'analysed'],
      ['hostile/train.yaml', 'not-analysed'],
      ['z.yaml', 'analysed'],
    ])
    expect(run.exitCode).toBe(1)
  })
})

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

describe('a pull request that changes a training config', () => {
  it('gets a comment, outputs, a summary, a report and an annotation on the line of the batch size', async () => {
    const { repository, pullRequest } = await open({ 'configs/bert.yaml': wasteful })
    const run = await action.run({ github, repository, token, inputs: { 'fail-on': 'never' } })

    expect(run).toMatchObject({ exitCode: 0, errors: '' })
    const comments = await repository.comments(pullRequest)
    expect(comments.map(comment => comment.user.login)).toEqual(['github-actions[bot]'])
    expect(comments[0]?.body).toContain(commentMarker)
    expect(comments[0]?.body).toContain('configs/bert.yaml')
    expect(comments[0]?.body.replace(/\n<!-- memorymark:material \w+ -->/, '').trim()).toBe(run.summary.trim())

    const parsed = report.parse(run.report)
    expect(parsed.configs).toMatchObject([
      { status: 'analysed', path: 'configs/bert.yaml', batchSizeAt: { line: 4 }, spec: { microBatch: 2 } },
    ])
    expect(run.outputs).toMatchObject({
      verdict: 'warning',
      configs: '1',
      'report-path': expect.stringMatching(/\/memorymark-report\.json$/),
      'comment-url': expect.stringMatching(/issuecomment-\d+$/),
      'recommended-batch': expect.stringMatching(/^\d+$/),
      'waste-percent': expect.stringMatching(/^\d+$/),
    })
    expect(annotations(run.log)).toMatchObject([{ level: 'warning', file: 'configs/bert.yaml', line: '4' }])
  })

  it('is blocked when the policy says so', async () => {
    const { repository } = await open({ 'configs/bert.yaml': wasteful })
    const run = await action.run({ github, repository, token, inputs: { 'fail-on': 'waste > 40 %' } })
    expect(run).toMatchObject({ exitCode: 1, errors: '', outputs: { verdict: 'blocked' } })
    expect(annotations(run.log)).toMatchObject([
      { level: 'error', file: 'configs/bert.yaml', line: '4' },
      { level: 'error', message: 'The training config wastes its GPU.' },
    ])
  })

  it.each([
    ['is blocked when the config does not fit', 'does-not-fit', { exitCode: 1, outputs: { verdict: 'blocked' } }],
    ['is warned of the same where nothing is to block', 'never', { exitCode: 0, outputs: { verdict: 'warning' } }],
  ])('%s', async (_, failOn, outcome) => {
    const { repository } = await open({ 'configs/bert.yaml': doesNotFit })
    const run = await action.run({ github, repository, token, inputs: { 'fail-on': failOn } })
    expect(run).toMatchObject(outcome)
  })

  it('keeps one comment over every run, and writes only when the text is another', async () => {
    const { repository, pullRequest } = await open({ 'configs/bert.yaml': wasteful })
    await action.run({ github, repository, token })
    const [first] = await repository.comments(pullRequest)
    await action.run({ github, repository, token })
    await repository.pushTo(pullRequest, { 'configs/bert.yaml': doesNotFit })
    await action.run({ github, repository, token })

    const comments = await repository.comments(pullRequest)
    expect(comments.map(({ id }) => id)).toEqual([first?.id])
    expect(comments[0]?.body).not.toBe(first?.body)
    const writes = github.requests.filter(
      ({ method, path }) => method !== 'GET' && path.includes(`${repository.name}/issues`),
    )
    expect(writes.map(({ method }) => method)).toEqual(['POST', 'PATCH'])
  })

  it('has its comment brought up to date when the change is taken back', async () => {
    const { repository, pullRequest } = await open({ 'configs/bert.yaml': wasteful })
    await action.run({ github, repository, token })
    await repository.pushTo(pullRequest, { 'configs/bert.yaml': null })
    const run = await action.run({ github, repository, token })
    expect(run).toMatchObject({ exitCode: 0, outputs: { verdict: 'nothing-to-measure' } })
    const comments = await repository.comments(pullRequest)
    expect(comments.map(({ body }) => body)).toEqual([
      `${commentMarker}\nNo training config in this pull request: nothing to measure.`,
    ])
  })

  it('gets no comment when asked for none', async () => {
    const { repository, pullRequest } = await open({ 'configs/bert.yaml': wasteful })
    const run = await action.run({ github, repository, token, inputs: { comment: 'never', 'fail-on': 'never' } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { 'comment-url': '' } })
    expect(await repository.comments(pullRequest)).toEqual([])
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

describe('a config that was bad on the base branch', () => {
  const base = { 'configs/bert.yaml': wasteful }

  it('does not block a pull request that makes it no worse, and the comment says why', async () => {
    const { repository, pullRequest } = await open({ 'configs/bert.yaml': `${wasteful}seed: 7\n` }, { base })
    const run = await action.run({ github, repository, token })
    expect(run).toMatchObject({ exitCode: 0, errors: '', outputs: { verdict: 'warning' } })
    const [comment] = await repository.comments(pullRequest)
    expect(comment?.body).toContain('This does not block: the base branch was no better.')
  })

  it('blocks when it gets worse', async () => {
    const worse = wasteful.replace('batch_size: 2', 'batch_size: 1')
    const { repository } = await open({ 'configs/bert.yaml': worse }, { base })
    expect(await action.run({ github, repository, token })).toMatchObject({ exitCode: 1 })
  })

  it('blocks all the same where the settings say so', async () => {
    const strict = { ...base, '.github/memorymark.yml': 'gpu: a10\njudge: all\n' }
    const { repository } = await open({ 'configs/bert.yaml': `${wasteful}seed: 7\n` }, { base: strict })
    expect(await action.run({ github, repository, token })).toMatchObject({ exitCode: 1 })
  })
})

describe('a pull request with nothing to measure', () => {
  it('is green, without a comment, and its report is empty', async () => {
    const { repository, pullRequest } = await open({ 'train.py': 'print(1)', 'k8s/service.yaml': 'kind: Service\n' })
    const run = await action.run({ github, repository, token })
    expect(run).toMatchObject({ exitCode: 0, errors: '', outputs: { verdict: 'nothing-to-measure', configs: '0' } })
    expect(report.parse(run.report).configs).toEqual([])
    expect(await repository.comments(pullRequest)).toEqual([])
    expect(annotations(run.log)).toEqual([])
  })

  it('is one that only deletes a training config', async () => {
    const { repository } = await open({ 'configs/bert.yaml': null }, { base: { 'configs/bert.yaml': wasteful } })
    const run = await action.run({ github, repository, token })
    expect(run).toMatchObject({ exitCode: 0, outputs: { verdict: 'nothing-to-measure' } })
  })

  it('is one whose training configs the input paths leaves out', async () => {
    const { repository } = await open({ 'drafts/bert.yaml': wasteful })
    const run = await action.run({ github, repository, token, inputs: { paths: 'configs/**' } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { verdict: 'nothing-to-measure' } })
  })
})

describe('a pull request from a fork', () => {
  it('is judged by its own head, and goes without a comment where the token may not write', async () => {
    const { repository, pullRequest } = await open({ 'configs/bert.yaml': wasteful }, { fork: true })
    const readOnly = await github.actionsToken({ readOnly: true })
    const run = await action.run({ github, repository, token: readOnly, inputs: { 'fail-on': 'never' } })
    expect(run).toMatchObject({ exitCode: 0, errors: '', outputs: { verdict: 'warning', 'comment-url': '' } })
    expect(run.log).toContain('On a pull request from a fork it is read-only')
    expect(await repository.comments(pullRequest)).toEqual([])
  })
})

describe('without a pull request', () => {
  it('a push or a merge group is judged by what it changes, and there is nowhere to comment', async () => {
    const { repository, pullRequest } = await open(
      { 'configs/new.yaml': wasteful, 'configs/changed.yaml': doesNotFit },
      { base: { 'configs/old.yaml': doesNotFit, 'configs/changed.yaml': wasteful } },
    )
    const before = await repository.branchHead('main')
    const after = pullRequest.headSha
    const push = { name: 'push', payload: { before, after, deleted: false } }
    const group = { name: 'merge_group', payload: { merge_group: { base_sha: before, head_sha: after } } }
    for (const event of [push, group]) {
      const run = await action.run({ github, repository, token, event })
      expect(run).toMatchObject({ exitCode: 1, errors: '', outputs: { configs: '2', 'comment-url': '' } })
      expect(report.parse(run.report).configs.map(({ path }) => path)).toEqual([
        'configs/changed.yaml',
        'configs/new.yaml',
      ])
    }
    expect(await repository.comments(pullRequest)).toEqual([])
  })

  it('a schedule or a dispatch judges every training config at the commit', async () => {
    const { repository, pullRequest } = await open({ 'b.yaml': wasteful }, { base: { 'a.yaml': wasteful } })
    const event = { name: 'workflow_dispatch', payload: {} }
    const run = await action.run({ github, repository, token, event, sha: pullRequest.headSha })
    expect(report.parse(run.report).configs.map(({ path }) => path)).toEqual(['a.yaml', 'b.yaml'])
  })
})

describe('what GitHub refuses', () => {
  it('costs the comment but not the verdict', async () => {
    const { repository } = await open({ 'configs/bert.yaml': wasteful })
    github.failNext({ method: 'POST', path: /comments$/, status: 502, times: 1 })
    const run = await action.run({ github, repository, token, inputs: { 'fail-on': 'never' } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { verdict: 'warning', 'comment-url': '' } })
    expect(run.log).toContain('::warning::The comment could not be written:')
  })

  it('fails the job with what to do when the files cannot be listed', async () => {
    const { repository } = await open({ 'configs/bert.yaml': wasteful })
    github.failNext({ method: 'GET', path: /\/files$/, status: 403, times: 1 })
    const run = await action.run({ github, repository, token })
    expect(run).toMatchObject({ exitCode: 1, report: undefined })
    expect(run.log).toMatch(/::error::GitHub answered 403: .* Check that the job has `contents: read`/)
  })
})

describe('behind a proxy, as self-hosted runners are', () => {
  it('every request goes through it', async () => {
    const { repository } = await open({ 'configs/bert.yaml': wasteful })
    const asked: string[] = []
    const proxy = createServer().on('connect', (request, client: Socket, head: Buffer) => {
      asked.push(request.url ?? '')
      const target = connect(Number(new URL(github.url).port), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n')
        target.write(head)
        target.pipe(client).pipe(target)
      })
      client.on('error', () => target.destroy())
      target.on('error', () => client.destroy())
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    const address = z.object({ port: z.number() }).parse(proxy.address())
    // A name that only the proxy can make anything of.
    const env = { GITHUB_API_URL: 'http://github.invalid', http_proxy: `http://127.0.0.1:${address.port}` }
    const run = await action.run({ github, repository, token, inputs: { 'fail-on': 'never' }, env })
    proxy.close()
    expect(run).toMatchObject({ exitCode: 0, outputs: { verdict: 'warning' } })
    expect(new Set(asked)).toEqual(new Set(['github.invalid:80']))
  })
})

describe('bad input', () => {
  it('is named, with what is allowed, before anything is asked of GitHub', async () => {
    const { repository } = await open({ 'configs/bert.yaml': wasteful })
    const before = github.requests.length
    const run = await action.run({ github, repository, token, inputs: { comment: 'sometimes' } })
    expect(run.exitCode).toBe(1)
    expect(annotations(run.log)).toMatchObject([
      { message: 'input comment: "sometimes" is not one of its values. Use auto, always, never.' },
    ])
    expect(github.requests.length).toBe(before)
  })

  it('in one config blocks by name and leaves the others analysed', async () => {
    const { repository, pullRequest } = await open({
      'broken.yaml': 'per_device_train_batch_size: [16\n',
      'large.yaml': `per_device_train_batch_size: 16\n${'# padding\n'.repeat(500_000)}`,
      'zero.yaml': wasteful.replace('batch_size: 2', 'batch_size: 0'),
      'configs/bert.yaml': wasteful,
    })
    const run = await action.run({ github, repository, token })
    expect(run).toMatchObject({ exitCode: 1, errors: '', outputs: { verdict: 'blocked', configs: '4' } })
    const statuses = report.parse(run.report).configs.map(({ path, status }) => [path, status])
    expect(Object.fromEntries(statuses)).toEqual({
      'broken.yaml': 'not-analysed',
      'large.yaml': 'not-analysed',
      'zero.yaml': 'not-analysed',
      'configs/bert.yaml': 'analysed',
    })
    const [comment] = await repository.comments(pullRequest)
    for (const { path } of report.parse(run.report).configs) expect(comment?.body).toContain(path)
  })

  it('in file names reaches neither the runner nor anyone by mention', async () => {
    const name = 'a,b::error file=c\n::set-output name=verdict::fine\n@acme|`x`.yaml'
    const { repository, pullRequest } = await open({ [name]: wasteful })
    const run = await action.run({ github, repository, token, inputs: { 'fail-on': 'never' } })
    expect(run.errors).toBe('')
    expect(run.outputs.verdict).toBe('warning')
    expect(run.log.split('\n').filter(line => line.startsWith('::'))).toHaveLength(1)
    expect(run.log).toContain('file=a%2Cb%3A%3Aerror file=c%0A%3A%3Aset-output name=verdict%3A%3Afine%0A@acme|`x`.yaml')
    const [comment] = await repository.comments(pullRequest)
    expect(comment?.body).not.toMatch(/^@acme|\n@acme/)
  })
})
