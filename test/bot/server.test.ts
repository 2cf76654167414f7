import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { bareEnvironment } from '../bare-environment.ts'
import { type EmulatedGitHub, type Repository, startGitHub } from '../github/index.ts'
import { onA10 } from '../on-a10.ts'
import { newDataFolder, sharedCommand } from '../shared-builds.ts'
import { environmentFor } from './bot-beside-github.ts'
import { trainingConfig } from './configs.ts'

interface Spawned {
  readonly child: ChildProcess
  readonly origin: string
}

async function spawnBot(github: EmulatedGitHub, folder: string): Promise<Spawned> {
  const child = spawn(process.execPath, [await sharedCommand('memorymark-bot')], {
    env: { ...bareEnvironment, ...(await environmentFor(github)), DATABASE_URL: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface(child.stdout)) {
    const origin = /Listening on (http:\/\/[\d.:]+)/.exec(line)?.[1]
    if (origin === undefined) continue
    child.stdout.resume()
    return { child, origin }
  }
  throw new Error('The bot ended before it listened')
}

async function verdictOf(repository: Repository, headSha: string): Promise<string | null | undefined> {
  return (await repository.checkRuns(headSha)).at(-1)?.conclusion
}

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'what was accepted before %s is done, by that process or the next, and once',
  async signal => {
    const folder = await newDataFolder()
    await using github = await startGitHub()
    const first = await spawnBot(github, folder)
    github.sendWebhooksTo(`${first.origin}/api/github/webhooks`)
    const repository = await github.createRepository('models', { 'README.md': '# Models\n', ...onA10 })
    const pullRequest = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(2) } })
    const exited = once(first.child, 'exit')
    first.child.kill(signal)
    expect(await exited).toEqual(signal === 'SIGTERM' ? [0, null] : [null, 'SIGKILL'])

    const second = await spawnBot(github, folder)
    await expect.poll(() => verdictOf(repository, pullRequest.headSha)).toBe('failure')
    await expect.poll(async () => (await repository.comments(pullRequest)).length).toBe(1)
    expect(await repository.checkRuns(pullRequest.headSha)).toHaveLength(1)
    const ended = once(second.child, 'exit')
    second.child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  },
)

test('a database that does not answer is told in a sentence, with where to look', async () => {
  await using github = await startGitHub()
  const environment = { ...(await environmentFor(github)), DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
  const child = spawn(process.execPath, [await sharedCommand('memorymark-bot')], {
    env: { ...bareEnvironment, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  expect(await once(child, 'close')).toEqual([2, null])
  expect(stderr).toMatch(
    /^The bot cannot start because .* does not answer: .*ECONNREFUSED.* `memorymark-bot doctor`, .*\n$/,
  )
})
