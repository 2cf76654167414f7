import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { startGitHub } from '../github/index.ts'
import { environmentFor } from './bot-beside-github.ts'
import { trainingConfig } from './configs.ts'

test('on SIGTERM the bot finishes the work it has accepted and exits with 0', { timeout: 30_000 }, async () => {
  await using github = await startGitHub()
  const environment = await environmentFor(github)
  const bot = spawn(process.execPath, ['bot/server.ts'], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(bot, 'exit')
  for await (const line of createInterface(bot.stdout)) if (line.includes('Listening on')) break
  bot.stdout.resume()
  github.sendWebhooksTo(`http://127.0.0.1:${environment.PORT}/api/github/webhooks`)
  const repository = await github.createRepository('models', { 'README.md': '# Models\n' })
  const pullRequest = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
  bot.kill('SIGTERM')

  expect(await exited).toEqual([0, null])
  expect((await repository.checkRuns(pullRequest.headSha)).at(0)?.status).toBe('completed')
  expect(await repository.comments(pullRequest)).toHaveLength(1)
})
