/**
 * PyTorch's caching allocator under `expandable_segments:True` (c10/cuda/CUDACachingAllocator.cpp, ExpandableSegment): small and
 * large blocks are cut from one segment each, which grows by pages where no free block is large enough, so that free memory before
 * its end is used by what grows over it. Where the device runs short, whole pages of free blocks go back to it. One stream.
 */
import { MIB } from '../units.ts'
import { type Allocator, type Block, roundedSize } from './allocator.ts'

const SMALL_BYTES = MIB
const SMALL_PAGE_BYTES = 2 * MIB
const LARGE_PAGE_BYTES = 20 * MIB
const MIN_BLOCK_BYTES = 512

/** A range of a segment's addresses, between its neighbours. */
interface Piece {
  bytes: number
  isFree: boolean
  readonly isSmall: boolean
  /** Not a hole. */
  hasMemory: boolean
  previous: Piece | undefined
  next: Piece | undefined
}

/** A segment of addresses without end, of which only a part has memory. */
interface Segment {
  readonly pageBytes: number
  /** Blocks that have memory and are free, ordered by size. */
  readonly free: Piece[]
  /** Ranges without memory by address, all of whole pages; the last has no end. */
  holes: Piece[]
  /** At the lowest address. */
  first: Piece
}

export class ExpandableAllocator implements Allocator {
  peakReservedBytes = 0
  /** Whether the device ran short of memory, so that a larger one would have behaved differently. */
  hasReturnedSegments = false
  #reservedBytes = 0
  readonly #capacityBytes: number
  readonly #small = segment(SMALL_PAGE_BYTES, true)
  readonly #large = segment(LARGE_PAGE_BYTES, false)
  /** What is allocated, by the number that callers hand back. */
  readonly #held: Piece[] = []
  /** Numbers to be used again. */
  readonly #released: Block[] = []

  constructor(capacityBytes: number) {
    this.#capacityBytes = capacityBytes
  }

  /** Undefined when the device has no room even after free pages went back. */
  allocate(bytes: number): Block | undefined {
    const size = roundedSize(bytes)
    const from = size <= SMALL_BYTES ? this.#small : this.#large
    const piece = takeFree(from, size) ?? this.#expanded(from, size)
    if (piece === undefined) return undefined
    splitOff(from, piece, size)
    piece.isFree = false
    const number = this.#released.pop() ?? this.#held.length
    this.#held[number] = piece
    return number
  }

  bytesOf(number: Block): number {
    return this.#held[number]?.bytes ?? 0
  }

  release(number: Block): void {
    const block = this.#held[number]
    if (block === undefined) return
    this.#released.push(number)
    const from = block.isSmall ? this.#small : this.#large
    block.isFree = true
    absorbFree(from, block)
    const { previous } = block
    if (previous?.isFree && previous.hasMemory) {
      removeFree(from, previous)
      absorb(previous)
      insertFree(from, previous)
    } else insertFree(from, block)
  }

  #expanded(from: Segment, size: number): Piece | undefined {
    const expanded = this.#expand(from, size)
    if (expanded !== undefined) return expanded
    this.hasReturnedSegments = true
    for (const each of [this.#small, this.#large]) this.#reservedBytes -= returnPages(each)
    return this.#expand(from, size)
  }

  /** find_expandable_block and try_allocate_expandable_block: the first range of free addresses that is long enough. */
  #expand(from: Segment, size: number): Piece | undefined {
    for (const hole of from.holes) {
      const start = hole.previous?.isFree && hole.previous.hasMemory ? hole.previous : hole
      const neededBytes = bytesToMap(from, start, size)
      if (neededBytes === undefined) continue
      if (this.#reservedBytes + neededBytes > this.#capacityBytes) return undefined
      this.#reservedBytes += neededBytes
      this.peakReservedBytes = Math.max(this.peakReservedBytes, this.#reservedBytes)
      return mapped(from, start, size)
    }
    return undefined
  }
}

function segment(pageBytes: number, isSmall: boolean): Segment {
  const end: Piece = {
    bytes: Number.POSITIVE_INFINITY,
    isFree: true,
    isSmall,
    hasMemory: false,
    previous: undefined,
    next: undefined,
  }
  return { pageBytes, free: [], holes: [end], first: end }
}

/** Best fit; the block at the end, which can grow, counts as the largest (get_free_block). */
function takeFree({ free }: Segment, size: number): Piece | undefined {
  let index = lowerBound(free, size)
  while (free[index]?.next?.hasMemory === false && index + 1 < free.length) index += 1
  return free.splice(index, 1)[0]
}

/** Memory to add for `size` bytes from `start` on; undefined where the free addresses do not suffice. */
function bytesToMap(from: Segment, start: Piece, size: number): number | undefined {
  let missing = size
  let bytes = 0
  for (let block: Piece | undefined = start; missing > 0; block = block.next) {
    if (block === undefined || !block.isFree) return undefined
    const isHole = !block.hasMemory
    const taken = isHole ? Math.min(block.bytes, toPages(missing, from.pageBytes)) : block.bytes
    if (isHole) bytes += taken
    missing -= taken
  }
  return bytes
}

/** One block of at least `size` bytes from `start` on, no longer among the free ones. */
function mapped(from: Segment, start: Piece, size: number): Piece {
  const block = start.hasMemory ? start : emptyBefore(from, start)
  if (block === start) removeFree(from, start)
  while (block.bytes < size) {
    const { next } = block
    if (next === undefined) throw new Error('a segment has no end')
    if (next.hasMemory) {
      removeFree(from, next)
      absorb(block)
      continue
    }
    const taken = Math.min(next.bytes, toPages(size - block.bytes, from.pageBytes))
    if (taken === next.bytes) {
      from.holes = from.holes.filter(hole => hole !== next)
      absorb(block)
    } else {
      next.bytes -= taken
      block.bytes += taken
    }
  }
  absorbFree(from, block)
  return block
}

function emptyBefore(from: Segment, hole: Piece): Piece {
  const block: Piece = {
    bytes: 0,
    isFree: true,
    isSmall: hole.isSmall,
    hasMemory: true,
    previous: hole.previous,
    next: hole,
  }
  if (hole.previous === undefined) from.first = block
  else hole.previous.next = block
  hole.previous = block
  return block
}

/** should_split: with expandable segments, wherever the smallest block remains. */
function splitOff(from: Segment, block: Piece, size: number): void {
  const rest = block.bytes - size
  if (rest < MIN_BLOCK_BYTES) return
  block.bytes = size
  insertFree(from, insertAfter(block, rest))
}

function insertAfter(block: Piece, bytes: number): Piece {
  const inserted: Piece = {
    bytes,
    isFree: true,
    isSmall: block.isSmall,
    hasMemory: true,
    previous: block,
    next: block.next,
  }
  if (block.next !== undefined) block.next.previous = inserted
  block.next = inserted
  return inserted
}

/** The block gets what follows it. */
function absorb(block: Piece): void {
  const { next } = block
  if (next === undefined) return
  block.bytes += next.bytes
  block.next = next.next
  if (next.next !== undefined) next.next.previous = block
}

function absorbFree(from: Segment, block: Piece): void {
  const { next } = block
  if (next === undefined || !next.isFree || !next.hasMemory) return
  removeFree(from, next)
  absorb(block)
}

/** unmap_block for every free block: the bytes of its whole pages, which have no memory from then on. */
function returnPages(from: Segment): number {
  let returned = 0
  let address = 0
  for (let block: Piece | undefined = from.first; block !== undefined; block = block.next) {
    const { bytes } = block
    const start = toPages(address, from.pageBytes)
    const end = Math.floor((address + bytes) / from.pageBytes) * from.pageBytes
    if (block.isFree && block.hasMemory && end > start) {
      returned += end - start
      removeFree(from, block)
      block = withoutPages(from, block, { before: start - address, pages: end - start })
    }
    address += bytes
  }
  from.holes = mergedHoles(from)
  return returned
}

/** The last of the blocks that it becomes: what lies before its pages, the pages, and what lies behind them. */
function withoutPages(
  from: Segment,
  block: Piece,
  { before, pages }: { readonly before: number; readonly pages: number },
): Piece {
  const after = block.bytes - before - pages
  block.bytes = before > 0 ? before : pages
  const hole = before > 0 ? insertAfter(block, pages) : block
  if (before > 0) insertFree(from, block)
  hole.hasMemory = false
  from.holes.push(hole)
  if (after <= 0) return hole
  const rest = insertAfter(hole, after)
  insertFree(from, rest)
  return rest
}

/** Neighbours as one, by address. */
function mergedHoles(from: Segment): Piece[] {
  const holes: Piece[] = []
  for (let block: Piece | undefined = from.first; block !== undefined; block = block.next) {
    if (block.hasMemory) continue
    while (block.next?.hasMemory === false) absorb(block)
    holes.push(block)
  }
  return holes
}

function toPages(bytes: number, pageBytes: number): number {
  return Math.ceil(bytes / pageBytes) * pageBytes
}

function insertFree({ free }: Segment, block: Piece): void {
  free.splice(lowerBound(free, block.bytes), 0, block)
}

function removeFree({ free }: Segment, block: Piece): void {
  const index = free.indexOf(block, lowerBound(free, block.bytes))
  if (index >= 0) free.splice(index, 1)
}

/** Index of the first block of at least `size` bytes. */
function lowerBound(blocks: readonly Piece[], size: number): number {
  let low = 0
  let high = blocks.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((blocks[middle]?.bytes ?? 0) < size) low = middle + 1
    else high = middle
  }
  return low
}
