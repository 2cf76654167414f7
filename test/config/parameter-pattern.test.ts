import { describe, expect, it } from 'vitest'
import { parameterPattern } from '../../engine/config/parameter-pattern.ts'

const names = [
  'model.embed_tokens.weight',
  'model.layers.3.mlp.up_proj.weight',
  'model.layers.31.self_attn.q_proj.weight',
]

describe('a pattern of parameter names', () => {
  it.each([
    [String.raw`^model\.embed_tokens\.weight$`, [names[0]]],
    [String.raw`model\.layers\.3[0-1]+\.`, [names[2]]],
    [String.raw`.*\.(?:3|31)\.mlp`, [names[1]]],
    ['layers', []],
  ])('%j matches from the start of a name', (source, expected) => {
    const pattern = parameterPattern(source)
    expect(names.filter(name => pattern?.test(name))).toEqual(expected)
  })

  it.each(['(a+)+$', '.*.*.*x', '(?=a)', '(?:a|b)*', 'a{9}', '[9-0]', '\\', 'a'.repeat(201)])(
    '%j is not run',
    source => {
      expect(parameterPattern(source)).toBeUndefined()
    },
  )
})
