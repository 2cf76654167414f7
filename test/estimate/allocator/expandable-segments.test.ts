/** PyTorch's allocator under `expandable_segments:True`. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KIB, MIB } from '../../../engine/base/units.ts'
import {
  type Allocator,
  type Block,
  CachingAllocator,
  roundedSize,
} from '../../../engine/estimate/allocator/caching-allocator.ts'
import { ExpandableAllocator } from '../../../engine/estimate/allocator/expandable-segments.ts'

const unlimited = () => new ExpandableAllocator(Number.POSITIVE_INFINITY)

function allocated(allocator: Allocator, bytes: number): Block {
  const block = allocator.allocate(bytes)
  if (block === undefined) throw new Error(`no room for ${bytes}`)
  return block
}

describe('a segment that expands', () => {
  test('grows by pages of 20 MiB, and of 2 MiB for requests of up to 1 MiB', () => {
    const allocator = unlimited()
    allocated(allocator, 1 * MIB)
    expect(allocator.peakReservedBytes).toBe(2 * MIB)
    allocated(allocator, 1 * MIB + 1)
    expect(allocator.peakReservedBytes).toBe(22 * MIB)
    allocated(allocator, 50 * MIB)
    expect(allocator.peakReservedBytes).toBe(62 * MIB)
  })

  test('grows from the free memory at its end, where other segments stay too small for ever', () => {
    const [expandable, fixed] = [unlimited(), new CachingAllocator(Number.POSITIVE_INFINITY)]
    for (const allocator of [expandable, fixed]) {
      for (const mib of [100, 120, 140]) allocator.release(allocated(allocator, mib * MIB))
    }
    expect(expandable.peakReservedBytes).toBe(140 * MIB)
    expect(fixed.peakReservedBytes).toBe(360 * MIB)
  })

  test('keeps a hole between two blocks for what fits into it', () => {
    const allocator = unlimited()
    const [first] = [allocated(allocator, 40 * MIB), allocated(allocator, 40 * MIB)]
    allocator.release(first)
    allocated(allocator, 60 * MIB)
    expect(allocator.peakReservedBytes).toBe(140 * MIB)
    allocated(allocator, 40 * MIB)
    expect(allocator.peakReservedBytes).toBe(140 * MIB)
  })

  test('is split wherever 512 bytes remain', () => {
    const allocator = unlimited()
    expect(allocator.bytesOf(allocated(allocator, 20 * MIB - 512))).toBe(20 * MIB - 512)
    allocated(allocator, 2 * MIB)
    expect(allocator.peakReservedBytes).toBe(40 * MIB)
  })
})

describe('a device that runs short', () => {
  test('refuses what exceeds its capacity', () => {
    const allocator = new ExpandableAllocator(60 * MIB)
    expect(allocator.allocate(61 * MIB)).toBeUndefined()
    expect(allocator.allocate(60 * MIB)).toBeDefined()
    expect(allocator.allocate(1)).toBeUndefined()
  })

  test('gets whole pages of free blocks back, also from the middle, and gives them again elsewhere', () => {
    const allocator = new ExpandableAllocator(120 * MIB)
    const [first] = [allocated(allocator, 50 * MIB), allocated(allocator, 30 * MIB)]
    allocator.release(first)
    expect(allocator.hasReturnedSegments).toBe(false)
    // 40 of the 50 MiB are whole pages.
    expect(allocator.allocate(81 * MIB)).toBeUndefined()
    expect(allocator.hasReturnedSegments).toBe(true)
    expect(allocator.bytesOf(allocated(allocator, 80 * MIB))).toBe(80 * MIB)
    expect(allocator.allocate(11 * MIB)).toBeUndefined()
    expect(allocator.bytesOf(allocated(allocator, 10 * MIB))).toBe(10 * MIB)
  })
})

/** Requests of 0.5 KiB to 64 MiB; each is released again at a random later time. */
const history = fc.array(
  fc.record({ bytes: fc.nat(16).chain(power => fc.nat(KIB * 2 ** power)), releases: fc.option(fc.nat()) }),
  { maxLength: 200 },
)

function replay(allocator: ExpandableAllocator, steps: readonly { bytes: number; releases: number | null }[]) {
  const live: { block: Block; bytes: number }[] = []
  let peakBytes = 0
  for (const { bytes, releases } of steps) {
    const block = allocator.allocate(bytes)
    if (block !== undefined) live.push({ block, bytes })
    peakBytes = Math.max(
      peakBytes,
      live.reduce((sum, each) => sum + allocator.bytesOf(each.block), 0),
    )
    const [released] = releases === null ? [] : live.splice(releases % Math.max(live.length, 1), 1)
    if (released !== undefined) allocator.release(released.block)
  }
  return { live, peakBytes }
}

describe('any history of requests and releases', () => {
  test('reserves at least what is live, gives each request its size, and no block twice', () => {
    fc.assert(
      fc.property(history, steps => {
        const allocator = unlimited()
        const { live, peakBytes } = replay(allocator, steps)
        for (const { block, bytes } of live) expect(allocator.bytesOf(block)).toBe(roundedSize(bytes))
        expect(new Set(live.map(({ block }) => block)).size).toBe(live.length)
        expect(allocator.peakReservedBytes).toBeGreaterThanOrEqual(peakBytes)
      }),
    )
  })

  test('leaves free memory as one block once everything is released, on a device that was short, too', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 2, max: 200 }), (steps, pages) => {
        const allocator = new ExpandableAllocator(pages * 20 * MIB)
        for (const { block } of replay(allocator, steps).live) allocator.release(block)
        expect(allocator.bytesOf(allocated(allocator, pages * 20 * MIB))).toBe(pages * 20 * MIB)
        expect(allocator.peakReservedBytes).toBeLessThanOrEqual(pages * 20 * MIB)
      }),
    )
  })
})
