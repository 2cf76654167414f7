/** Passes over a step's sections: its highest point, and the caching allocator's answer to it. */
import type { Allocator } from '../allocator/caching-allocator.ts'
import type { Section, Sections } from './sections.ts'

/** A point of a step: behind so many whole times of a section and so many events of the next. */
export interface Point {
  readonly section: number
  readonly times: number
  readonly events: number
}

export interface HighestPoint {
  readonly bytes: number
  /** Undefined where nothing is above the start. */
  readonly at: Point | undefined
}

/**
 * Where most is allocated, and how much; the first such point, undefined where nothing is above `startBytes`. Of a section that happens
 * several times, the last is the highest if each leaves something behind, and else the first.
 */
export function highestPoint({ all, changes }: Sections, sizes: Float64Array, startBytes: number): HighestPoint {
  let bytes = startBytes
  let highestBytes = startBytes
  let highestSection = -1
  let timesBeforeHighest = 0
  let highestEvent = 0
  for (let section = 0; section < all.length; section++) {
    const { from, to, times } = all[section]!
    const left = times > 1 ? changeOver({ changes }, { from, to }, sizes) : 0
    const timesBefore = left > 0 ? times - 1 : 0
    bytes += timesBefore * left
    for (let event = from; event < to; event++) {
      const change = changes[event]!
      bytes += change < 0 ? -sizes[-change]! : sizes[change]!
      if (bytes <= highestBytes) continue
      highestBytes = bytes
      highestSection = section
      timesBeforeHighest = timesBefore
      highestEvent = event
    }
    bytes += (times - 1 - timesBefore) * left
  }
  const highest = all[highestSection]
  if (highest === undefined) return { bytes: highestBytes, at: undefined }
  const at = { section: highestSection, times: timesBeforeHighest, events: highestEvent + 1 - highest.from }
  return { bytes: highestBytes, at }
}

/** What a section leaves allocated behind, or releases, each time it happens. */
export function changeOver(
  { changes }: Pick<Sections, 'changes'>,
  { from, to }: Pick<Section, 'from' | 'to'>,
  sizes: Float64Array,
): number {
  let bytes = 0
  for (let event = from; event < to; event++) {
    const change = changes[event]!
    bytes += change < 0 ? -sizes[-change]! : sizes[change]!
  }
  return bytes
}

/** How many blocks of each size, by its number, are allocated at a point beside those of the start. */
export function allocatedAt({ all, changes }: Sections, at: Point, sizeCount: number): Int32Array {
  const counts = new Int32Array(sizeCount)
  const count = (from: number, to: number, times: number) => {
    for (let event = from; event < to; event++) {
      const change = changes[event]!
      if (change < 0) counts[-change]! -= times
      else counts[change]! += times
    }
  }
  for (const [index, { from, to, times }] of all.entries()) {
    if (index > at.section) break
    const isReached = index < at.section
    count(from, to, isReached ? times : at.times)
    if (!isReached) count(from, from + at.events, 1)
  }
  return counts
}

const NO_BLOCK = -1

/** The blocks of a step, by their places. */
export function noBlocks({ placeCount }: Sections): Int32Array {
  return new Int32Array(placeCount).fill(NO_BLOCK)
}

/** Whether memory sufficed for some of the sections. `sizes`: bytes by size number; `blocks`: what is allocated, by place. */
export function replay(
  { changes, places, moves }: Sections,
  sections: readonly Section[],
  sizes: Float64Array,
  allocator: Allocator,
  blocks: Int32Array,
): boolean {
  for (const { from, to, times, direction } of sections) {
    for (let time = 0; time < times; time++) {
      const moved = direction * time
      for (let event = from; event < to; event++) {
        const change = changes[event]!
        const place = moves[event] === 1 ? places[event]! + moved : places[event]!
        if (change > 0) {
          const block = allocator.allocate(sizes[change]!)
          if (block === undefined) return false
          blocks[place] = block
        } else if (blocks[place] !== NO_BLOCK) allocator.release(blocks[place]!)
      }
    }
  }
  return true
}
