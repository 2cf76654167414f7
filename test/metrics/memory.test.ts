import { describe, expect, test } from 'vitest'
import { idleBytes, idlePercent, missingBytes, shareOfUsable } from '../../engine/metrics/memory.ts'

const gpu = { usableBytes: 20_000 }

describe('memory against what a GPU can use', () => {
  test('a peak of a tenth leaves nine tenths idle', () => {
    expect(shareOfUsable(gpu, { peakBytes: 2_000 })).toBe(0.1)
    expect(idleBytes(gpu, { peakBytes: 2_000 })).toBe(18_000)
    expect(idlePercent(gpu, { peakBytes: 2_000 })).toBe(90)
    expect(missingBytes(gpu, { peakBytes: 2_000 })).toBe(0)
  })

  test('a peak beyond the GPU wastes nothing and says how much is missing', () => {
    expect(shareOfUsable(gpu, { peakBytes: 25_000 })).toBe(1.25)
    expect(idleBytes(gpu, { peakBytes: 25_000 })).toBe(0)
    expect(idlePercent(gpu, { peakBytes: 25_000 })).toBe(0)
    expect(missingBytes(gpu, { peakBytes: 25_000 })).toBe(5_000)
  })

  test('a GPU with nothing usable is never divided by', () => {
    expect(shareOfUsable({ usableBytes: 0 }, { peakBytes: 1 })).toBe(Number.POSITIVE_INFINITY)
    expect(idlePercent({ usableBytes: 0 }, { peakBytes: 1 })).toBe(0)
  })
})
