import nock from 'nock'
import { afterEach, describe, expect, it } from 'vitest'
import { type CommentRequest, keepComment } from '../../action/comment.ts'
import { commentMarker, materialOf, renderComment } from '../../engine/index.ts'
import { nockedGitHub, repository, repositoryApi, throughNock } from './nocked-github.ts'
import { noConfigs, unanalysed } from './reports.ts'

const marker = commentMarker
const report = unanalysed('configs/bert.yaml')
const body = renderComment(report, { hiddenNote: `<!-- memorymark:material ${materialOf(report)} -->` })
const page = '/issues/7/comments?per_page=100'

const own = comment(11, { login: 'github-actions[bot]', type: 'Bot' }, `${marker}\nold`)
const byTheApp = comment(12, { login: 'memorymark[bot]', type: 'Bot' }, `${marker}\nthe app's`)
const byAPerson = comment(13, { login: 'mona', type: 'User' }, `${marker}\nforged`)
const byAnotherBot = comment(14, { login: 'github-actions[bot]', type: 'Bot' }, 'coverage: 80 %')

throughNock()
afterEach(() => {
  expect(nock.pendingMocks()).toEqual([])
  nock.cleanAll()
})

function comment(id: number, user: { login: string; type: string }, text: string) {
  return { id, user, body: text, html_url: `https://github.com/acme/models/pull/7#issuecomment-${id}` }
}

/** Who the token is; asked only where someone else's comment holds the marker. */
function viewerIs(login: string) {
  nock('https://api.github.com')
    .post('/graphql')
    .reply(200, { data: { viewer: { login } } })
}

function keep(request: Partial<CommentRequest> = {}) {
  return keepComment(nockedGitHub(), { repository, pullNumber: 7, report, mode: 'auto', ...request })
}

describe('the comment', () => {
  it('is created where there is none, whatever people and other tools have written', async () => {
    viewerIs('github-actions[bot]')
    repositoryApi().get(page).reply(200, [byAPerson, byAnotherBot]).post('/issues/7/comments', { body }).reply(201, own)
    expect(await keep()).toEqual({ kind: 'created', url: own.html_url })
  })

  it("is found again by its author when the token is not the job's own", async () => {
    repositoryApi().get(page).reply(200, [byAPerson]).patch('/issues/comments/13', { body }).reply(200, byAPerson)
    viewerIs('mona')
    expect(await keep()).toEqual({ kind: 'updated', url: byAPerson.html_url })
  })

  it('is updated in place, found on any page', async () => {
    const next = `<https://api.github.com/repos/acme/models${page}&page=2>; rel="next"`
    repositoryApi()
      .get(page)
      .reply(200, [byAPerson], { link: next })
      .get(`${page}&page=2`)
      .reply(200, [own])
      .patch('/issues/comments/11', { body })
      .reply(200, own)
    expect(await keep()).toEqual({ kind: 'updated', url: own.html_url })
  })

  it('is not written again when it says the same', async () => {
    repositoryApi()
      .get(page)
      .reply(200, [{ ...own, body: body?.replaceAll('\n', '\r\n') }])
    expect(await keep()).toEqual({ kind: 'unchanged', url: own.html_url })
  })

  it('is not written again when only digits differ that nobody acts on', async () => {
    repositoryApi()
      .get(page)
      .reply(200, [{ ...own, body: body?.replace('Correct it.', 'Correct it, please.') }])
    expect(await keep()).toEqual({ kind: 'unchanged', url: own.html_url })
  })

  it('tells how files were found, and is written again when only that differs', async () => {
    const remarks = ['GitHub lists only the first 2 files.']
    const told = renderComment(report, {
      remarks,
      hiddenNote: `<!-- memorymark:material ${materialOf(report, remarks)} -->`,
    })
    expect(told).toContain(remarks[0])
    repositoryApi()
      .get(page)
      .reply(200, [{ ...own, body }])
      .patch('/issues/comments/11', { body: told })
      .reply(200, own)
    expect(await keep({ remarks })).toEqual({ kind: 'updated', url: own.html_url })
    repositoryApi()
      .get(page)
      .reply(200, [{ ...own, body: told }])
    expect(await keep({ remarks })).toEqual({ kind: 'unchanged', url: own.html_url })
  })

  it('is left to the app where the app comments', async () => {
    const errors = [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }]
    nock('https://api.github.com').post('/graphql').reply(200, { data: null, errors })
    repositoryApi().get(page).reply(200, [byTheApp])
    expect(await keep()).toEqual({ kind: 'left-to-app', url: byTheApp.html_url })
  })

  it('of an earlier run makes way for that of the app', async () => {
    repositoryApi().get(page).reply(200, [own, byTheApp]).delete('/issues/comments/11').reply(204)
    expect(await keep()).toEqual({ kind: 'left-to-app', url: byTheApp.html_url })
  })

  it('stands beside that of the app when asked always to be there', async () => {
    viewerIs('github-actions[bot]')
    repositoryApi().get(page).reply(200, [byTheApp]).post('/issues/7/comments', { body }).reply(201, own)
    expect(await keep({ mode: 'always' })).toEqual({ kind: 'created', url: own.html_url })
  })

  it('is not begun when there is nothing to measure, but one that stands is brought up to date', async () => {
    repositoryApi().get(page).reply(200, [])
    expect(await keep({ report: noConfigs })).toEqual({ kind: 'nothing-to-say' })
    const withdrawn = `${marker}\nNo training config in this pull request: nothing to measure.`
    repositoryApi().get(page).reply(200, [own]).patch('/issues/comments/11', { body: withdrawn }).reply(200, own)
    expect(await keep({ report: noConfigs })).toEqual({ kind: 'updated', url: own.html_url })
  })

  it('is not permitted with the read-only token of a fork', async () => {
    repositoryApi()
      .get(page)
      .reply(200, [])
      .post('/issues/7/comments')
      .reply(403, { message: 'Resource not accessible by integration' })
    expect(await keep()).toEqual({ kind: 'not-permitted' })
  })

  it.each([
    [403, 'You have exceeded a secondary rate limit'],
    [502, 'Server Error'],
  ])('that GitHub refuses with %i %s has failed, and nothing is thrown', async (status, message) => {
    repositoryApi().get(page).reply(status, { message })
    expect(await keep()).toMatchObject({ kind: 'failed', message: expect.stringContaining(message) })
  })
})
