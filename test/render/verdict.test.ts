import { describe, expect, test } from 'vitest'
import { headline, stateMark, verdictState } from '../../engine/render/verdict.ts'
import { fine, reportOf, slow, tooLarge, unreadable, wasteful } from './fixtures.ts'

describe('the verdict over all configs', () => {
  test.each([
    ['no config', [], 'nothing-to-measure', 'No training config in this pull request: nothing to measure'],
    ['one fine config', [fine()], 'fine', 'the training config fits and is within policy'],
    ['two fine configs', [fine(), fine()], 'fine', 'all 2 training configs fit and are within policy'],
    ['one remarked on', [slow()], 'warning', 'the training config trains slower than it could'],
    ['one wasteful', [wasteful()], 'blocked', 'the training config wastes its GPU'],
    ['one of two wasteful', [wasteful(), fine()], 'blocked', '1 of 2 training configs wastes its GPU'],
    ['two of three wasteful', [wasteful(), fine(), wasteful()], 'blocked', '2 of 3 training configs waste their GPU'],
    ['all wasteful', [wasteful(), wasteful()], 'blocked', 'all 2 training configs waste their GPU'],
    ['one too large', [tooLarge()], 'blocked', 'the training config runs out of memory: needs 31.2 of 21.7 GiB'],
    ['one that cannot be read', [unreadable()], 'blocked', 'the training config could not be analysed'],
    [
      'one of each',
      [fine(), unreadable(), slow(), wasteful(), tooLarge()],
      'blocked',
      '1 of 5 training configs runs out of memory, 1 wastes its GPU, 1 trains slower than it could, 1 could not be analysed',
    ],
  ])('%s', (_name, configs, state, words) => {
    const report = reportOf(configs)
    expect(verdictState(report)).toBe(state)
    expect(headline(report)).toBe(words)
  })

  test('of one config on several GPUs counts results, since each GPU has its own', () => {
    const onL4 = fine({ path: 'a.yaml', gpu: { ...fine().gpu, id: 'l4' } })
    const onA10 = wasteful({ path: 'a.yaml' })
    expect(headline(reportOf([onA10, onL4]))).toBe('1 of 2 results for 1 training config wastes its GPU')
    const other = fine({ path: 'b.yaml' })
    expect(headline(reportOf([onL4, fine({ path: 'a.yaml' }), other]))).toBe(
      'all 3 results for 2 training configs fit and are within policy',
    )
  })

  test('a yearly cost above the limit is named as such', () => {
    const costly = wasteful({
      verdict: {
        state: 'blocked',
        reasons: [{ kind: 'condition', condition: { kind: 'annual-cost', aboveUsd: 10 }, actual: 34 }],
      },
    })
    expect(headline(reportOf([costly]))).toBe('the training config costs more than it needs to')
  })

  test('has one mark a state', () => {
    expect((['nothing-to-measure', 'fine', 'warning', 'blocked'] as const).map(stateMark).join('')).toBe('🟩🟩🟨🟥')
  })
})
