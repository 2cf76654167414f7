import { describe, expect, test } from 'vitest'
import { call, world } from './caller.ts'
import { contributor, maintainer, memoryMarkApp, otherOwner, owner, startGitHub } from './index.ts'

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

test('an artifact’s storage takes no token, and an expired artifact is gone', async () => {
  await using at = await world()
  const pullRequest = await at.repository.openPullRequest({ files: { 'a.yaml': 'a: 2\n' } })
  const { headSha } = pullRequest
  const artifact = Buffer.from('zipped')
  const run = await at.repository.finishWorkflowRun(pullRequest, { headSha, artifact, expired: true })
  const token = await at.github.botToken()
  const { text } = await call(at.github, token, 'GET', `/repos/acme/models/actions/runs/${run.id}/artifacts`)
  const [listed] = (JSON.parse(text) as { artifacts: { id: number; expired: boolean }[] }).artifacts
  expect(listed?.expired).toBe(true)
  const zip = await call(at.github, token, 'GET', `/repos/acme/models/actions/artifacts/${listed?.id}/zip`)
  expect(zip.status).toBe(410)
  expect((await call(at.github, token, 'GET', `/artifact-storage/${listed?.id}`)).status).toBe(403)
})

describe('checks', () => {
  test('are refused on a commit that does not exist', async () => {
    await using at = await world()
    const token = await at.github.botToken()
    const answer = await call(at.github, token, 'POST', '/repos/acme/models/check-runs', {
      name: 'x',
      head_sha: 'f'.repeat(40),
    })
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
      422,
      { message: `No commit found for SHA: ${'f'.repeat(40)}` },
    ])
  })

  test('are changed only by the App that made them', async () => {
    await using at = await world()
    const headSha = await at.repository.branchHead('main')
    const created = await call(
      at.github,
      await at.github.actionsToken(),
      'POST',
      '/repos/acme/models/check-runs',
      checkOf(headSha, { title: 't', summary: 's' }),
    )
    const { id } = JSON.parse(created.text) as { id: number }
    const answer = await call(at.github, await at.github.botToken(), 'PATCH', `/repos/acme/models/check-runs/${id}`, {
      status: 'completed',
      conclusion: 'success',
    })
    expect(answer.status).toBe(403)
  })

  test.each([
    ['three buttons with short words are taken', 3, 'Re-run', 201],
    ['a fourth button is refused', 4, 'Re-run', 422],
    ['a label of 21 characters is refused', 1, 'x'.repeat(21), 422],
  ])('%s', async (_, count, label, status) => {
    await using at = await world()
    const action = { label, description: 'Again', identifier: 'again' }
    const answer = await call(at.github, await at.github.botToken(), 'POST', '/repos/acme/models/check-runs', {
      name: 'x',
      head_sha: await at.repository.branchHead('main'),
      actions: Array.from({ length: count }, () => action),
    })
    expect(answer.status).toBe(status)
  })
})

describe('permissions', () => {
  test('a call that was not granted is refused with what it needs', async () => {
    await using at = await world({ granted: { permissions: { metadata: 'read', contents: 'read' } } })
    const token = await at.github.botToken()
    const read = await call(at.github, token, 'GET', '/repos/acme/models/contents/a.yaml')
    const written = await call(at.github, token, 'POST', '/repos/acme/models/issues', { title: 'Weekly' })
    expect(read.status).toBe(200)
    expect([written.status, JSON.parse(written.text)]).toMatchObject([
      403,
      { message: 'Resource not accessible by integration' },
    ])
    expect(written.headers.get('x-accepted-github-permissions')).toBe('issues=write')
  })

  test('a query for files needs leave to read contents, and to be in that account', async () => {
    await using at = await world({ granted: { permissions: { metadata: 'read' } } })
    const asked = await filesAt(at, await at.github.botToken())
    expect(asked).toMatchObject({ errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }] })
    expect(await filesAt(at, await at.github.botToken(otherOwner))).toMatchObject({ errors: [{ type: 'NOT_FOUND' }] })
  })

  test('a call that nobody has looked up is refused by name', async () => {
    await using at = await world()
    const answer = await call(at.github, await at.github.botToken(), 'DELETE', '/repos/acme/models')
    expect([answer.status, answer.text]).toEqual([
      404,
      expect.stringContaining('test/github/permissions.ts does not list DELETE /repos/acme/models'),
    ])
  })

  test('an installation does not reach into another account', async () => {
    await using at = await world()
    const token = await at.github.botToken(otherOwner)
    const answer = await call(at.github, token, 'POST', '/repos/acme/models/issues', { title: 'x' })
    expect(answer.status).toBe(403)
  })

  test.each([
    [owner.login, 'admin', 'admin'],
    [maintainer.login, 'write', 'write'],
    [contributor.login, 'read', 'read'],
  ])('%s has the permission %s', async (login, permission, role) => {
    await using at = await world()
    const path = `/repos/acme/models/collaborators/${login}/permission`
    const answer = await call(at.github, await at.github.botToken(), 'GET', path)
    expect(JSON.parse(answer.text)).toMatchObject({ permission, role_name: role, user: { login } })
  })

  test('events that were not subscribed to are not sent', async () => {
    await using at = await world({ granted: { events: ['pull_request'] } })
    const pullRequest = await at.repository.openPullRequest({ files: { 'a.yaml': 'a: 2\n' } })
    await at.repository.comment(pullRequest, '/memorymark help')
    expect(at.github.deliveries.map(({ event }) => event)).toEqual(['pull_request'])
  })
})

describe('comments and issues', () => {
  test('a comment of a person and one of the App are both told to the App', async () => {
    await using at = await world()
    const pullRequest = await at.repository.openPullRequest({ files: { 'a.yaml': 'a: 2\n' } })
    await at.repository.comment(pullRequest, 'hello', contributor)
    const path = `/repos/acme/models/issues/${pullRequest.number}/comments`
    await call(at.github, await at.github.botToken(), 'POST', path, { body: 'hello back' })
    await at.github.settled()
    const told = at.github.deliveries.filter(({ event }) => event === 'issue_comment')
    expect(told.map(({ body }) => JSON.parse(body))).toMatchObject([
      { action: 'created', sender: { login: 'mona', type: 'User' }, issue: { pull_request: {} } },
      { action: 'created', sender: { login: 'memorymark[bot]', type: 'Bot' }, installation: { id: 100 } },
    ])
  })

  test('a reaction is made once, and only a known one', async () => {
    await using at = await world()
    const pullRequest = await at.repository.openPullRequest({ files: { 'a.yaml': 'a: 2\n' } })
    const comment = await at.repository.comment(pullRequest, '/memorymark help')
    const token = await at.github.botToken()
    const path = `/repos/acme/models/issues/comments/${comment.id}/reactions`
    const statuses = []
    for (const content of ['eyes', 'eyes', 'applause']) {
      statuses.push((await call(at.github, token, 'POST', path, { content })).status)
    }
    expect(statuses).toEqual([201, 200, 422])
    expect(await at.repository.reactions(comment)).toMatchObject([{ content: 'eyes' }])
  })

  test('an issue is found by its author, and there is none where issues are off', async () => {
    await using at = await world()
    const token = await at.github.botToken()
    await call(at.github, token, 'POST', '/repos/acme/models/issues', { title: 'Weekly', body: 'x' })
    const path = '/repos/acme/models/issues?creator=memorymark%5Bbot%5D&state=all'
    expect(JSON.parse((await call(at.github, token, 'GET', path)).text)).toMatchObject([
      { title: 'Weekly', performed_via_github_app: { slug: memoryMarkApp.slug } },
    ])
    await at.repository.turnIssuesOff()
    expect((await call(at.github, token, 'POST', '/repos/acme/models/issues', { title: 'x' })).status).toBe(410)
  })
})

const fileQuery = `query ($owner: String!, $name: String!, $oid: GitObjectID!, $path: String!) {
  repository(owner: $owner, name: $name) {
    object(oid: $oid) { ... on Commit { file(path: $path) { type object { ... on Blob { text byteSize } } } } }
  }
}`

async function filesAt(at: Awaited<ReturnType<typeof world>>, token: string, query = fileQuery, path = 'a.yaml') {
  const oid = await at.repository.branchHead('main')
  const variables = { owner: 'acme', name: 'models', oid, path }
  return JSON.parse((await call(at.github, token, 'POST', '/graphql', { query, variables })).text)
}

describe('queries', () => {
  test('answer what a file is and holds, and null where there is none', async () => {
    await using at = await world()
    const token = await at.github.botToken()
    const file = { type: 'blob', object: { text: 'a: 1\n', byteSize: 5 } }
    expect(await filesAt(at, token)).toEqual({ data: { repository: { object: { file } } } })
    expect(await filesAt(at, token, fileQuery, 'c.yaml')).toEqual({ data: { repository: { object: { file: null } } } })
  })

  test.each([
    ['a field that MemoryMark does not use', 'type', 'extension', 'Cannot query field "extension"'],
    ['another type of a variable', '$path: String!', '$path: Int!', 'Variable "$path"'],
    ['no query at all', fileQuery, 'query {', 'Syntax Error'],
    ['a mutation', fileQuery, 'mutation { deleteRepository }', 'not configured to execute mutation'],
  ])('with %s are refused', async (_, from, to, message) => {
    await using at = await world()
    const answer = await filesAt(at, await at.github.botToken(), fileQuery.replace(from, to))
    expect(answer.errors[0].message).toContain(message)
    expect(answer.data ?? null).toBeNull()
  })

  test('are struck by storms like all calls', async () => {
    await using at = await world()
    const token = await at.github.botToken()
    at.github.storm({
      seed: 1,
      probability: 1,
      retryAfterSeconds: 3,
      maxLatencyMillis: 0,
      mishaps: ['too many requests'],
    })
    expect((await call(at.github, token, 'POST', '/graphql', { query: fileQuery })).status).toBe(429)
  })
})

describe('files', () => {
  test('the App commits to a branch of its own and opens a pull request once', async () => {
    await using at = await world()
    const token = await at.github.botToken()
    const post = async (path: string, body: object) => {
      const answer = await call(at.github, token, 'POST', `/repos/acme/models/${path}`, body)
      return { status: answer.status, json: JSON.parse(answer.text) }
    }
    const base = await at.repository.branchHead('main')
    const parent = await call(at.github, token, 'GET', `/repos/acme/models/git/commits/${base}`)
    const tree = await post('git/trees', {
      base_tree: JSON.parse(parent.text).tree.sha,
      tree: [{ path: 'a.yaml', mode: '100644', type: 'blob', content: 'a: 3\n' }],
    })
    const commit = await post('git/commits', { message: 'Fix', tree: tree.json.sha, parents: [base] })
    const ref = { ref: 'refs/heads/memorymark/fix-1', sha: commit.json.sha }
    expect((await post('git/refs', ref)).status).toBe(201)
    expect((await post('git/refs', ref)).status).toBe(422)
    const opened = await post('pulls', { title: 'Fix', head: 'memorymark/fix-1', base: 'main' })
    expect(opened).toMatchObject({ status: 201, json: { changed_files: 1, user: { login: 'memorymark[bot]' } } })
    expect((await post('pulls', { title: 'Fix', head: 'memorymark/fix-1', base: 'main' })).status).toBe(422)
    expect((await post('pulls', { title: 'Fix', head: 'memorymark/none', base: 'main' })).status).toBe(422)
    expect(await at.repository.fileAt('b.yaml', commit.json.sha)).toBe('b: 1\n')
    expect(await at.repository.merge({ ...opened.json, headSha: commit.json.sha })).toMatchObject({ kind: 'merged' })
    expect(await at.repository.fileAt('a.yaml', 'main')).toBe('a: 3\n')
  })

  test('above 1 MiB the contents have no content, and the blob has', async () => {
    await using github = await startGitHub()
    const big = `big: ${'x'.repeat(2 ** 20)}\n`
    await github.createRepository('models', { 'big.yaml': big })
    const token = await github.botToken()
    const file = JSON.parse((await call(github, token, 'GET', '/repos/acme/models/contents/big.yaml')).text)
    expect(file).toMatchObject({ size: big.length, content: '', encoding: 'none' })
    const blob = JSON.parse((await call(github, token, 'GET', `/repos/acme/models/git/blobs/${file.sha}`)).text)
    expect(Buffer.from(blob.content, 'base64').toString()).toBe(big)
  })

  test('the files of a pull request show their hunks, and its listing keeps to what listings hold', async () => {
    await using at = await world()
    const { number } = await at.repository.openPullRequest({ files: { 'a.yaml': 'a: 2\n' } })
    const files = await call(at.github, owner.token, 'GET', `/repos/acme/models/pulls/${number}/files`)
    expect(JSON.parse(files.text)).toMatchObject([{ filename: 'a.yaml', patch: '@@ -1,1 +1,1 @@\n-a: 1\n+a: 2' }])
    const [listed] = JSON.parse((await call(at.github, owner.token, 'GET', '/repos/acme/models/pulls')).text)
    expect(listed).not.toHaveProperty('changed_files')
  })
})
