/** Bad input, and a GitHub that refuses or is behind a proxy: what the real bundle makes of it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { report } from '../../engine/index.ts'
import { annotations, BundleOnA10, wasteful } from './bundle-on-a10.ts'

const beside = await BundleOnA10.start()
const { action, github, token } = beside

afterAll(() => beside[Symbol.asyncDispose]())

const open: BundleOnA10['open'] = (files, opening) => beside.open(files, opening)

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
