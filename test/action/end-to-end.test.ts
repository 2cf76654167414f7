/** The real bundle against the emulated GitHub. What the figures are is the engine's matter; here they only have to arrive. */
import { afterAll, describe, expect, it } from 'vitest'
import { commentMarker, report } from '../../engine/index.ts'
import { annotations, BundleOnA10, doesNotFit, wasteful } from './bundle-on-a10.ts'

const beside = await BundleOnA10.start()
const { action, github, token } = beside

afterAll(() => beside[Symbol.asyncDispose]())

const open: BundleOnA10['open'] = (files, opening) => beside.open(files, opening)

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
