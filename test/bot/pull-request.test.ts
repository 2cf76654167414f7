import { describe, expect, test } from 'vitest'
import type { Analyze } from '../../bot/github.ts'
import { type EmulatedGitHub, memoryMarkApp } from '../github/index.ts'
import { startBotBesideGitHub } from './bot-beside-github.ts'
import { judgeByMicroBatch, trainingConfig } from './configs.ts'

const base = { 'configs/bert.yaml': trainingConfig(64), 'README.md': '# Models\n' }

async function world(analyze: Analyze = judgeByMicroBatch) {
  const beside = await startBotBesideGitHub({ analyze })
  const repository = await beside.github.createRepository('models', base)
  return { ...beside, repository, [Symbol.asyncDispose]: () => beside[Symbol.asyncDispose]() }
}

describe('a pull request that changes a training config', () => {
  test('gets a verdict in its check, and one comment, by two writes', async () => {
    await using beside = await world()
    const { repository, github, bot } = beside
    const pullRequest = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
    await bot.idle()

    expect(writesOf(github)).toEqual(['POST check-runs', 'POST comments'])
    const checks = await repository.checkRuns(pullRequest.headSha)
    expect(checks.map(({ name, status, conclusion }) => ({ name, status, conclusion }))).toEqual([
      { name: 'MemoryMark', status: 'completed', conclusion: 'failure' },
    ])
    expect(checks[0]?.app?.id).toBe(memoryMarkApp.id)
    const comments = await repository.comments(pullRequest)
    expect(comments).toHaveLength(1)
    expect(comments[0]?.body).toContain('configs/bert.yaml')
  })

  test('keeps its one comment over pushes, and each commit has a check of its own', async () => {
    await using beside = await world()
    const { repository, bot } = beside
    const pullRequest = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
    await bot.idle()
    const [first] = await repository.comments(pullRequest)
    await repository.pushTo(pullRequest, { 'configs/bert.yaml': trainingConfig(128) })
    await bot.idle()

    const comments = await repository.comments(pullRequest)
    expect(comments.map(({ id }) => id)).toEqual([first?.id])
    expect(comments[0]?.body).not.toBe(first?.body)
    const [check] = await repository.checkRuns(pullRequest.headSha)
    expect(check).toMatchObject({ status: 'completed', conclusion: 'success' })
  })

  test('is left alone when a push does not change what there is to say', async () => {
    await using beside = await world()
    const { repository, bot, github } = beside
    const pullRequest = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
    await bot.idle()
    await repository.pushTo(pullRequest, { 'README.md': '# Our models\n' })
    await bot.idle()

    const writes = github.requests.filter(({ method, path }) => method !== 'GET' && /\/issues\/.*comments/.test(path))
    expect(writes.map(({ method }) => method)).toEqual(['POST'])
  })

  test('or only a file that one names, is judged by that config', async () => {
    await using beside = await world()
    const { github, bot } = beside
    const repository = await github.createRepository('named', {
      'configs/bert.yaml': `${trainingConfig(16)}learning_rate: 1.0e-5\ndeepspeed: configs/ds.json\n`,
      'configs/other.yaml': trainingConfig(16),
      'configs/ds.json': '{"zero_optimization": {"stage": 3}}',
    })
    const pullRequest = await repository.openPullRequest({
      files: { 'configs/ds.json': '{"zero_optimization": {"stage": 2}}' },
    })
    await bot.idle()

    expect(await repository.checkRuns(pullRequest.headSha)).toMatchObject([{ conclusion: 'failure' }])
    const [comment] = await repository.comments(pullRequest)
    expect(comment?.body).toContain('configs/bert.yaml')
    expect(comment?.body).toContain('One config is checked because a file that it names has changed.')
    expect(comment?.body).not.toContain('configs/other.yaml')
  })

  test('from a fork is read through the base repository', async () => {
    await using beside = await world()
    const { repository, bot } = beside
    const pullRequest = await repository.openPullRequest({
      fork: true,
      files: { 'configs/bert.yaml': trainingConfig(16) },
    })
    await bot.idle()

    expect((await repository.checkRuns(pullRequest.headSha)).at(0)?.conclusion).toBe('failure')
    expect(await repository.comments(pullRequest)).toHaveLength(1)
  })

  test('finds its comment behind a hundred others, and takes nobody else’s for its own', async () => {
    await using beside = await world()
    const { repository, bot } = beside
    const pullRequest = await repository.openPullRequest({ files: { 'README.md': '# Other\n' } })
    for (let i = 0; i < 100; i++) await repository.comment(pullRequest, `<!-- memorymark:report --> ${i}`)
    await repository.pushTo(pullRequest, { 'configs/bert.yaml': trainingConfig(16) })
    await bot.idle()
    await repository.pushTo(pullRequest, { 'configs/bert.yaml': trainingConfig(128) })
    await bot.idle()

    const writes = beside.github.requests.filter(
      ({ method, path, app }) => method !== 'GET' && path.includes('comments') && app === memoryMarkApp.slug,
    )
    expect(writes.map(({ method }) => method)).toEqual(['POST', 'PATCH'])
  })

  test('loses its verdict in words when the last config goes', async () => {
    await using beside = await world()
    const { repository, bot } = beside
    const pullRequest = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
    await bot.idle()
    await repository.pushTo(pullRequest, { 'configs/bert.yaml': trainingConfig(64) })
    await bot.idle()

    const [comment] = await repository.comments(pullRequest)
    expect(comment?.body).toContain('No training config in this pull request: nothing to measure.')
    expect((await repository.checkRuns(pullRequest.headSha)).at(0)?.conclusion).toBe('success')
  })
})

describe('a pull request without a training config', () => {
  test.each([
    ['changes a text file', { 'README.md': '# Other\n' }],
    ['deletes a config', { 'configs/bert.yaml': null }],
    ['changes a YAML file that is no training config', { 'compose.yaml': 'services: {}\n' }],
  ])('%s: the check is green and nothing is said', async (_, files) => {
    await using beside = await world()
    const { repository, bot } = beside
    const pullRequest = await repository.openPullRequest({ files })
    await bot.idle()

    const [check] = await repository.checkRuns(pullRequest.headSha)
    expect(check).toMatchObject({ status: 'completed', conclusion: 'success' })
    expect(check?.output.title).toContain('nothing to measure')
    expect(await repository.comments(pullRequest)).toEqual([])
  })
})

describe('what is analysed', () => {
  test('is the new name of a renamed config', async () => {
    const seen: string[] = []
    await using beside = await world(async files => {
      seen.push(...files.map(({ path }) => path))
      return judgeByMicroBatch(files)
    })
    await beside.repository.openPullRequest({
      files: { 'configs/bert.yaml': null, 'configs/mnli.yaml': trainingConfig(64) },
    })
    await beside.bot.idle()

    expect(seen).toEqual(['configs/mnli.yaml'])
  })

  test('is a file above 500 kB too, which is told to be too large', async () => {
    await using beside = await startBotBesideGitHub()
    const repository = await beside.github.createRepository('models', base)
    const big = `${trainingConfig(16)}# ${'x'.repeat(2 ** 20)}\n`
    const pullRequest = await repository.openPullRequest({ files: { 'configs/big.yaml': big } })
    await beside.bot.idle()

    const [check] = await repository.checkRuns(pullRequest.headSha)
    expect(JSON.stringify(check?.output)).toContain('training configs are read up to 500 kB')
  })

  test('is found behind the 3,000 files that GitHub lists', async () => {
    await using beside = await world()
    const others = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`data/${i}.txt`, '']))
    const files = { ...others, 'train/bert.yaml': trainingConfig(16) }
    const pullRequest = await beside.repository.openPullRequest({ files })
    await beside.bot.idle()

    expect((await beside.repository.checkRuns(pullRequest.headSha)).at(0)?.conclusion).toBe('failure')
  })
})

describe('a pull request is analysed again', () => {
  test('when its base changes, and then held against the new base', async () => {
    const bases: (string | undefined)[] = []
    const analyze: Analyze = async (files, { base: before }) => {
      bases.push(await before('configs/gpt2.yaml'))
      return judgeByMicroBatch(files)
    }
    await using beside = await startBotBesideGitHub({ analyze })
    const repository = await beside.github.createRepository('models', base)
    await repository.createBranch('release', { 'configs/gpt2.yaml': trainingConfig(8) })
    const pullRequest = await repository.openPullRequest({ files: { 'configs/gpt2.yaml': trainingConfig(16) } })
    await beside.bot.idle()
    await repository.retarget(pullRequest, 'release')
    await beside.bot.idle()

    // On its start the bot also looks for what it missed, so the first base may have been read twice.
    expect([bases[0], bases.at(-1)]).toEqual([undefined, trainingConfig(8)])
  })

  test('when someone asks for the check to be re-run', async () => {
    await using beside = await world()
    const { repository, bot, github } = beside
    const pullRequest = await repository.openPullRequest({
      files: { 'configs/bert.yaml': `${trainingConfig(64)}# Tuned\n` },
    })
    await bot.idle()
    const [check] = await repository.checkRuns(pullRequest.headSha)
    if (check === undefined) throw new Error('The pull request has no check')
    await repository.rerequestCheckRun(check)
    await bot.idle()
    await repository.rerequestCheckSuite(pullRequest.headSha)
    await bot.idle()

    const checks = await repository.checkRuns(pullRequest.headSha)
    expect(checks.map(({ status, conclusion }) => [status, conclusion])).toEqual([
      ['completed', 'success'],
      ['completed', 'success'],
      ['completed', 'success'],
    ])
    expect(writesOf(github)).toEqual(['POST check-runs', 'POST comments', 'POST check-runs', 'POST check-runs'])
  })

  test('not when it is reopened with nothing new', async () => {
    await using beside = await world()
    const { repository, bot, github } = beside
    const pullRequest = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
    await bot.idle()
    const before = github.requests.filter(({ method, app }) => method !== 'GET' && app === memoryMarkApp.slug).length
    await repository.close(pullRequest)
    await repository.reopen(pullRequest)
    await bot.idle()

    const after = github.requests.filter(({ method, app }) => method !== 'GET' && app === memoryMarkApp.slug).length
    expect(after).toBe(before)
  })
})

describe('when something goes wrong', () => {
  test('an error of the analysis ends the check in words, without its text', async () => {
    await using beside = await world(async () => {
      throw new Error('secret detail')
    })
    const pullRequest = await beside.repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
    await beside.bot.idle()

    const [check] = await beside.repository.checkRuns(pullRequest.headSha)
    expect(check).toMatchObject({ status: 'completed', conclusion: 'failure' })
    expect(check?.output.title).toBe('MemoryMark could not finish')
    expect(check?.output.summary).toContain('Re-run this check to try again.')
    expect(check?.output.summary).not.toContain('secret detail')
    expect(beside.log()).toContain('secret detail')
  })

  test('an error of GitHub’s while the configs are read ends the check too', async () => {
    await using beside = await world()
    beside.github.failNext({ method: 'GET', path: /\/contents\//, status: 502, times: 1 })
    const pullRequest = await beside.repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
    await beside.bot.idle()

    expect((await beside.repository.checkRuns(pullRequest.headSha)).at(0)).toMatchObject({
      status: 'completed',
      conclusion: 'failure',
    })
  })

  test('before there was a check, the same delivery may come again and is worked on', async () => {
    await using beside = await world()
    const { repository, bot, github } = beside
    github.failNext({ method: 'POST', path: /\/check-runs$/, status: 502, times: 1 })
    const pullRequest = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
    await bot.idle()
    const [delivery] = github.deliveries
    if (delivery === undefined) throw new Error('No webhook was sent')
    await github.redeliver(delivery)
    await bot.idle()

    expect((await repository.checkRuns(pullRequest.headSha)).at(0)?.conclusion).toBe('failure')
    expect(await repository.comments(pullRequest)).toHaveLength(1)
  })
})

test('of 120 findings 50 are annotations, and an early check, its verdict and the comment are three writes', async () => {
  await using beside = await world()
  const { repository, bot, github } = beside
  const files = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`configs/${i}.yaml`, trainingConfig(16)]))
  const pullRequest = await repository.openPullRequest({ files })
  await bot.idle()

  const [check] = await repository.checkRuns(pullRequest.headSha)
  expect(check).toMatchObject({ status: 'completed', conclusion: 'failure', output: { annotations_count: 50 } })
  expect(writesOf(github)).toEqual(['POST check-runs', 'PATCH check-runs', 'POST comments'])
})

test('a push while an older commit is analysed: the comment is about the newer one only', async () => {
  const release = Promise.withResolvers<void>()
  let analyses = 0
  await using beside = await world(async files => {
    analyses += 1
    if (analyses === 1) await release.promise
    return judgeByMicroBatch(files)
  })
  const { repository, bot, github } = beside
  const pullRequest = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
  const older = pullRequest.headSha
  await repository.pushTo(pullRequest, { 'configs/bert.yaml': trainingConfig(128) })
  release.resolve()
  await bot.idle()

  expect((await repository.checkRuns(older)).every(({ status }) => status === 'completed')).toBe(true)
  expect((await repository.checkRuns(pullRequest.headSha)).at(0)?.conclusion).toBe('success')
  const writes = github.requests.filter(({ method, path }) => method !== 'GET' && /\/issues\/.*comments/.test(path))
  expect(writes.map(({ method }) => method)).toEqual(['POST'])
})

/** What the bot wrote, in order. */
function writesOf(github: EmulatedGitHub): string[] {
  return github.requests
    .filter(({ method, path, app }) => method !== 'GET' && app === memoryMarkApp.slug && path.startsWith('/repos/'))
    .map(({ method, path }) => `${method} ${/check-runs|comments/.exec(path)?.[0] ?? path}`)
}
