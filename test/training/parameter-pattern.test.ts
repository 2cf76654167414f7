import { describe, expect, it, onTestFinished } from 'vitest'
import { provideRe2 } from '../../engine/base/re2.ts'
import { parameterPatterns } from '../../engine/training/parameter-pattern.ts'

const names = [
  'model.embed_tokens.weight',
  'model.layers.3.mlp.up_proj.weight',
  'model.layers.31.self_attn.q_proj.weight',
]

function matchedBy(...sources: string[]): readonly string[] {
  const pattern = parameterPatterns(sources)
  return pattern.kind === 'pattern' ? names.filter(pattern.matches) : [pattern.why]
}

describe('patterns of parameter names', () => {
  it.each([
    [String.raw`^model\.embed_tokens\.weight$`, [names[0]]],
    [String.raw`model\.layers\.3[0-1]+\.`, [names[2]]],
    [String.raw`.*\.(?:3|31)\.mlp`, [names[1]]],
    ['layers', []],
    [String.raw`(model\.(layers|blocks)\.)+\d{1,2}\.(mlp|self_attn)`, names.slice(1)],
    [String.raw`(?:\w|\.)*up_proj`, [names[1]]],
  ])('%j matches from the start of a name', (source, expected) => {
    expect(matchedBy(source)).toEqual(expected)
  })

  it('match what one of them matches', () => {
    expect(matchedBy('lm_head', '.*q_proj', String.raw`model\.embed`)).toEqual([names[0], names[2]])
    expect(matchedBy()).toEqual([])
  })

  it.each([
    ['(?=a)', 'look-around'],
    ['a(?<!b)', 'look-around'],
    [String.raw`(a)\1`, 'refers back to a group'],
    ['(?P<x>a)(?P=x)', 'refers back to a group'],
    ['a++', 'possessive'],
    ['[[:alpha:]]', 'Python does not have'],
    [String.raw`\pL`, 'Python does not have'],
    ['[9-0]', 'invalid character class range'],
    ['\\', 'trailing backslash'],
    ['a)(b', 'unexpected )'],
    ['(((a{30}){30}){30})', 'invalid repeat count'],
    ['a{1000}b{1000}c{1000}', 'repeats too much'],
    ['('.repeat(100), 'missing closing )'],
    ['a'.repeat(201), 'longer than 200 characters'],
  ])('%j is refused, and told why', (source, why) => {
    expect(matchedBy('model', source)).toEqual([expect.stringContaining(why)])
  })

  // Each ran for seconds to years with a matcher that backtracks.
  it.each([
    `${String.raw`\w?`.repeat(60)}Z`,
    '(a+)+$',
    '.*.*.*.*.*.*.*x',
    '(?:a|b|ab)*c',
    '(a|a)*b',
    `${'(a?)'.repeat(40)}${'a'.repeat(40)}`,
  ])('%j takes linear time', source => {
    const pattern = parameterPatterns([source])
    expect(pattern.kind === 'pattern' && pattern.matches(`${'a'.repeat(50_000)}!`)).toBe(
      /\$$|[xZcb]$/.test(source) === false,
    )
  })
})

it('no patterns match nothing, and do not bring in RE2', async () => {
  const re2 = await import('re2js')
  onTestFinished(() => provideRe2(re2))
  provideRe2(
    new Proxy({} as typeof import('re2js'), {
      get() {
        throw new Error('RE2 was asked')
      },
    }),
  )
  const none = parameterPatterns([])
  expect(none.kind === 'pattern' && none.matches('model.embed_tokens.weight')).toBe(false)
  expect(() => parameterPatterns(['model'])).toThrow('RE2 was asked')
})
