import { describe, expect, it } from 'vitest'
import { isPattern, lastNamesOf } from '../../../engine/config/trainer/layer-pattern.ts'

describe('lastNamesOf', () => {
  it.each([
    ['the names of a group', '.*\\.(q|v)_proj', ['q_proj', 'v_proj']],
    ['a path with a class and a group', 'model.layers.[\\d]+.(mlp|self_attn).(up|q)_proj', ['up_proj', 'q_proj']],
    ['an optional part', 'model.layers.[\\d]+.(_wrapped.)?mlp.(gate)_proj', ['gate_proj']],
    ['alternatives at the top', '.*\\.self_attn\\.o_proj|.*\\.mlp\\.fc1', ['o_proj', 'fc1']],
    ['groups in groups', 'model\\.(mlp\\.(up|down)|attn\\.(q|k))_proj', ['up_proj', 'down_proj', 'q_proj', 'k_proj']],
    ['the characters of a class', 'mlp.fc[12]', ['fc1', 'fc2']],
    ['anchors', '^.*q_proj$', ['q_proj']],
  ])('reads %s', (_, pattern, names) => {
    expect(lastNamesOf(pattern)).toEqual(names)
  })

  it.each([
    ['an open group', '(q_proj'],
    ['a lookahead', '(?!lm_head)q_proj'],
    ['no name at the end', 'model.layers.*'],
    ['more names than a model has', '(a|b|c|d)(a|b|c|d)(a|b|c|d)(a|b|c|d)'],
    ['deep nesting', `${'('.repeat(30)}a${')'.repeat(30)}`],
    ['a pattern longer than any real one', 'a'.repeat(1_001)],
  ])('does not guess at %s', (_, pattern) => {
    expect(lastNamesOf(pattern)).toBeUndefined()
  })

  it('tells patterns from names and paths', () => {
    expect(['.*q_proj', '(q|k)_proj', 'q_proj$'].every(isPattern)).toBe(true)
    expect(['q_proj', 'model.layers.0.q_proj', 'all-linear'].some(isPattern)).toBe(false)
  })
})
