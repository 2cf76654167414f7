/** `memorymark-bot doctor`, as it is called. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { bareEnvironment } from '../../bare-environment.ts'
import { startGitHub } from '../../github/index.ts'
import { sharedCommand } from '../../shared-builds.ts'
import { environmentFor } from '../bot-beside-github.ts'

async function bot(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [await sharedCommand('memorymark-bot'), ...args], {
    env: { ...bareEnvironment, ...environment },
  })
  const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { exitCode, output, errors }
}

test('where everything is as it should be, it says so and exits with 0', async () => {
  await using github = await startGitHub({ webhooksUrl: 'http://127.0.0.1:9/api/github/webhooks' })
  const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-doctor-'))
  const { exitCode, output, errors } = await bot(['doctor'], {
    ...(await environmentFor(github)),
    DATABASE_URL: folder,
  })
  await rm(folder, { recursive: true })
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
  expect(output.split('\n')).toEqual([
    'ok      the environment is complete: App id, private key, and its own webhook secret',
    `ok      the folder of the embedded database is writable (${folder})`,
    'ok      the clock agrees with GitHub’s',
    'ok      GitHub knows the App as "memorymark" (4242)',
    'ok      the App itself grants exactly what is needed',
    'ok      webhooks go to http://127.0.0.1:9/api/github/webhooks',
    'ok      installation 100 (acme) grants exactly what is needed',
    'ok      installation 101 (globex) grants exactly what is needed',
    'The bot can start.',
    '',
  ])
})

test('faults are counted, and it exits with 1', async () => {
  await using github = await startGitHub({ granted: { permissions: { metadata: 'read' } } })
  const { exitCode, output } = await bot(['doctor'], { ...(await environmentFor(github)) })
  expect(exitCode).toBe(1)
  expect(output).toContain(
    'fault   installation 100 (acme) grants no checks: without "write", no pull request gets its check',
  )
  expect(output).toMatch(/\n13 faults to fix\.\n$/)
})

test.each([
  ['the secret that everyone knows', 'development', '"development" is a well-known example secret'],
  ['a secret that can be guessed', 'short', 'At least 16 characters'],
])('with %s neither the doctor nor the bot starts', async (_, secret, words) => {
  await using github = await startGitHub()
  const environment = { ...(await environmentFor(github)), WEBHOOK_SECRET: secret }
  for (const args of [['doctor'], []]) {
    const { exitCode, errors } = await bot(args, environment)
    expect(exitCode).toBe(2)
    expect(errors).toContain(words)
  }
})

test('another command is refused with the one that was meant', async () => {
  expect(await bot(['docter'], {})).toEqual({
    exitCode: 2,
    output: '',
    errors:
      '"docter" is not a command of memorymark-bot. Did you mean doctor? `memorymark-bot --help` lists the commands; settings come from the environment.\n',
  })
})
