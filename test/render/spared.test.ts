import { describe, expect, test } from 'vitest'
import { renderCheck } from '../../engine/render/check.ts'
import { renderComment } from '../../engine/render/comment.ts'
import { renderTerminal } from '../../engine/render/terminal.ts'
import { report } from '../../engine/report/schema.ts'
import { reportOf, tooLarge, wasteful } from './fixtures.ts'

const condition = { kind: 'waste', abovePercent: 40 } as const

describe('a config that may not fit', () => {
  const open = reportOf([
    tooLarge({ verdict: { state: 'warning', reasons: [{ kind: 'does-not-fit', spared: 'within-error' }] } }),
  ])

  test('is told so, and why it does not block', () => {
    const { title, conclusion, annotations } = renderCheck(report.parse(open))
    expect(title).toMatch(/^The training config may run out of memory: needs /)
    expect(conclusion).toBe('neutral')
    expect(annotations).toMatchObject([{ level: 'warning', title: expect.stringMatching(/^May run out of memory: /) }])
    expect(annotations[0]?.message).toContain('This does not block: it is within the error of the figures.')
  })

  test('in the same words in the comment and the terminal', () => {
    const comment = renderComment(open) ?? ''
    expect(comment).toContain('may run out of memory on the')
    expect(comment).toContain('Warning raised by a config that may not fit')
    expect(renderTerminal(open, { color: false, columns: 200 })).toContain('may not fit')
  })
})

test('waste that the error leaves open names the condition that it would break', () => {
  const reasons = [{ kind: 'condition', condition, actual: 41, spared: 'within-error' } as const]
  const open = reportOf([wasteful({ verdict: { state: 'warning', reasons } })])
  expect(renderComment(open)).toContain('Warning raised by `fail-on: waste > 40 %`')
})

test('what was let pass is not named among what blocks', () => {
  const reasons = [{ kind: 'condition', condition, actual: 41, spared: 'within-error' } as const]
  const blocked = reportOf([wasteful({ verdict: { state: 'warning', reasons } }), tooLarge()])
  expect(renderComment(blocked)).toContain('<sub>Blocked by a config that does not fit ·')
})
