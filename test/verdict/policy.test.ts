import { describe, expect, test } from 'vitest'
import { MemoryMarkError } from '../../engine/base/errors.ts'
import { defaultPolicy, formatCondition, parseConditions, policy } from '../../engine/verdict/policy.ts'

describe('conditions as text', () => {
  test.each([
    ['waste > 40 %', [{ kind: 'waste', abovePercent: 40 }]],
    ['waste>40', [{ kind: 'waste', abovePercent: 40 }]],
    ['throughput-loss > 2.5%', [{ kind: 'throughput-loss', abovePercent: 2.5 }]],
    ['annual-cost > $500', [{ kind: 'annual-cost', aboveUsd: 500 }]],
    ['annual-cost > 500', [{ kind: 'annual-cost', aboveUsd: 500 }]],
    [
      ' waste > 40 %, annual-cost > $ 1000 ,',
      [
        { kind: 'waste', abovePercent: 40 },
        { kind: 'annual-cost', aboveUsd: 1_000 },
      ],
    ],
    ['never', []],
    ['does-not-fit', [{ kind: 'does-not-fit' }]],
    ['does-not-fit, waste > 0 %', [{ kind: 'waste', abovePercent: 0 }]],
  ])('"%s" is understood', (text, conditions) => {
    expect(parseConditions(text, '--fail-on')).toEqual(conditions)
  })

  test.each([
    ['waste', 'waste'],
    ['waste < 40 %', 'waste < 40 %'],
    ['waste > -1', 'waste > -1'],
    ['waste > forty', 'waste > forty'],
    ['annual-cost > 5 %', 'annual-cost > 5 %'],
    ['never, waste > 40 %', 'never'],
    ['memory > 3', 'memory > 3'],
    ['', ''],
    [' , ', ' , '],
  ])('"%s" is refused, and the refusal names the part and the setting', (text, part) => {
    const refusal = refusalOf(() => parseConditions(text, '--fail-on'))
    expect(refusal.problem).toMatchObject({ code: 'policy-unreadable', field: '--fail-on' })
    expect(refusal.message).toContain(`"${part}" is not a condition`)
    expect(refusal.message).toContain('Write `waste > 40 %`')
  })

  test('a percentage or a sum beyond reason is refused as a condition, not as a bug', () => {
    expect(refusalOf(() => parseConditions('waste > 5000 %', 'fail-on')).problem.code).toBe('policy-unreadable')
    expect(refusalOf(() => parseConditions('annual-cost > $9999999999999', 'fail-on')).problem.code).toBe(
      'policy-unreadable',
    )
  })

  test('more conditions than a report can carry are refused', () => {
    const twenty = Array.from({ length: 20 }, () => 'waste > 40 %').join(', ')
    expect(parseConditions(twenty, 'fail-on')).toHaveLength(20)
    expect(refusalOf(() => parseConditions(`${twenty}, waste > 40 %`, 'fail-on')).problem.code).toBe(
      'policy-unreadable',
    )
  })

  test.each(['waste > 40 %', 'throughput-loss > 2.5 %', 'annual-cost > $500', 'does-not-fit'])(
    '"%s" reads back as written',
    text => {
      expect(parseConditions(text, 'fail-on').map(formatCondition)).toEqual([text])
    },
  )

  test('the default is a policy, and its conditions can be written', () => {
    expect(policy.parse(defaultPolicy)).toEqual(defaultPolicy)
    const { failOn, warnOn } = defaultPolicy
    for (const conditions of [failOn, warnOn]) {
      expect(parseConditions(conditions.map(formatCondition).join(', '), '--fail-on')).toEqual(conditions)
    }
  })

  test('a loss can be asked for at the same effective batch only, and only a loss', () => {
    expect(parseConditions('throughput-loss > 20 % at the same effective batch', '--fail-on')).toEqual([
      { kind: 'throughput-loss', abovePercent: 20, sameEffectiveBatch: true },
    ])
    expect(refusalOf(() => parseConditions('waste > 20 % at the same effective batch', '--fail-on')).problem.code).toBe(
      'policy-unreadable',
    )
  })
})

function refusalOf(action: () => unknown): MemoryMarkError {
  try {
    action()
  } catch (error) {
    if (error instanceof MemoryMarkError) return error
    throw error
  }
  throw new Error('nothing was refused')
}
