import { matchesGlob } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileGlob, matchesAny } from '../../engine/settings/glob.ts'

function matches(path: string, glob: string): boolean {
  const compiled = compileGlob(glob)
  if (compiled.kind === 'refused') throw new Error(compiled.why)
  return compiled.matches(path)
}

/** Folders and names of few letters, so that they meet; `.` begins some. */
const name = fc.stringMatching(/^\.?[abx-]{1,3}(?:\.y)?$/)
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map(names => names.join('/'))
const part = fc.oneof(
  name,
  fc.constantFrom(
    '*',
    '**',
    '?',
    '*.y',
    'a*',
    '*a',
    '.*',
    '?a',
    '[ab]',
    '[!a]x',
    '[a-x]*',
    '*-?',
    '{a,b}',
    '{.a,b*}',
    'a{,x}',
  ),
)
const glob = fc.array(part, { minLength: 1, maxLength: 4 }).map(parts => parts.join('/'))

describe('globs', () => {
  it('match what node:path matches', () => {
    const agrees = fc.property(path, glob, (one, other) => matches(one, other) === matchesGlob(one, other))
    fc.assert(agrees, { numRuns: 5_000 })
  })

  it.each([
    ['configs/a.yaml', 'configs/**/*.yaml', true],
    ['configs/deep/er/a.yaml', 'configs/**/*.yaml', true],
    ['configs/.hidden/a.yaml', 'configs/**/*.yaml', false],
    ['.github/a.yaml', '**', false],
    ['.github/a.yaml', '.github/*', true],
    ['a/b.yml', '{a,c}/*.{yaml,yml}', true],
    ['a/b/c.yml', '{a/b,c}/*.{yaml,yml}', true],
    ['configs', 'configs/**', false],
    ['a.b.c', 'a.b.c', true],
    ['aXbXc', 'a.b.c', false],
    ['a(b).yaml', 'a(b).yaml', true],
    ['é.yaml', '?.yaml', true],
    ['a{b', 'a{b', true],
    ['a\nb', 'a*b', true],
  ])('%j is met by %j: %s', (one, other, isMet) => {
    expect(matches(one, other)).toBe(isMet)
    expect(matchesAny(one, ['other', other])).toBe(isMet)
  })

  it.each([
    ['+(a|a)b', 'extended glob'],
    ['!(a)', 'extended glob'],
    ['{1..99999999}', 'range'],
    ['{a..c}.yaml', 'range'],
    ['a\\b', 'backslash'],
    ['[[:alpha:]]', 'named class'],
    ['{a,b}'.repeat(30), 'too many alternatives'],
    [`${'{a,'.repeat(100)}${'}'.repeat(100)}`, 'too many alternatives'],
  ])('%j is refused: %s', (written, why) => {
    expect(compileGlob(written)).toMatchObject({ kind: 'refused', why: expect.stringContaining(why) })
  })

  // Each hung node:path's matchesGlob, or ran for seconds.
  it.each([
    `configs/${'*a'.repeat(7)}*b`,
    `${'*a'.repeat(200)}b`,
    `${'**/'.repeat(100)}b`,
    `${'**/*a/'.repeat(60)}b`,
    `${'?*'.repeat(200)}b`,
    `*${'[ab]'.repeat(100)}b`,
    '{'.repeat(500),
    '['.repeat(500),
  ])('%j takes linear time', written => {
    const long = `configs/${'a'.repeat(4_000)}/${'aaa/'.repeat(500)}`
    expect(matches(`${long}c`, written)).toBe(false)
  })
})
