import { expect, test } from 'vitest'
import { commentMarker } from '../../../engine/index.ts'
import { faultsOf } from '../../../scripts/chaos/judgement.ts'
import { stories, trainingConfig } from '../../../scripts/chaos/stories.ts'
import { call } from '../../github/caller.ts'
import { startGitHub } from '../../github/index.ts'

const title = 'The training config wastes its GPU'

/** A pull request with a wasteful config, and what stands in for the bot: each check and comment by hand. */
async function told(story = 'a wasteful config') {
  const github = await startGitHub()
  const existing = 'configs/existing.yaml'
  const repository = await github.createRepository('models', { [existing]: trainingConfig(64) })
  const moments = stories[story]?.({ repository, path: 'configs/change.yaml', existing })
  if (moments === undefined) throw new Error(`There is no story "${story}"`)
  let moment = await moments.next()
  while (!moment.done) moment = await moments.next()
  const { pullRequest, ...ending } = moment.value
  const token = await github.botToken()
  const post = (path: string, body: object) => call(github, token, 'POST', `/repos/acme/models/${path}`, body)
  const check = (conclusion: string | undefined, headSha = pullRequest.headSha) =>
    post('check-runs', {
      name: 'MemoryMark',
      head_sha: headSha,
      ...(conclusion === undefined ? { status: 'in_progress' } : { status: 'completed', conclusion }),
      output: { title, summary: 'x' },
    })
  const comment = () => post(`issues/${pullRequest.number}/comments`, { body: `${commentMarker} x` })
  const faults = () => faultsOf({ ...ending, pullRequest, repository, story })
  return { pullRequest, check, comment, faults, [Symbol.asyncDispose]: () => github[Symbol.asyncDispose]() }
}

test('one right check and one comment are as they should be, and so is none', async () => {
  await using at = await told()
  await at.check('failure')
  expect(await at.faults()).toEqual([])
  await at.comment()
  expect(await at.faults()).toEqual([])
})

test('a pull request without a check is told', async () => {
  await using at = await told()
  expect(await at.faults()).toEqual(['no check on the newest commit'])
})

test('a check on an older commit is none', async () => {
  await using at = await told('a good config, pushed over by a wasteful one')
  await at.check('failure', at.pullRequest.formerShas[0])
  expect(await at.faults()).toEqual(['no check on the newest commit'])
})

test('a second check is told, even where both are right', async () => {
  await using at = await told()
  await at.check('failure')
  await at.check('failure')
  expect(await at.faults()).toEqual(['2 checks on the newest commit'])
})

test('a check that says something else than the engine is told', async () => {
  await using at = await told()
  await at.check('success')
  expect(await at.faults()).toEqual(['its check is completed with success, the engine says failure'])
})

test('a check that hangs is told, on the newest commit and on older ones', async () => {
  await using at = await told('a good config, pushed over by a wasteful one')
  await at.check('failure')
  await at.check(undefined, at.pullRequest.formerShas[0])
  expect(await at.faults()).toEqual([`a check on ${at.pullRequest.formerShas[0]?.slice(0, 7)} is in_progress`])
})

test('a second comment is told', async () => {
  await using at = await told()
  await at.check('failure')
  await at.comment()
  await at.comment()
  expect(await at.faults()).toEqual(['2 comments'])
})
