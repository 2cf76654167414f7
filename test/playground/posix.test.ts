/** The browser's paths, held against Node's. */
import { readdirSync, readFileSync } from 'node:fs'
import nodePath from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { posix } from '../../playground/posix.ts'

const part = fc.constantFrom('a', 'bc', '.', '..', '', '/', 'x.yaml', 'µ')
const path = fc.array(part, { maxLength: 6 }).map(parts => parts.join('/'))

test.each(['normalize', 'basename', 'dirname'] as const)('%s says what Node says', name => {
  fc.assert(
    fc.property(path, text => {
      expect(posix[name](text)).toBe(nodePath.posix[name](text))
    }),
    { numRuns: 1_000 },
  )
})

test('join says what Node says', () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 3 }), paths => {
      expect(posix.join(...paths)).toBe(nodePath.posix.join(...paths))
    }),
  )
})

test('relative says what Node says within a repository', () => {
  const inside = fc
    .array(fc.constantFrom('a', 'b', 'c', '.'), { minLength: 1, maxLength: 4 })
    .map(parts => parts.join('/'))
  fc.assert(
    fc.property(inside, inside, (a, b) => {
      expect(posix.relative(a, b)).toBe(nodePath.posix.relative(a, b))
    }),
  )
})

test('has every function of node:path that the engine calls', () => {
  const folder = fileURLToPath(new URL('../../engine', import.meta.url))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'))
  const called = files.flatMap(name =>
    [...readFileSync(nodePath.join(folder, name), 'utf8').matchAll(/\bposix\.(\w+)/g)].map(([, called]) => called),
  )
  expect(called.length).toBeGreaterThan(10)
  expect(Object.keys(posix)).toEqual(expect.arrayContaining([...new Set(called)]))
})
