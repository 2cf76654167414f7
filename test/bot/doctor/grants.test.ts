import { expect, test } from 'vitest'
import { examineGrants } from '../../../bot/doctor/grants.ts'
import { memoryMarkApp } from '../../github/index.ts'

const page = 'https://github.com/settings/installations/1'
const whole = {
  of: 'installation 1 (acme)',
  page,
  permissions: memoryMarkApp.permissions,
  events: memoryMarkApp.events,
}

test('what bot/app.yml asks for is enough, and no more than that', () => {
  expect(examineGrants(whole)).toEqual([{ kind: 'well', what: 'installation 1 (acme) grants exactly what is needed' }])
})

test.each([
  ['missing', { checks: undefined }, 'grants no checks: without "write", no pull request gets its check'],
  ['too low', { checks: 'read' }, 'grants only "read" on checks: without "write", no pull request gets its check'],
])('a permission that is %s is a fault, with what is missed and where to grant it', (_, change, words) => {
  const permissions = Object.fromEntries(
    Object.entries({ ...whole.permissions, ...change }).filter(([, level]) => level !== undefined),
  ) as Record<string, string>
  expect(examineGrants({ ...whole, permissions })).toEqual([
    {
      kind: 'fault',
      what: `installation 1 (acme) ${words}`,
      todo: `Grant "checks: write" at ${page}, as bot/app.yml says.`,
    },
  ])
})

test('an event that is not sent is a fault', () => {
  const events = whole.events.filter(name => name !== 'merge_group')
  expect(examineGrants({ ...whole, events })).toEqual([
    {
      kind: 'fault',
      what: 'installation 1 (acme) does not send merge_group: merge queues wait for their check forever',
      todo: `Subscribe to "merge_group" at ${page}, as bot/app.yml says.`,
    },
  ])
})

test('what is granted beyond the need is remarked on', () => {
  const permissions = { ...whole.permissions, administration: 'read', merge_queues: 'write' }
  expect(examineGrants({ ...whole, permissions })).toEqual([
    {
      kind: 'remark',
      what: 'installation 1 (acme) grants more than is needed (merge_queues: write, administration: read)',
      todo: `It can be revoked at ${page}.`,
    },
  ])
})
