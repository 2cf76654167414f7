import { expect, test } from 'vitest'
import { contributor, type EmulatedGitHub, owner, startGitHub } from './index.ts'

async function call(github: EmulatedGitHub, token: string, method: string, path: string, body?: unknown) {
  const response = await fetch(github.url + path, {
    method,
    headers: { authorization: `token ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, link: response.headers.get('link'), text: await response.text() }
}

async function world() {
  const github = await startGitHub()
  const repository = await github.createRepository('models', { 'a.yaml': 'a: 1\n', 'b.yaml': 'b: 1\n' })
  return { github, repository, [Symbol.asyncDispose]: () => github[Symbol.asyncDispose]() }
}

const annotation = { path: 'a.yaml', start_line: 1, end_line: 1, annotation_level: 'warning', message: 'm' }
const checkOf = (headSha: string, output: object) => ({ name: 'x', head_sha: headSha, output })

test('50 annotations a request are taken, further requests append, 51 are refused', async () => {
  await using at = await world()
  const token = await at.github.actionsToken()
  const headSha = await at.repository.branchHead('main')
  const output = { title: 't', summary: 's', annotations: Array.from({ length: 50 }, () => annotation) }
  const created = await call(at.github, token, 'POST', '/repos/acme/models/check-runs', checkOf(headSha, output))
  expect(created.status).toBe(201)
  const { id } = JSON.parse(created.text) as { id: number }
  await call(at.github, token, 'PATCH', `/repos/acme/models/check-runs/${id}`, { output })
  expect(at.repository.annotations(id)).toHaveLength(100)

  const tooMany = { ...output, annotations: [...output.annotations, annotation] }
  const refused = await call(at.github, token, 'POST', '/repos/acme/models/check-runs', checkOf(headSha, tooMany))
  expect(refused.status).toBe(422)
})

test.each([
  ['summary', { title: 't', summary: 's'.repeat(65_536) }],
  ['text', { title: 't', summary: 's', text: 's'.repeat(65_536) }],
])('a check’s %s of 65,536 characters is refused', async (_, output) => {
  await using at = await world()
  const token = await at.github.actionsToken()
  const headSha = await at.repository.branchHead('main')
  const answer = await call(at.github, token, 'POST', '/repos/acme/models/check-runs', checkOf(headSha, output))
  expect(answer.status).toBe(422)
})

test('only Apps write checks', async () => {
  await using at = await world()
  const output = { title: 't', summary: 's' }
  const headSha = await at.repository.branchHead('main')
  const answer = await call(at.github, owner.token, 'POST', '/repos/acme/models/check-runs', checkOf(headSha, output))
  expect(answer.status).toBe(403)
})

test('a comment of 65,536 characters is taken and says which App wrote it; one more is refused', async () => {
  await using at = await world()
  const token = await at.github.actionsToken()
  const { number } = await at.repository.openPullRequest({ files: { 'a.yaml': 'a: 2\n' } })
  const path = `/repos/acme/models/issues/${number}/comments`
  const taken = await call(at.github, token, 'POST', path, { body: 'x'.repeat(65_536) })
  expect(JSON.parse(taken.text)).toMatchObject({
    user: { login: 'github-actions[bot]', type: 'Bot' },
    performed_via_github_app: { slug: 'github-actions' },
  })
  expect((await call(at.github, token, 'POST', path, { body: 'x'.repeat(65_537) })).status).toBe(422)
})

test('a read-only token, as a fork’s run has, may not comment', async () => {
  await using at = await world()
  const token = await at.github.actionsToken({ readOnly: true })
  const { number } = await at.repository.openPullRequest({ files: { 'a.yaml': 'a: 2\n' } })
  const answer = await call(at.github, token, 'POST', `/repos/acme/models/issues/${number}/comments`, { body: 'x' })
  expect(answer.status).toBe(403)
})

test('the files of a pull request are listed in pages, with renames and deletions', async () => {
  await using at = await world()
  const files = { 'a.yaml': null, 'moved/a.yaml': 'a: 1\n', 'b.yaml': null, 'c.yaml': 'c: 1\n' }
  const pullRequest = await at.repository.openPullRequest({ files })
  const path = `/repos/acme/models/pulls/${pullRequest.number}/files?per_page=2`
  const first = await call(at.github, owner.token, 'GET', path)
  expect(JSON.parse(first.text)).toMatchObject([
    { filename: 'b.yaml', status: 'removed' },
    { filename: 'c.yaml', status: 'added' },
  ])
  expect(first.link).toBe(`<${at.github.url}${path}&page=2>; rel="next"`)
  const second = await call(at.github, owner.token, 'GET', `${path}&page=2`)
  expect(JSON.parse(second.text)).toMatchObject([
    { filename: 'moved/a.yaml', status: 'renamed', previous_filename: 'a.yaml' },
  ])
  expect(second.link).toBeNull()
})

test('a fork’s head can be read through the base repository, and its runs name no pull request', async () => {
  await using at = await world()
  const pullRequest = await at.repository.openPullRequest({ fork: true, files: { 'a.yaml': 'a: 2\n' } })
  const headSha = await at.repository.pushTo(pullRequest, { 'a.yaml': 'a: 3\n' })
  const answer = await call(at.github, owner.token, 'GET', `/repos/acme/models/contents/a.yaml?ref=${headSha}`)
  const { content } = JSON.parse(answer.text) as { content: string }
  expect(Buffer.from(content, 'base64').toString()).toBe('a: 3\n')
  expect(await at.repository.pullRequest(pullRequest)).toMatchObject({
    head: { sha: headSha, repo: { full_name: `${contributor.login}/models` } },
    changed_files: 1,
  })
  const run = await at.repository.finishWorkflowRun(pullRequest, { headSha })
  expect(run.pull_requests).toEqual([])
})

test('an artifact is handed out behind a redirect', async () => {
  await using at = await world()
  const pullRequest = await at.repository.openPullRequest({ files: { 'a.yaml': 'a: 2\n' } })
  const artifact = Buffer.from('zipped')
  const run = await at.repository.finishWorkflowRun(pullRequest, { headSha: pullRequest.headSha, artifact })
  const token = await at.github.actionsToken()
  const listed = await call(at.github, token, 'GET', `/repos/acme/models/actions/runs/${run.id}/artifacts`)
  const { artifacts } = JSON.parse(listed.text) as {
    artifacts: { archive_download_url: string; size_in_bytes: number }[]
  }
  expect(artifacts[0]?.size_in_bytes).toBe(6)
  const redirect = await fetch(artifacts[0]?.archive_download_url ?? '', {
    headers: { authorization: `token ${token}` },
    redirect: 'manual',
  })
  expect(redirect.status).toBe(302)
  expect(await (await fetch(redirect.headers.get('location') ?? '')).text()).toBe('zipped')
})
