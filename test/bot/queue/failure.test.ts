import { describe, expect, test } from 'vitest'
import { failureOf } from '../../../bot/queue/failure.ts'
import { GraphqlRefusal } from '../../../github/graphql.ts'

const now = new Date('2026-01-01T00:00:00Z')

/** As Octokit throws it. */
function answered(status: number, headers: Readonly<Record<string, string>> = {}, message = 'no'): Error {
  return Object.assign(new Error(message), { status, request: {}, response: { status, headers } })
}

function refusedQuery(status: number, resetSeconds?: number): GraphqlRefusal {
  const reset = String(now.getTime() / 1_000 + (resetSeconds ?? 0))
  const limit = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }
  return new GraphqlRefusal('no', status, resetSeconds === undefined ? {} : limit, undefined)
}

describe('an answer of GitHub’s', () => {
  test.each([
    [
      'a secondary limit says for how long',
      answered(403, { 'retry-after': '7' }),
      { kind: 'limited', afterSeconds: 7 },
    ],
    ['a limit without a time is a minute', answered(429), { kind: 'limited', afterSeconds: 60 }],
    [
      'a limit that only its text tells',
      answered(403, {}, 'You have exceeded a secondary rate limit'),
      { kind: 'limited', afterSeconds: 60 },
    ],
    [
      'the hourly limit lasts until its reset',
      answered(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now.getTime() / 1_000 + 90) }),
      { kind: 'limited', afterSeconds: 90 },
    ],
    ['an absurd time is an hour', answered(403, { 'retry-after': '999999' }), { kind: 'limited', afterSeconds: 3_600 }],
    ['a permission is lacking', answered(403, {}, 'Resource not accessible by integration'), { kind: 'forbidden' }],
    ['a server error passes', answered(502), { kind: 'passing' }],
    ['a token that has just ended is renewed', answered(401), { kind: 'passing' }],
    ['a repository is gone', answered(404), { kind: 'gone' }],
    ['what we ask is wrong', answered(422), { kind: 'fault' }],
    ['the limit of queries lasts until its reset', refusedQuery(429, 90), { kind: 'limited', afterSeconds: 90 }],
    ['a query lacks a permission', refusedQuery(403), { kind: 'forbidden' }],
    ['a query is about what is gone', refusedQuery(404), { kind: 'gone' }],
    ['a query took too long', refusedQuery(502), { kind: 'passing' }],
    ['a query asks for a field that does not exist', refusedQuery(422), { kind: 'fault' }],
  ])('%s', (_, error, failure) => {
    expect(failureOf(error, now)).toEqual(failure)
  })
})

describe('without an answer', () => {
  test.each([
    [
      'a request that broke off passes',
      Object.assign(new Error('fetch failed'), { status: 500, request: {} }),
      'passing',
    ],
    ['a database that shuts down passes', Object.assign(new Error('x'), { code: '57P01' }), 'passing'],
    ['a connection that is refused passes', Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'passing'],
    ['a connection that ended in the middle passes', new Error('Connection terminated unexpectedly'), 'passing'],
    ['a database that does not answer passes', new Error('Query read timeout'), 'passing'],
    [
      'a cause that passes, passes',
      new Error('x', { cause: Object.assign(new Error('y'), { code: 'ECONNRESET' }) }),
      'passing',
    ],
    ['a statement that is refused is our fault', Object.assign(new Error('x'), { code: '42P01' }), 'fault'],
    ['anything else is our fault', new TypeError('x is undefined'), 'fault'],
  ])('%s', (_, error, kind) => {
    expect(failureOf(error, now)).toEqual({ kind })
  })
})
