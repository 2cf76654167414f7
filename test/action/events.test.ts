/** What each event is about, from the payload to the report: the real bundle against the emulated GitHub. */
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { report } from '../../engine/index.ts'
import type { Repository } from '../github/index.ts'
import { warnings } from './action-beside-github.ts'
import { BundleOnA10, wasteful } from './bundle-on-a10.ts'
import type { ActionRun, RunOptions } from './run-action.ts'

const beside = await BundleOnA10.start()
const { action, github, token } = beside

afterAll(() => beside[Symbol.asyncDispose]())

const open: BundleOnA10['open'] = (files, opening) => beside.open(files, opening)

function run(repository: Repository, options: Partial<RunOptions> = {}): Promise<ActionRun> {
  return action.run({ github, repository, token, ...options })
}

function paths({ report: written }: ActionRun): string[] {
  return report.parse(written).configs.map(({ path }) => path)
}

function pullRequestHead(payload: object): string {
  const event = z.object({ pull_request: z.object({ head: z.object({ sha: z.string() }) }) }).parse(payload)
  return event.pull_request.head.sha.slice(0, 7)
}

describe('a pull request', () => {
  it('that renames a config is judged against it under its former name', async () => {
    const files = { 'old/bert.yaml': null, 'new/bert.yaml': wasteful }
    const { repository } = await open(files, { base: { 'old/bert.yaml': wasteful } })
    const renamed = await run(repository)
    expect(renamed).toMatchObject({ exitCode: 0, errors: '', outputs: { verdict: 'warning' } })
    expect(paths(renamed)).toEqual(['new/bert.yaml'])
    expect(renamed.summary).toContain('the base branch was no better')
  })

  it('that changes only what a config names is judged by that config, against what it named before', async () => {
    const train = `model_name_or_path: meta-llama/Llama-3.1-8B
dataset_name: wikitext
per_device_train_batch_size: 1
max_seq_length: 512
learning_rate: 1.0e-5
bf16: true
gradient_checkpointing: true
deepspeed: ds.json
`
    const base = {
      'train.yaml': train,
      'ds.json': '{"zero_optimization": {"stage": 3}, "bf16": {"enabled": true}}',
      '.github/memorymark.yml': 'overrides: [{ path: train.yaml, gpus: 8 }]\n',
    }
    const { repository } = await open(
      { 'ds.json': '{"zero_optimization": {"stage": 0}, "bf16": {"enabled": true}}' },
      { base },
    )
    const judged = await run(repository, { inputs: { gpu: 'a100-80gb' } })
    expect(paths(judged)).toEqual(['train.yaml'])
    expect(judged).toMatchObject({ exitCode: 1, outputs: { verdict: 'blocked' } })
    expect(warnings(judged)).toContain('One config is checked because a file that it names has changed.')
  })

  it('whose base branch has moved answers for its own changes only', async () => {
    const { repository } = await open({ 'own.yaml': wasteful })
    await repository.pushToBranch('main', { 'others.yaml': wasteful })
    const judged = await run(repository)
    expect(paths(judged)).toEqual(['own.yaml'])
    expect(warnings(judged)).toEqual([])
  })

  it('of more files than GitHub lists is found in the trees, though its base has moved, and the reader is told', async () => {
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`data/${n}.csv`, '']))
    const { repository } = await open({ ...many, 'zz/bert.yaml': wasteful }, { base: { 'old.yaml': wasteful } })
    await repository.pushToBranch('main', { 'others.yaml': wasteful })
    const judged = await run(repository)
    expect(judged).toMatchObject({ exitCode: 1, errors: '', outputs: { verdict: 'blocked' } })
    expect(paths(judged)).toEqual(['zz/bert.yaml'])
    expect(warnings(judged)).toEqual([
      "GitHub lists only 3000 of the pull request's 3001 changed files, so its tree was compared with its base's tree instead.",
    ])
  })

  it('that has moved on from the commit of the event says so', async () => {
    const { repository, pullRequest } = await open({ 'bert.yaml': wasteful })
    const [event] = github.deliveries.filter(({ body }) => body.includes(pullRequest.headSha))
    await repository.pushTo(pullRequest, { 'later.yaml': wasteful })
    const payload: object = JSON.parse(event?.body ?? '{}')
    const judged = await run(repository, { event: { name: 'pull_request', payload } })
    expect(paths(judged)).toEqual(['bert.yaml'])
    expect(warnings(judged)).toEqual([
      `Of the files that GitHub lists, 1 do not exist at ${pullRequestHead(payload)}: the pull request has moved on, and this result is for an older commit.`,
    ])
  })

  it('of which the event tells only the number is looked up', async () => {
    const { repository, pullRequest } = await open({ 'bert.yaml': wasteful })
    const payload = { pull_request: { number: pullRequest.number } }
    const judged = await run(repository, { event: { name: 'pull_request', payload } })
    expect(judged).toMatchObject({ exitCode: 1, outputs: { verdict: 'blocked' } })
    expect(await repository.comments(pullRequest)).toHaveLength(1)
  })
})

describe('a dispatch from the default branch', () => {
  const dispatch = (number: number, headSha: string) => ({
    name: 'workflow_dispatch',
    payload: { inputs: { 'pull-request': String(number), 'head-sha': headSha } },
  })

  it("looks at a fork's pull request at the commit that was asked for, and comments on it", async () => {
    const { repository, pullRequest } = await open({ 'bert.yaml': wasteful }, { fork: true })
    const { number, headSha } = pullRequest
    const judged = await run(repository, { event: dispatch(number, headSha) })
    expect(judged).toMatchObject({ exitCode: 1, errors: '', outputs: { verdict: 'blocked' } })
    expect(judged.log).toContain(`looks at pull request #${number} at ${headSha.slice(0, 7)}.`)
    expect(paths(judged)).toEqual(['bert.yaml'])
    expect(await repository.comments(pullRequest)).toHaveLength(1)
  })

  it('leaves a commit alone that the pull request has moved on from', async () => {
    const { repository, pullRequest } = await open({ 'bert.yaml': wasteful })
    const old = pullRequest.headSha
    const newer = await repository.pushTo(pullRequest, { 'bert.yaml': `${wasteful}seed: 7\n` })
    const judged = await run(repository, { event: dispatch(pullRequest.number, old) })
    expect(judged).toMatchObject({ exitCode: 0, report: undefined, outputs: { verdict: 'nothing-to-measure' } })
    expect(judged.log).toContain(
      `Pull request #${pullRequest.number} has moved on from ${old.slice(0, 7)} to ${newer.slice(0, 7)}`,
    )
    expect(await repository.comments(pullRequest)).toEqual([])
  })

  it('for a pull request that is not there fails with what to check', async () => {
    const { repository, pullRequest } = await open({ 'bert.yaml': wasteful })
    const judged = await run(repository, { event: dispatch(4_711, pullRequest.headSha) })
    expect(judged.exitCode).toBe(1)
    expect(judged.log).toMatch(/::error::GitHub answered 404/)
  })

  it('without inputs looks at every config of the branch', async () => {
    const { repository } = await open({ 'new.yaml': wasteful }, { base: { 'bert.yaml': wasteful } })
    const sha = await repository.branchHead('main')
    expect(
      paths(await run(repository, { event: { name: 'workflow_dispatch', payload: { inputs: null } }, sha })),
    ).toEqual(['bert.yaml'])
  })
})

describe('a push', () => {
  const push = (before: string, after: string) => ({ name: 'push', payload: { before, after, deleted: false } })

  it('over a commit that is gone looks at every file, and says why', async () => {
    const { repository, pullRequest } = await open({ 'new.yaml': wasteful }, { base: { 'bert.yaml': wasteful } })
    const gone = '1234567'.padEnd(40, '0')
    const judged = await run(repository, { event: push(gone, pullRequest.headSha) })
    expect(judged.errors).toBe('')
    expect(paths(judged)).toEqual(['bert.yaml', 'new.yaml'])
    expect(warnings(judged)[0]).toMatch(/^Commit 1234567, the one to compare with, is gone/)
  })

  it('that only renames a config does not block for what was there before', async () => {
    const files = { 'old.yaml': null, 'new.yaml': wasteful }
    const { repository, pullRequest } = await open(files, { base: { 'old.yaml': wasteful } })
    const judged = await run(repository, { event: push(await repository.branchHead('main'), pullRequest.headSha) })
    expect(judged).toMatchObject({ exitCode: 0, outputs: { verdict: 'warning' } })
  })

  it('to a new branch looks at every file', async () => {
    const { repository, pullRequest } = await open({ 'new.yaml': wasteful }, { base: { 'bert.yaml': wasteful } })
    const judged = await run(repository, { event: push('0'.repeat(40), pullRequest.headSha) })
    expect(paths(judged)).toEqual(['bert.yaml', 'new.yaml'])
  })

  it('that deletes a branch has nothing to look at', async () => {
    const { repository } = await open({ 'new.yaml': wasteful })
    const event = { name: 'push', payload: { before: 'a'.repeat(40), after: '0'.repeat(40), deleted: true } }
    const judged = await run(repository, { event })
    expect(judged).toMatchObject({ exitCode: 0, report: undefined, outputs: { verdict: 'nothing-to-measure' } })
    expect(judged.log).toContain('The branch is deleted: there is nothing to check.')
  })
})

describe('a merge group', () => {
  it('is judged by what it adds to its base, and has nowhere to comment', async () => {
    const { repository, pullRequest } = await open({ 'new.yaml': wasteful }, { base: { 'bert.yaml': wasteful } })
    const group = { base_sha: await repository.branchHead('main'), head_sha: pullRequest.headSha }
    const event = { name: 'merge_group', payload: { action: 'checks_requested', merge_group: group } }
    const judged = await run(repository, { event })
    expect(judged).toMatchObject({ exitCode: 1, outputs: { verdict: 'blocked', 'comment-url': '' } })
    expect(paths(judged)).toEqual(['new.yaml'])
    expect(await repository.comments(pullRequest)).toEqual([])
  })
})

describe('an event that is about no files', () => {
  it('is refused with those that are', async () => {
    const { repository } = await open({ 'bert.yaml': wasteful })
    const judged = await run(repository, { event: { name: 'issues', payload: {} } })
    expect(judged.exitCode).toBe(1)
    expect(judged.log).toContain('Run it on pull_request, merge_group, push, workflow_dispatch or schedule.')
  })
})
