import { describe, expect, test } from 'vitest'
import { GIB } from '../../engine/base/units.ts'
import { acceptability, covers } from '../../engine/report/acceptance.ts'
import type { AnalysedConfig, ConfigResult } from '../../engine/report/schema.ts'
import { a10, fine, point, tooLarge, unreadable, wasteful } from '../render/fixtures.ts'

function accepted(config: ConfigResult, outOfMemory = false) {
  const answer = acceptability(config, { outOfMemory })
  if (answer.kind !== 'acceptable') throw new Error(answer.kind)
  return answer.accepted
}

const waste = (actual: number): AnalysedConfig['verdict'] => ({
  state: 'blocked',
  reasons: [{ kind: 'condition', condition: { kind: 'waste', abovePercent: 40 }, actual }],
})
const atBatch = (microBatch: number, overrides: Partial<AnalysedConfig> = {}) =>
  wasteful({ spec: { ...wasteful().spec, microBatch }, ...overrides })

describe('what can be accepted', () => {
  test('is what blocks', () => {
    expect(acceptability(wasteful(), { outOfMemory: false }).kind).toBe('acceptable')
    expect(acceptability(unreadable(), { outOfMemory: false }).kind).toBe('acceptable')
    expect(acceptability(fine(), { outOfMemory: false })).toEqual({ kind: 'does-not-block' })
  })

  test('is running out of memory only in so many words', () => {
    expect(acceptability(tooLarge(), { outOfMemory: false })).toEqual({ kind: 'out-of-memory' })
    expect(acceptability(tooLarge(), { outOfMemory: true }).kind).toBe('acceptable')
  })
})

describe('an acceptance holds', () => {
  const before = accepted(wasteful({ verdict: waste(88.9) }))

  test('for the same content, whatever a GPU has measured since', () => {
    const measured = wasteful({ provenance: 'measured', errorBandPercent: 0, verdict: waste(95) })
    expect(covers(before, measured)).toBe(true)
  })

  test('for other content that wastes no more', () => {
    expect(covers(before, atBatch(24, { verdict: waste(84) }))).toBe(true)
  })

  test('for more waste within the error band: 3 % of a peak of 2.4 of 21.7 GiB is a third of a point', () => {
    expect(covers(before, atBatch(15, { verdict: waste(89.2) }))).toBe(true)
    expect(covers(before, atBatch(15, { verdict: waste(89.3) }))).toBe(false)
  })

  test('for a config that cannot be analysed while it cannot', () => {
    const unknown = accepted(unreadable({ file: wasteful().path }))
    expect(covers(unknown, unreadable({ file: wasteful().path, code: 'another-problem' }))).toBe(true)
    expect(covers(unknown, wasteful())).toBe(false)
  })

  test('for what runs out of memory by no more than was accepted', () => {
    const tooMuch = accepted(tooLarge(), true)
    const needing = (gib: number) =>
      tooLarge({
        spec: { ...tooLarge().spec, microBatch: 13 },
        current: point({ microBatch: 13, fits: false, peakBytes: gib * GIB }),
      })
    expect(covers(tooMuch, needing(32.1))).toBe(true)
    expect(covers(tooMuch, needing(32.2))).toBe(false)
  })
})

describe('an acceptance ends', () => {
  const before = accepted(wasteful({ verdict: waste(88.9) }))
  const outOfMemory: AnalysedConfig['verdict'] = { state: 'blocked', reasons: [{ kind: 'does-not-fit' }] }

  test('where the config runs out of memory, its content changed or not', () => {
    expect(covers(before, wasteful({ verdict: outOfMemory }))).toBe(false)
    expect(covers(before, atBatch(512, { verdict: outOfMemory }))).toBe(false)
  })

  test('where something blocks that did not', () => {
    const cost = { kind: 'condition', condition: { kind: 'annual-cost', aboveUsd: 10 }, actual: 34 } as const
    const both = atBatch(24, { verdict: { state: 'blocked', reasons: [...waste(80).reasons, cost] } })
    expect(covers(before, both)).toBe(false)
  })

  test('where what costs too much costs more', () => {
    const costing = (actual: number) =>
      atBatch(actual, {
        verdict: {
          state: 'blocked',
          reasons: [{ kind: 'condition', condition: { kind: 'annual-cost', aboveUsd: 10 }, actual }],
        },
      })
    expect(covers(accepted(costing(34)), costing(33))).toBe(true)
    expect(covers(accepted(costing(34)), costing(35))).toBe(false)
  })

  test('where the same content runs on another GPU and wastes more', () => {
    expect(covers(before, wasteful({ gpu: { ...a10, id: 'h100' }, verdict: waste(97) }))).toBe(false)
  })

  test('where it can no longer be analysed, or stands elsewhere', () => {
    expect(covers(before, unreadable({ file: wasteful().path }))).toBe(false)
    expect(covers(before, wasteful({ path: 'configs/other.yaml' }))).toBe(false)
  })
})
