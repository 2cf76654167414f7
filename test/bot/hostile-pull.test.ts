/** What a stranger's files may cost: their own figures, and nothing of anybody else's. */
import { expect, test } from 'vitest'
import { IsolatedEngine } from '../../engine/index.ts'
import { onA10 } from '../on-a10.ts'
import { sharedHostileScript } from '../shared-builds.ts'
import { startBotBesideGitHub } from './bot-beside-github.ts'
import { trainingConfig } from './configs.ts'

const script = await sharedHostileScript()

test('a config that computes without end is told on its check, the others are judged, and the job is done', async () => {
  const engine = new IsolatedEngine({ script, processes: 1, limits: { fileMillis: 1_000 } })
  await using beside = await startBotBesideGitHub({ engine })
  const repository = await beside.github.createRepository('models', { 'README.md': '# Models\n', ...onA10 })
  const pull = await repository.openPullRequest({
    files: { 'configs/a.yaml': `${trainingConfig(2)}# spin\n`, 'configs/b.yaml': trainingConfig(2) },
  })
  await beside.bot.idle()

  const [check] = await repository.checkRuns(pull.headSha)
  expect(check).toMatchObject({ status: 'completed', conclusion: 'failure' })
  const [comment] = await repository.comments(pull)
  expect(comment?.body).toContain('1 of 2 training configs trains slower than it could, 1 could not be analysed')
  expect(comment?.body).toContain('takes longer than the limit of 1 s')
  expect(beside.log()).not.toContain('A job failed')
})

test('the bot answers and stops while an analysis computes without end', async () => {
  const engine = new IsolatedEngine({ script, processes: 1, limits: { fileMillis: 600_000 } })
  const beside = await startBotBesideGitHub({ engine })
  const repository = await beside.github.createRepository('models', { 'README.md': '# Models\n', ...onA10 })
  await repository.openPullRequest({ files: { 'configs/a.yaml': `${trainingConfig(2)}# spin\n` } })
  const reads = () => beside.github.requests.some(({ path }) => path.includes('/graphql'))
  await expect.poll(reads).toBe(true)

  const health = await fetch(beside.bot.healthUrl)
  expect(health.status).toBe(200)
  await engine[Symbol.asyncDispose]()
  await beside[Symbol.asyncDispose]()
})
