/**
 * A model of PyTorch's caching allocator (c10/cuda/CUDACachingAllocator.cpp): blocks cut from segments, best fit first,
 * neighbours merged on release, segments returned to the device only when it runs out. One stream.
 */
import { MIB } from '../../base/units.ts'
import { BlockTable } from './block-table.ts'
import { FreeBlocks } from './free-blocks.ts'

const MIN_BLOCK_BYTES = 512
const SMALL_BYTES = MIB
const SMALL_SEGMENT_BYTES = 2 * MIB
const LARGE_SEGMENT_BYTES = 20 * MIB
/** Requests from here on get a segment of their own size, rounded to 2 MiB. */
const OWN_SEGMENT_BYTES = 10 * MIB
const SEGMENT_ROUNDING_BYTES = 2 * MIB

/** What a request of `bytes` occupies. */
export function roundedSize(bytes: number): number {
  return Math.max(MIN_BLOCK_BYTES, Math.ceil(bytes / MIN_BLOCK_BYTES) * MIN_BLOCK_BYTES)
}

/** A piece of a segment, by its number. Callers only hand it back. */
export type Block = number

export interface Allocator {
  readonly peakReservedBytes: number
  /** Whether the device ran short of memory, so that a larger one would have behaved differently. */
  readonly hasReturnedSegments: boolean
  /** How its blocks lie. */
  readonly table: BlockTable
  /** Undefined when the device has no room. */
  allocate(bytes: number): Block | undefined
  release(block: Block): void
}

export class CachingAllocator implements Allocator {
  peakReservedBytes = 0
  /** Whether the device ran short of memory, so that a larger one would have behaved differently. */
  hasReturnedSegments = false
  #reservedBytes = 0
  readonly #capacityBytes: number
  readonly #table: BlockTable
  /** Small requests never take from large segments. */
  readonly #small: FreeBlocks
  readonly #large: FreeBlocks

  /** `table`: empty. */
  constructor(capacityBytes: number, table = new BlockTable()) {
    this.#capacityBytes = capacityBytes
    this.#table = table
    this.#small = new FreeBlocks(table)
    this.#large = new FreeBlocks(table)
  }

  get table(): BlockTable {
    return this.#table
  }

  /** Undefined when the device has no room even after cached segments went back. */
  allocate(bytes: number): Block | undefined {
    const size = roundedSize(bytes)
    const isSmall = size <= SMALL_BYTES
    const taken = (isSmall ? this.#small : this.#large).take(size)
    const block = taken >= 0 ? taken : this.#newSegment(size, isSmall)
    if (block === undefined) return undefined
    this.#splitOff(block, size)
    this.#table.isFree[block] = 0
    return block
  }

  release(block: Block): void {
    const { isFree, isSmall, previous, next } = this.#table
    const pool = isSmall[block] === 1 ? this.#small : this.#large
    isFree[block] = 1
    const after = next[block]!
    if (after >= 0 && isFree[after] === 1) {
      pool.remove(after)
      this.#absorb(block, after)
    }
    const before = previous[block]!
    if (before < 0 || isFree[before] !== 1) {
      pool.insert(block)
      return
    }
    pool.remove(before)
    this.#absorb(before, block)
    pool.insert(before)
  }

  bytesOf(block: Block): number {
    return this.#table.bytes[block] ?? 0
  }

  #newSegment(size: number, isSmall: boolean): Block | undefined {
    const bytes = segmentSize(size)
    if (this.#reservedBytes + bytes > this.#capacityBytes) this.#returnFreeSegments()
    if (this.#reservedBytes + bytes > this.#capacityBytes) return undefined
    this.#reservedBytes += bytes
    this.peakReservedBytes = Math.max(this.peakReservedBytes, this.#reservedBytes)
    return this.#table.add(bytes, isSmall)
  }

  /** release_cached_blocks: every segment that is a single free block goes back to the device. */
  #returnFreeSegments(): void {
    this.hasReturnedSegments = true
    const { previous, next, bytes } = this.#table
    for (const pool of [this.#small, this.#large]) {
      for (const block of pool.all()) {
        if (previous[block]! >= 0 || next[block]! >= 0) continue
        this.#reservedBytes -= bytes[block]!
        pool.remove(block)
        this.#table.drop(block)
      }
    }
  }

  /** should_split: small blocks if at least 512 bytes remain, large ones if more than 1 MiB remains. */
  #splitOff(block: Block, size: number): void {
    const isSmall = this.#table.isSmall[block] === 1
    const rest = this.#table.bytes[block]! - size
    if (isSmall ? rest < MIN_BLOCK_BYTES : rest <= SMALL_BYTES) return
    const remainder = this.#table.add(rest, isSmall)
    const { bytes, previous, next } = this.#table
    const after = next[block]!
    previous[remainder] = block
    next[remainder] = after
    if (after >= 0) previous[after] = remainder
    next[block] = remainder
    bytes[block] = size
    const pool = isSmall ? this.#small : this.#large
    pool.insert(remainder)
  }

  /** `block` becomes as much larger as `after`, its neighbour, is. */
  #absorb(block: Block, after: Block): void {
    const { bytes, previous, next } = this.#table
    bytes[block] = bytes[block]! + bytes[after]!
    const beyond = next[after]!
    next[block] = beyond
    if (beyond >= 0) previous[beyond] = block
    this.#table.drop(after)
  }
}

function segmentSize(size: number): number {
  if (size <= SMALL_BYTES) return SMALL_SEGMENT_BYTES
  if (size < OWN_SEGMENT_BYTES) return LARGE_SEGMENT_BYTES
  return Math.ceil(size / SEGMENT_ROUNDING_BYTES) * SEGMENT_ROUNDING_BYTES
}
