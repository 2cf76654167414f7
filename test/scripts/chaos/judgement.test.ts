import { expect, test } from 'vitest'
import { defaultGpu } from '../../../engine/gpus/catalogue.ts'
import { analyze, commentMarker, renderCheck, renderComment } from '../../../engine/index.ts'
import { faultsOf } from '../../../scripts/chaos/judgement.ts'
import { stories } from '../../../scripts/chaos/stories.ts'
import { trainingConfig } from '../../bot/configs.ts'
import { call } from '../../github/caller.ts'
import { startGitHub } from '../../github/index.ts'

const path = 'configs/change.yaml'
const report = await analyze([{ path, text: trainingConfig(2) }], { now: new Date(0), gpu: defaultGpu })
const { title, summary } = renderCheck(report)
const verdict = renderComment(report) ?? ''

/** A pull request with a wasteful config, and what stands in for the bot: each check and comment by hand. */
async function told(story = 'a wasteful config') {
  const github = await startGitHub()
  const existing = 'configs/existing.yaml'
  const repository = await github.createRepository('models', { [existing]: trainingConfig(64) })
  const moments = stories[story]?.({ repository, path, existing })
  if (moments === undefined) throw new Error(`There is no story "${story}"`)
  let moment = await moments.next()
  while (!moment.done) moment = await moments.next()
  const { pullRequest, ...ending } = moment.value
  const token = await github.botToken()
  const post = (to: string, body: object) => call(github, token, 'POST', `/repos/acme/models/${to}`, body)
  const check = (conclusion: string | undefined, headSha = pullRequest.headSha) =>
    post('check-runs', {
      name: 'MemoryMark',
      head_sha: headSha,
      ...(conclusion === undefined ? { status: 'in_progress' } : { status: 'completed', conclusion }),
      output: { title, summary },
    })
  const comment = (body = verdict) => post(`issues/${pullRequest.number}/comments`, { body })
  const faults = () => faultsOf({ ...ending, pullRequest, repository, story })
  const dispose = () => github[Symbol.asyncDispose]()
  return { pullRequest, group: ending.group, check, comment, faults, [Symbol.asyncDispose]: dispose }
}

test('one right check and one comment with its verdict are as they should be', async () => {
  await using at = await told()
  await at.check('failure')
  await at.comment()
  expect(await at.faults()).toEqual([])
})

test('a pull request that nobody has looked at is told', async () => {
  await using at = await told()
  expect(await at.faults()).toEqual(['no check on the newest commit', 'no comment'])
})

test('a check on an older commit is none', async () => {
  await using at = await told('a good config, pushed over by a wasteful one')
  await at.check('failure', at.pullRequest.formerShas[0])
  await at.comment()
  expect(await at.faults()).toEqual(['no check on the newest commit'])
})

test('a second check is told, even where both are right', async () => {
  await using at = await told()
  await at.check('failure')
  await at.check('failure')
  await at.comment()
  expect(await at.faults()).toEqual(['2 checks on the newest commit'])
})

test('a check that says something else than the engine is told', async () => {
  await using at = await told()
  await at.check('success')
  await at.comment()
  expect(await at.faults()).toEqual(['its check is completed with success, the engine says failure'])
})

test('a check that hangs is told, on older commits too', async () => {
  await using at = await told('a good config, pushed over by a wasteful one')
  await at.check('failure')
  await at.check(undefined, at.pullRequest.formerShas[0])
  await at.comment()
  expect(await at.faults()).toEqual([`a check on ${at.pullRequest.formerShas[0]?.slice(0, 7)} is in_progress`])
})

test('a second comment is told', async () => {
  await using at = await told()
  await at.check('failure')
  await at.comment()
  await at.comment()
  expect(await at.faults()).toEqual(['2 comments'])
})

test('a comment with the verdict of an older commit is told', async () => {
  await using at = await told()
  await at.check('failure')
  await at.comment(`${commentMarker}\n\n### All is well`)
  expect(await at.faults()).toEqual([
    `its comment says "### All is well", the engine "${verdict.split('\n').find(line => line.startsWith('#'))}"`,
  ])
})

test.each([0, 2])('a command that is answered %i times is told', async answers => {
  await using at = await told('a command')
  await at.check('failure')
  await at.comment()
  for (let answer = 0; answer < answers; answer += 1) await at.comment('Commands: …')
  expect(await at.faults()).toEqual([`${answers} answers to 1 commands`])
})

test('a merge queue without its check is told', async () => {
  await using at = await told('in a merge queue')
  const faults = await at.faults()
  expect(faults).toContain('0 checks on the commit of the merge queue')
  await at.check('success', at.group?.head_sha)
  expect(await at.faults()).toEqual(faults.filter(fault => !fault.includes('merge queue')))
})
