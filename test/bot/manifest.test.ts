/** bot/app.yml, what the doctor compares with, and what the code really calls are one and the same. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ProbotOctokit } from 'probot'
import { describe, expect, test } from 'vitest'
import { neededEvents, neededPermissions } from '../../bot/doctor/needs.ts'
import { memoryMarkApp } from '../github/index.ts'
import { accessTo } from '../github/permissions.ts'

const folder = fileURLToPath(new URL('../../bot', import.meta.url))
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts'))
  .map(name => readFileSync(path.join(folder, name), 'utf8'))

/** As `METHOD /path/{template}`: every `github.rest.x.y` and every `github.request('…')` in the bot. */
const calls = [...new Set(sources.flatMap(callsIn))].sort()

function callsIn(source: string): string[] {
  const methods = [...source.matchAll(/\brest\.(\w+)\.(\w+)\b/g)].map(([, scope = '', method = '']) =>
    routeOf(scope, method),
  )
  const requests = [...source.matchAll(/\.request\(\s*['"`]((?:GET|POST|PUT|PATCH|DELETE) [^'"`]+)/g)]
  return [...methods, ...requests.map(([, route = '']) => route)]
}

function routeOf(scope: string, method: string): string {
  const { rest } = new ProbotOctokit() as unknown as { rest: Record<string, Record<string, Called>> }
  const called = rest[scope]?.[method]
  if (called === undefined) throw new Error(`Octokit has no rest.${scope}.${method}`)
  const { DEFAULTS } = called.endpoint
  return `${DEFAULTS.method} ${DEFAULTS.url}`
}

interface Called {
  readonly endpoint: { readonly DEFAULTS: { readonly method: string; readonly url: string } }
}

function needsOf(call: string): readonly string[] {
  const [method = '', url = ''] = call.split(' ')
  const access = accessTo(method, url)
  switch (access.kind) {
    case 'app':
      return []
    case 'installation':
      return access.needs
    case 'unlisted':
      throw new Error(`test/github/permissions.ts does not list ${call}`)
  }
}

const ranks: Readonly<Record<string, number>> = { read: 1, write: 2 }
const granted = (need: string): boolean => {
  const [name = '', level = ''] = need.split(':')
  return (ranks[memoryMarkApp.permissions[name] ?? ''] ?? 0) >= (ranks[level] ?? 3)
}

/** GitHub sends these only to Apps with the permission. */
const sentWith: Readonly<Record<string, string>> = {
  pull_request: 'pull_requests:read',
  check_run: 'checks:read',
  check_suite: 'checks:read',
  workflow_run: 'actions:read',
  merge_group: 'merge_queues:read',
  issue_comment: 'issues:read',
}

describe('bot/app.yml', () => {
  test('asks for what the doctor holds installations to', () => {
    const levels = Object.fromEntries(Object.entries(neededPermissions).map(([name, { level }]) => [name, level]))
    expect(memoryMarkApp.permissions).toEqual(levels)
    expect([...memoryMarkApp.events].sort()).toEqual(Object.keys(neededEvents).sort())
  })

  test('grants every call that the code makes', () => {
    expect(calls.length).toBeGreaterThan(10)
    expect(calls.filter(call => needsOf(call).length > 0 && !needsOf(call).some(granted))).toEqual([])
  })

  test('asks for nothing that no call and no event needs', () => {
    const needs = [...calls.flatMap(needsOf), ...memoryMarkApp.events.map(event => sentWith[event] ?? event)]
    const superfluous = Object.entries(memoryMarkApp.permissions).filter(
      ([name, level]) => name !== 'metadata' && !needs.includes(`${name}:${level}`),
    )
    expect(superfluous).toEqual([])
  })

  test('subscribes to nothing that GitHub would not send', () => {
    expect(memoryMarkApp.events.filter(event => !granted(sentWith[event] ?? event))).toEqual([])
  })
})
