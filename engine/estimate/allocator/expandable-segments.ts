/**
 * PyTorch's caching allocator under `expandable_segments:True` (c10/cuda/CUDACachingAllocator.cpp, ExpandableSegment): small and
 * large blocks are cut from one segment each, which grows by pages where no free block is large enough, so that free memory before
 * its end is used by what grows over it. Where the device runs short, whole pages of free blocks go back to it. One stream.
 */
import { MIB } from '../../base/units.ts'
import { BlockTable } from './block-table.ts'
import { type Allocator, type Block, roundedSize } from './caching-allocator.ts'
import { FreeBlocks } from './free-blocks.ts'

const SMALL_BYTES = MIB
const SMALL_PAGE_BYTES = 2 * MIB
const LARGE_PAGE_BYTES = 20 * MIB
const MIN_BLOCK_BYTES = 512
const NONE = -1

export class ExpandableAllocator implements Allocator {
  peakReservedBytes = 0
  /** Whether the device ran short of memory, so that a larger one would have behaved differently. */
  hasReturnedSegments = false
  #reservedBytes = 0
  readonly #capacityBytes: number
  readonly #table: BlockTable
  readonly #small: Segment
  readonly #large: Segment

  /** `table`: empty. */
  constructor(capacityBytes: number, table = new BlockTable()) {
    this.#capacityBytes = capacityBytes
    this.#table = table
    this.#small = new Segment(table, SMALL_PAGE_BYTES, true)
    this.#large = new Segment(table, LARGE_PAGE_BYTES, false)
  }

  get table(): BlockTable {
    return this.#table
  }

  /** Undefined when the device has no room even after free pages went back. */
  allocate(bytes: number): Block | undefined {
    const size = roundedSize(bytes)
    const from = size <= SMALL_BYTES ? this.#small : this.#large
    const free = from.takeFree(size)
    const block = free === NONE ? this.#expanded(from, size) : free
    if (block === NONE) return undefined
    from.splitOff(block, size)
    this.#table.isFree[block] = 0
    return block
  }

  bytesOf(block: Block): number {
    return this.#table.bytes[block] ?? 0
  }

  release(block: Block): void {
    if (this.#table.isSmall[block] === 1) this.#small.release(block)
    else this.#large.release(block)
  }

  /** A block with memory of its own; none where the device has no room. */
  #expanded(from: Segment, size: number): Block {
    const expanded = this.#expand(from, size)
    if (expanded !== NONE) return expanded
    this.hasReturnedSegments = true
    for (const each of [this.#small, this.#large]) this.#reservedBytes -= each.returnPages()
    return this.#expand(from, size)
  }

  /** find_expandable_block and try_allocate_expandable_block: the first range of free addresses that is long enough. */
  #expand(from: Segment, size: number): Block {
    for (const hole of from.holes) {
      const start = from.startOfFree(hole)
      const neededBytes = from.bytesToMap(start, size)
      if (neededBytes === undefined) continue
      if (this.#reservedBytes + neededBytes > this.#capacityBytes) return NONE
      this.#reservedBytes += neededBytes
      this.peakReservedBytes = Math.max(this.peakReservedBytes, this.#reservedBytes)
      return from.map(start, size)
    }
    return NONE
  }
}

/** A range of addresses without end, of which only a part has memory: the rest are holes, of whole pages. */
class Segment {
  readonly #table: BlockTable
  readonly #free: FreeBlocks
  readonly #pageBytes: number
  readonly #isSmall: boolean
  /** At the lowest address. */
  #first: Block
  /** By address; the last has no end. */
  holes: readonly Block[]

  constructor(table: BlockTable, pageBytes: number, isSmall: boolean) {
    this.#table = table
    this.#free = new FreeBlocks(table)
    this.#pageBytes = pageBytes
    this.#isSmall = isSmall
    this.#first = table.add(Number.POSITIVE_INFINITY, isSmall)
    table.isHole[this.#first] = 1
    this.holes = [this.#first]
  }

  /** Best fit; the block at the end, which can grow, counts as the largest (get_free_block). */
  takeFree(size: number): Block {
    let block = this.#free.firstOf(size)
    while (block !== NONE && this.#isBeforeHole(block)) {
      const larger = this.#free.after(block)
      if (larger === NONE) break
      block = larger
    }
    if (block !== NONE) this.#free.remove(block)
    return block
  }

  /** should_split: with expandable segments, wherever the smallest block remains. */
  splitOff(block: Block, size: number): void {
    const rest = this.#table.bytes[block]! - size
    if (rest < MIN_BLOCK_BYTES) return
    this.#table.bytes[block] = size
    this.#free.insert(this.#insertAfter(block, rest))
  }

  release(block: Block): void {
    this.#table.isFree[block] = 1
    this.#absorbFree(block)
    const before = this.#table.previous[block]!
    if (before === NONE || !this.#hasFreeMemory(before)) {
      this.#free.insert(block)
      return
    }
    this.#free.remove(before)
    this.#absorb(before)
    this.#free.insert(before)
  }

  /** A hole, or the free block before it. */
  startOfFree(hole: Block): Block {
    const before = this.#table.previous[hole]!
    return before !== NONE && this.#hasFreeMemory(before) ? before : hole
  }

  /** Memory to add for `size` bytes from `start` on; undefined where the free addresses do not suffice. */
  bytesToMap(start: Block, size: number): number | undefined {
    const { bytes, next, isFree, isHole } = this.#table
    let missing = size
    let needed = 0
    for (let block = start; missing > 0; block = next[block]!) {
      if (block === NONE || isFree[block] === 0) return undefined
      const taken = isHole[block] === 1 ? Math.min(bytes[block]!, this.#toPages(missing)) : bytes[block]!
      if (isHole[block] === 1) needed += taken
      missing -= taken
    }
    return needed
  }

  /** One block of at least `size` bytes from `start` on, no longer among the free ones. */
  map(start: Block, size: number): Block {
    const table = this.#table
    if (table.isHole[start] === 0) this.#free.remove(start)
    const block = table.isHole[start] === 0 ? start : this.#emptyBefore(start)
    while (table.bytes[block]! < size) {
      const next = table.next[block]!
      if (table.isHole[next] === 0) {
        this.#free.remove(next)
        this.#absorb(block)
        continue
      }
      const taken = Math.min(table.bytes[next]!, this.#toPages(size - table.bytes[block]!))
      if (taken === table.bytes[next]) {
        this.holes = this.holes.filter(hole => hole !== next)
        this.#absorb(block)
      } else {
        table.bytes[next] = table.bytes[next]! - taken
        table.bytes[block] = table.bytes[block]! + taken
      }
    }
    this.#absorbFree(block)
    return block
  }

  /** unmap_block for every free block: the bytes of its whole pages, which have no memory from then on. */
  returnPages(): number {
    const table = this.#table
    let returned = 0
    let address = 0
    for (let block = this.#first; block !== NONE; block = table.next[block]!) {
      const bytes = table.bytes[block]!
      const start = this.#toPages(address)
      const end = Math.floor((address + bytes) / this.#pageBytes) * this.#pageBytes
      if (this.#hasFreeMemory(block) && end > start) {
        returned += end - start
        this.#free.remove(block)
        block = this.#withoutPages(block, { before: start - address, pages: end - start })
      }
      address += bytes
    }
    this.holes = this.#mergedHoles()
    return returned
  }

  /** The last of the blocks that it becomes: what lies before its pages, the pages, and what lies behind them. */
  #withoutPages(block: Block, { before, pages }: { readonly before: number; readonly pages: number }): Block {
    const { bytes } = this.#table
    const after = bytes[block]! - before - pages
    bytes[block] = before > 0 ? before : pages
    const hole = before > 0 ? this.#insertAfter(block, pages) : block
    if (before > 0) this.#free.insert(block)
    this.#table.isHole[hole] = 1
    if (after <= 0) return hole
    const rest = this.#insertAfter(hole, after)
    this.#free.insert(rest)
    return rest
  }

  /** Neighbours as one, by address. */
  #mergedHoles(): readonly Block[] {
    const { isHole, next } = this.#table
    const holes: Block[] = []
    for (let block = this.#first; block !== NONE; block = next[block]!) {
      if (isHole[block] === 0) continue
      while (isHole[next[block]!] === 1) this.#absorb(block)
      holes.push(block)
    }
    return holes
  }

  #emptyBefore(hole: Block): Block {
    const block = this.#table.add(0, this.#isSmall)
    const before = this.#table.previous[hole]!
    if (before === NONE) this.#first = block
    else this.#link(before, block)
    this.#link(block, hole)
    return block
  }

  #insertAfter(block: Block, bytes: number): Block {
    const inserted = this.#table.add(bytes, this.#isSmall)
    const after = this.#table.next[block]!
    if (after !== NONE) this.#link(inserted, after)
    this.#link(block, inserted)
    return inserted
  }

  #link(block: Block, after: Block): void {
    this.#table.next[block] = after
    this.#table.previous[after] = block
  }

  /** The block gets what follows it. */
  #absorb(block: Block): void {
    const { bytes, next } = this.#table
    const absorbed = next[block]!
    bytes[block] = bytes[block]! + bytes[absorbed]!
    const after = next[absorbed]!
    if (after === NONE) next[block] = NONE
    else this.#link(block, after)
    this.#table.drop(absorbed)
  }

  #absorbFree(block: Block): void {
    const after = this.#table.next[block]!
    if (after === NONE || !this.#hasFreeMemory(after)) return
    this.#free.remove(after)
    this.#absorb(block)
  }

  #hasFreeMemory(block: Block): boolean {
    return this.#table.isFree[block] === 1 && this.#table.isHole[block] === 0
  }

  #isBeforeHole(block: Block): boolean {
    return this.#table.isHole[this.#table.next[block]!] === 1
  }

  #toPages(bytes: number): number {
    return Math.ceil(bytes / this.#pageBytes) * this.#pageBytes
  }
}
