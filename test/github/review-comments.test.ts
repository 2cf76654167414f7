import { expect, test } from 'vitest'
import { call, world } from './caller.ts'

const path = 'train.yaml'
const lines = Array.from({ length: 12 }, (_, i) => `key${i + 1}: 1`)
const text = (changed: string) => `${lines.with(5, changed).join('\n')}\n`

/** Line 6 of twelve is changed, so that the diff shows lines 3 to 9. */
async function changedLine() {
  const at = await world()
  await at.repository.pushToBranch('main', { [path]: text('key6: 1') })
  const pullRequest = await at.repository.openPullRequest({ files: { [path]: text('key6: 2') } })
  const token = await at.github.botToken()
  const send = async (kind: 'reviews' | 'comments', body: object) =>
    (await call(at.github, token, 'POST', `/repos/acme/models/pulls/${pullRequest.number}/${kind}`, body)).status
  return { ...at, pullRequest, send, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() }
}

test.each([
  ['a changed line', { line: 6 }, 200],
  ['a line that the diff shows around it', { line: 9 }, 200],
  ['lines up to the changed one', { start_line: 5, line: 6 }, 200],
  ['a line that the diff does not show', { line: 10 }, 422],
  ['lines of which the first is not shown', { start_line: 2, line: 6 }, 422],
  ['a file that is not changed', { path: 'a.yaml', line: 1 }, 422],
])('a suggestion on %s is answered as GitHub would', async (_, place, status) => {
  await using at = await changedLine()
  const comment = { path, side: 'RIGHT', body: '```suggestion\nkey6: 8\n```', ...place }
  const review = { commit_id: at.pullRequest.headSha, event: 'COMMENT', body: 'One click', comments: [comment] }
  expect(await at.send('reviews', review)).toBe(status)
  const kept = await at.repository.reviewComments(at.pullRequest)
  expect(kept).toHaveLength(status === 200 ? 1 : 0)
})

test('a comment on an older commit is taken while the pull request has it', async () => {
  await using at = await changedLine()
  const comment = { path, side: 'RIGHT', line: 6, body: 'x', commit_id: at.pullRequest.headSha }
  await at.repository.pushTo(at.pullRequest, { [path]: text('key6: 3') })
  expect(await at.send('comments', comment)).toBe(201)
  await at.repository.forcePushTo(at.pullRequest, { [path]: text('key6: 4') })
  expect(await at.send('comments', comment)).toBe(422)
})

test('a comment says which App wrote it, and can be taken back', async () => {
  await using at = await changedLine()
  await at.send('comments', { path, side: 'RIGHT', line: 6, body: 'x', commit_id: at.pullRequest.headSha })
  const [kept] = await at.repository.reviewComments(at.pullRequest)
  expect(kept).toMatchObject({ body: 'x', performed_via_github_app: { slug: 'memorymark' } })
  const token = await at.github.botToken()
  await call(at.github, token, 'DELETE', `/repos/acme/models/pulls/comments/${kept?.id}`)
  expect(await at.repository.reviewComments(at.pullRequest)).toEqual([])
})
