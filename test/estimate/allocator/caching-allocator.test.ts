import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KIB, MIB } from '../../../engine/base/units.ts'
import { type Block, CachingAllocator, roundedSize } from '../../../engine/estimate/allocator/caching-allocator.ts'

const unlimited = () => new CachingAllocator(Number.POSITIVE_INFINITY)

function allocated(allocator: CachingAllocator, bytes: number): Block {
  const block = allocator.allocate(bytes)
  if (block === undefined) throw new Error(`no room for ${bytes} bytes`)
  return block
}

function reservedAfter(...requests: number[]): number {
  const allocator = unlimited()
  for (const bytes of requests) allocated(allocator, bytes)
  return allocator.peakReservedBytes
}

describe('rounding', () => {
  test.each([
    [0, 512],
    [1, 512],
    [512, 512],
    [513, 1_024],
    [1_000_000, 1_000_448],
  ])('a request of %d bytes occupies %d', (bytes, occupied) => {
    expect(roundedSize(bytes)).toBe(occupied)
    const allocator = unlimited()
    expect(allocator.bytesOf(allocated(allocator, bytes))).toBe(occupied)
  })
})

describe('segments', () => {
  test('requests up to 1 MiB are cut from 2 MiB', () => {
    expect(reservedAfter(1)).toBe(2 * MIB)
    expect(reservedAfter(MIB, MIB)).toBe(2 * MIB)
    expect(reservedAfter(MIB, MIB, 1)).toBe(4 * MIB)
  })

  test('requests above 1 MiB and below 10 MiB are cut from 20 MiB', () => {
    expect(reservedAfter(MIB + 1)).toBe(20 * MIB)
    expect(reservedAfter(9 * MIB, 9 * MIB)).toBe(20 * MIB)
    expect(reservedAfter(9 * MIB, 9 * MIB, 3 * MIB)).toBe(40 * MIB)
  })

  test('requests from 10 MiB on get a segment of their own, rounded to 2 MiB', () => {
    expect(reservedAfter(10 * MIB)).toBe(10 * MIB)
    expect(reservedAfter(10 * MIB + 1)).toBe(12 * MIB)
    expect(reservedAfter(101 * MIB)).toBe(102 * MIB)
  })

  test('a small request never takes from a large segment', () => {
    expect(reservedAfter(2 * MIB, 1)).toBe(22 * MIB)
  })
})

describe('reuse', () => {
  test('a released block serves the next request of its size', () => {
    const allocator = unlimited()
    allocator.release(allocated(allocator, 50 * MIB))
    allocated(allocator, 50 * MIB)
    expect(allocator.peakReservedBytes).toBe(50 * MIB)
  })

  test('the smallest free block that is large enough is taken', () => {
    const allocator = unlimited()
    const [large, small] = [allocated(allocator, 100 * MIB), allocated(allocator, 40 * MIB)]
    allocator.release(large)
    allocator.release(small)
    expect(allocated(allocator, 39.5 * MIB)).toBe(small)
    expect(allocated(allocator, 99.5 * MIB)).toBe(large)
  })

  test('a large block is split only when more than 1 MiB is left', () => {
    const allocator = unlimited()
    allocator.release(allocated(allocator, 20 * MIB))
    const whole = allocated(allocator, 19 * MIB)
    expect(allocator.bytesOf(whole)).toBe(20 * MIB)
    allocator.release(whole)
    expect(allocator.bytesOf(allocated(allocator, 19 * MIB - 512))).toBe(19 * MIB - 512)
  })

  test('a small block is split from 512 bytes of rest on', () => {
    const allocator = unlimited()
    expect(allocator.bytesOf(allocated(allocator, MIB))).toBe(MIB)
    expect(allocator.bytesOf(allocated(allocator, MIB - 512))).toBe(MIB - 512)
    expect(allocator.bytesOf(allocated(allocator, 512))).toBe(512)
    expect(allocator.peakReservedBytes).toBe(2 * MIB)
  })

  test.each([
    ['left to right', [0, 1, 2]],
    ['right to left', [2, 1, 0]],
    ['middle last', [0, 2, 1]],
  ])('neighbours merge when released %s', (_, order) => {
    const allocator = unlimited()
    const blocks = [0, 1, 2].map(() => allocated(allocator, 6 * MIB))
    for (const index of order) allocator.release(blocks[index] as Block)
    expect(allocator.bytesOf(allocated(allocator, 20 * MIB))).toBe(20 * MIB)
    expect(allocator.peakReservedBytes).toBe(20 * MIB)
  })
})

describe('a device that runs short', () => {
  test('refuses what exceeds its capacity', () => {
    const allocator = new CachingAllocator(50 * MIB)
    expect(allocator.allocate(51 * MIB)).toBeUndefined()
    expect(allocator.allocate(50 * MIB)).toBeDefined()
    expect(allocator.allocate(1)).toBeUndefined()
  })

  test('gets cached segments back before it refuses', () => {
    const allocator = new CachingAllocator(100 * MIB)
    allocator.release(allocated(allocator, 60 * MIB))
    expect(allocator.hasReturnedSegments).toBe(false)
    expect(allocator.bytesOf(allocated(allocator, 70 * MIB))).toBe(70 * MIB)
    expect(allocator.hasReturnedSegments).toBe(true)
    expect(allocator.peakReservedBytes).toBe(70 * MIB)
  })

  test('does not get back a segment of which a part is in use', () => {
    const allocator = new CachingAllocator(100 * MIB)
    const [first, second] = [allocated(allocator, 9 * MIB), allocated(allocator, 9 * MIB)]
    allocator.release(first)
    expect(allocator.allocate(81 * MIB)).toBeUndefined()
    allocator.release(second)
    expect(allocator.allocate(81 * MIB)).toBeDefined()
  })
})

/** Requests of 0.5 KiB to 64 MiB, spread over all pools; each is released again at a random later time. */
const history = fc.array(
  fc.record({ bytes: fc.nat(16).chain(power => fc.nat(KIB * 2 ** power)), releases: fc.option(fc.nat()) }),
  { maxLength: 200 },
)

describe('any history of requests and releases', () => {
  test('reserves at least what is live, and gives each request at least its size', () => {
    fc.assert(
      fc.property(history, steps => {
        const allocator = unlimited()
        const live = replay(allocator, steps)
        for (const { block, bytes } of live) expect(allocator.bytesOf(block)).toBeGreaterThanOrEqual(bytes)
        const liveBytes = live.reduce((sum, { block }) => sum + allocator.bytesOf(block), 0)
        expect(allocator.peakReservedBytes).toBeGreaterThanOrEqual(liveBytes)
      }),
    )
  })

  test('never hands out a block that is in use', () => {
    fc.assert(
      fc.property(history, steps => {
        const live = replay(unlimited(), steps).map(({ block }) => block)
        expect(new Set(live).size).toBe(live.length)
      }),
    )
  })

  test('leaves one free block per segment once everything is released, so all of it can go back', () => {
    fc.assert(
      fc.property(history, steps => {
        const reserved = unlimited()
        replay(reserved, steps)
        const capacity = Math.max(20 * MIB, reserved.peakReservedBytes)
        const allocator = new CachingAllocator(capacity)
        for (const { block } of replay(allocator, steps)) allocator.release(block)
        // Segments are multiples of 2 MiB, so the whole device can be one block again.
        expect(allocator.bytesOf(allocated(allocator, capacity))).toBeGreaterThanOrEqual(capacity)
      }),
    )
  })
})

function replay(
  allocator: CachingAllocator,
  steps: readonly { bytes: number; releases: number | null }[],
): { block: Block; bytes: number }[] {
  const live: { block: Block; bytes: number }[] = []
  for (const { bytes, releases } of steps) {
    live.push({ block: allocated(allocator, bytes), bytes })
    if (releases === null) continue
    const [gone] = live.splice(releases % live.length, 1)
    if (gone !== undefined) allocator.release(gone.block)
  }
  return live
}
