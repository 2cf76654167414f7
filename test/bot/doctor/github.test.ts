import { expect, test } from 'vitest'
import { examineGitHub } from '../../../bot/doctor/github.ts'
import { connectGitHubApp } from '../../../bot/installation.ts'
import { createLog } from '../../../bot/log.ts'
import { type EmulatedGitHub, memoryMarkApp, startGitHub } from '../../github/index.ts'

const target = 'http://127.0.0.1:9/api/github/webhooks'

async function findings(github: EmulatedGitHub, change: { appId?: number; apiUrl?: string; now?: Date } = {}) {
  const { id, privateKey, webhookSecret } = github.app
  const known = { appId: change.appId ?? id, apiUrl: change.apiUrl ?? github.url }
  const options = { ...known, privateKey, webhookSecret, log: createLog('silent'), onCall: () => {} }
  const app = await connectGitHubApp(options)
  return examineGitHub({ ...known, app, now: () => change.now ?? new Date() })
}

test('where all is granted, all is well', async () => {
  await using github = await startGitHub({ webhooksUrl: target })
  expect(await findings(github)).toEqual([
    { kind: 'well', what: 'the clock agrees with GitHub’s' },
    { kind: 'well', what: 'GitHub knows the App as "memorymark" (4242)' },
    { kind: 'well', what: 'the App itself grants exactly what is needed' },
    { kind: 'well', what: `webhooks go to ${target}` },
    { kind: 'well', what: 'installation 100 (acme) grants exactly what is needed' },
    { kind: 'well', what: 'installation 101 (globex) grants exactly what is needed' },
  ])
})

test('an installation that granted an earlier manifest is told what it lacks', async () => {
  const { merge_queues: _, ...permissions } = memoryMarkApp.permissions
  const events = memoryMarkApp.events.filter(name => name !== 'merge_group')
  await using github = await startGitHub({ webhooksUrl: target, granted: { permissions, events } })
  const faults = (await findings(github)).filter(({ kind }) => kind === 'fault')
  expect(faults.map(({ what }) => what)).toEqual([
    'installation 100 (acme) grants no merge_queues: without "read", merge queues wait for their check forever',
    'installation 100 (acme) does not send merge_group: merge queues wait for their check forever',
    'installation 101 (globex) grants no merge_queues: without "read", merge queues wait for their check forever',
    'installation 101 (globex) does not send merge_group: merge queues wait for their check forever',
  ])
})

test('an App without an address for its webhooks is told', async () => {
  await using github = await startGitHub()
  expect(await findings(github)).toContainEqual({
    kind: 'fault',
    what: 'the App’s webhook is not set up correctly: it has no address',
    todo: 'Fix it in the settings of the App, General, Webhook.',
  })
})

test('the key of another App is told, and so is a clock that is off', async () => {
  await using github = await startGitHub()
  const told = await findings(github, { appId: 15_368, now: new Date(0) })
  expect(told.map(({ kind }) => kind)).toEqual(['fault', 'fault'])
  expect(told[0]?.what).toMatch(/^the clock is \d+ s behind GitHub’s$/)
  expect(told[1]?.what).toBe('GitHub does not let App 15368 sign in')
})

test('a GitHub that does not answer is told by its address', async () => {
  await using github = await startGitHub()
  const told = await findings(github, { apiUrl: 'http://127.0.0.1:9' })
  expect(told.map(({ what }) => what)).toEqual(['http://127.0.0.1:9 does not answer'])
})
