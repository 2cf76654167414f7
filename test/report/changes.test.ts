import { describe, expect, test } from 'vitest'
import { changesSince } from '../../engine/report/changes.ts'
import type { ConfigResult } from '../../engine/report/schema.ts'
import { fine, reportOf, unreadable, wasteful } from '../render/fixtures.ts'

/** `changed a.yaml`, in order. */
function told(last: readonly ConfigResult[], now: readonly ConfigResult[]): string[] {
  return changesSince(reportOf(last), reportOf(now)).map(change =>
    change.kind === 'gone' ? `gone ${change.before.path}` : `${change.kind} ${change.after.path}`,
  )
}

const a = wasteful({ path: 'a.yaml' })
const b = fine({ path: 'b.yaml' })
const { current } = a

describe('what became of the configs', () => {
  test('new, changed and gone ones are told, in the order of the newer report', () => {
    const larger = { ...a, current: { ...current, microBatch: current.microBatch * 2 } }
    const c = fine({ path: 'c.yaml' })
    expect(told([b, a], [c, larger])).toEqual(['new c.yaml', 'changed a.yaml', 'gone b.yaml'])
  })

  test('what nobody would notice is no change', () => {
    const again = { ...a, current: { ...current, peakBytes: current.peakBytes * 1.001 }, trials: [] }
    expect(told([a, b], [b, again])).toEqual([])
  })

  test.each<[string, Partial<typeof a>]>([
    ['verdict', { verdict: { state: 'fine', reasons: [] } }],
    ['accumulation', { current: { ...current, gradientAccumulation: current.gradientAccumulation + 1 } }],
    ['idle memory by a percent', { current: { ...current, peakBytes: current.peakBytes + a.gpu.usableBytes / 90 } }],
    ['savings by a dollar', { savingsPerYearUsd: a.savingsPerYearUsd - 1 }],
    ['provenance', { provenance: 'measured' }],
    ['GPU', { gpu: { ...a.gpu, id: 'l4' } }],
  ])('another %s is a change', (_, changes) => {
    expect(told([a], [{ ...a, ...changes }])).toEqual(['changed a.yaml'])
  })

  test('one that can be analysed at last is changed, not new', () => {
    const broken = { ...unreadable(), path: 'a.yaml' }
    expect(told([broken], [a])).toEqual(['changed a.yaml'])
    expect(told([a], [broken])).toEqual(['changed a.yaml'])
    expect(told([broken], [broken])).toEqual([])
  })

  test('the same config on several GPUs is compared GPU by GPU', () => {
    const onL4 = { ...a, gpu: { ...a.gpu, id: 'l4' } }
    expect(told([a, onL4], [onL4, a])).toEqual([])
    expect(told([a, onL4], [a])).toEqual(['gone a.yaml'])
  })
})
