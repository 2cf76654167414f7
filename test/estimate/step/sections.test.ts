import { describe, expect, test } from 'vitest'
import { MIB } from '../../../engine/base/units.ts'
import { CachingAllocator } from '../../../engine/estimate/allocator/caching-allocator.ts'
import { allocatedAt, highestPoint, noBlocks, replay } from '../../../engine/estimate/step/replay.ts'
import { type Sections, sectionsOf } from '../../../engine/estimate/step/sections.ts'
import { Step } from '../../../engine/estimate/step/step.ts'
import type { Turn } from '../../../engine/estimate/tape/repetition.ts'
import type { Storage } from '../../../engine/estimate/tape/storage.ts'

const BYTES = 16 * MIB

/** Layers that keep 16 MiB each from the forward pass to the backward pass, two in between left out. */
function stepOf(keptOf: (turn: Turn) => number): { step: Step; turns: readonly Turn[] } {
  const repetition = { standIn: 1, leftOut: 2, behind: 2 }
  const turns = [0, 1, 2, 3].map(at => ({ repetition, at, storages: 0 }))
  const kept = turns.map((turn): Storage => {
    const common = { bytesPerSample: 0, kind: 'activations', persistent: false, turn, role: 0 } as const
    return { ...common, id: turn.at, fixedBytes: keptOf(turn) }
  })
  const step = new Step()
  const visit = (at: number, what: 'allocate' | 'release') => {
    step.turn = turns[at]
    const storage = kept[at]
    if (storage !== undefined) step[what](storage)
    step.turn = undefined
  }
  for (const at of [0, 1, 2, 3]) visit(at, 'allocate')
  for (const at of [3, 2, 1, 0]) visit(at, 'release')
  return { step, turns }
}

function known(sections: Sections | undefined): Sections {
  if (sections === undefined) throw new Error('the turns are not alike')
  return sections
}

describe('a step whose middle turns are alike', () => {
  const { step } = stepOf(() => BYTES)
  const sections = known(sectionsOf(step, []))
  const sizes = step.bytesAt(1)

  test('happens three times where two turns are left out, forwards and backwards', () => {
    const repeated = sections.all.filter(({ times }) => times > 1)
    expect(repeated.map(({ times, direction }) => [times, direction])).toEqual([
      [3, 1],
      [3, -1],
    ])
  })

  test('is highest with all six layers allocated', () => {
    const { bytes, at } = highestPoint(sections, sizes, 0)
    expect(bytes).toBe(6 * BYTES)
    expect(at && [...allocatedAt(sections, at, sizes.length)]).toEqual([0, 6])
  })

  test('releases every block that it allocates, each once', () => {
    const allocator = new CachingAllocator(6 * BYTES)
    const blocks = noBlocks(sections)
    expect(replay(sections, sections.all, sizes, allocator, blocks)).toBe(true)
    expect(allocator.peakReservedBytes).toBe(6 * BYTES)
    // All of it is free again.
    expect(allocator.allocate(6 * BYTES)).toBeDefined()
  })

  test('does not fit where one layer has no room', () => {
    const allocator = new CachingAllocator(5 * BYTES)
    expect(replay(sections, sections.all, sizes, allocator, noBlocks(sections))).toBe(false)
  })
})

test('nothing is said of layers left out where those in the middle differ', () => {
  const { step } = stepOf(({ at }) => (at === 2 ? 2 * BYTES : BYTES))
  expect(sectionsOf(step, [])).toBeUndefined()
})

test('a section begins where it is told to', () => {
  const { step } = stepOf(() => BYTES)
  expect(known(sectionsOf(step, [4])).all.some(({ from }) => from === 4)).toBe(true)
})
