import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readRunContext } from '../../action/run-context.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'memorymark-run-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe('the run', () => {
  it('is what the runner tells of it', async () => {
    const event = path.join(folder, 'event.json')
    await writeFile(event, '{"action":"opened"}')
    const variables = {
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_EVENT_PATH: event,
      GITHUB_SHA: 'a'.repeat(40),
      GITHUB_REF: 'refs/pull/7/merge',
      GITHUB_REPOSITORY: 'acme/models',
      GITHUB_WORKSPACE: '/work',
    }
    expect(readRunContext(variables)).toEqual({
      eventName: 'pull_request',
      payload: { action: 'opened' },
      sha: 'a'.repeat(40),
      ref: 'refs/pull/7/merge',
      repository: { owner: 'acme', repo: 'models' },
      workspace: '/work',
      playground: undefined,
    })
  })

  it.each([
    ['https://github.com', 'Acme/MemoryMark', 'https://acme.github.io/MemoryMark/'],
    ['https://github.com', 'Acme/memorymark/sub', undefined],
    ['https://github.com', '', undefined],
    ['https://github.acme.example', 'acme/memorymark', undefined],
  ])('on %s, with the Action of "%s", has the playground %s', (server, action, playground) => {
    const variables = { GITHUB_REPOSITORY: 'a/b', GITHUB_SERVER_URL: server, GITHUB_ACTION_REPOSITORY: action }
    expect(readRunContext(variables).playground).toBe(playground)
  })

  it('without an event file has an empty payload', () => {
    expect(readRunContext({ GITHUB_REPOSITORY: 'acme/models' })).toMatchObject({ payload: {}, workspace: '.' })
  })

  it.each([
    {},
    { GITHUB_REPOSITORY: 'models' },
    { GITHUB_REPOSITORY: 'acme/models', GITHUB_EVENT_PATH: '/nonexistent/event.json' },
  ])('is refused where %o is all that is told', variables => {
    expect(() => readRunContext(variables)).toThrow(
      "The runner's environment variables are missing or cannot be read. Run this as a step of a GitHub Actions job; elsewhere, use the command line.",
    )
  })
})
