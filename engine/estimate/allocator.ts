/**
 * A model of PyTorch's caching allocator (c10/cuda/CUDACachingAllocator.cpp): blocks cut from segments, best fit first,
 * neighbours merged on release, segments returned to the device only when it runs out. One stream.
 */
import { MIB } from '../units.ts'

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

/** A piece of a segment. Callers only hand it back; only the allocator writes to it. */
export interface Block {
  bytes: number
  isFree: boolean
  isSmall: boolean
  previous: Block | undefined
  next: Block | undefined
}

export interface Allocator {
  readonly peakReservedBytes: number
  /** Whether the device ran short of memory, so that a larger one would have behaved differently. */
  readonly hasReturnedSegments: boolean
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
  /** Free blocks by pool, ordered by size: small requests never take from large segments. */
  readonly #free = { small: [] as Block[], large: [] as Block[] }
  /** Blocks that were merged into others, to be used again. */
  readonly #merged: Block[] = []

  constructor(capacityBytes: number) {
    this.#capacityBytes = capacityBytes
  }

  /** Undefined when the device has no room even after cached segments went back. */
  allocate(bytes: number): Block | undefined {
    const size = roundedSize(bytes)
    const block = this.#takeFree(size) ?? this.#newSegment(size)
    if (block === undefined) return undefined
    this.#splitOff(block, size)
    block.isFree = false
    return block
  }

  release(block: Block): void {
    block.isFree = true
    this.#mergeNext(block)
    const { previous } = block
    if (previous?.isFree) {
      this.#removeFree(previous)
      this.#mergeNext(previous)
      this.#insertFree(previous)
    } else {
      this.#insertFree(block)
    }
  }

  #takeFree(size: number): Block | undefined {
    const pool = this.#pool(size <= SMALL_BYTES)
    const index = lowerBound(pool, size)
    const block = pool[index]
    if (block === undefined) return undefined
    pool.splice(index, 1)
    return block
  }

  #newSegment(size: number): Block | undefined {
    const bytes = segmentSize(size)
    if (this.#reservedBytes + bytes > this.#capacityBytes) this.#returnFreeSegments()
    if (this.#reservedBytes + bytes > this.#capacityBytes) return undefined
    this.#reservedBytes += bytes
    this.peakReservedBytes = Math.max(this.peakReservedBytes, this.#reservedBytes)
    return this.#block(bytes, size <= SMALL_BYTES)
  }

  #block(bytes: number, isSmall: boolean): Block {
    const block = this.#merged.pop()
    if (block === undefined) return { bytes, isFree: true, isSmall, previous: undefined, next: undefined }
    block.bytes = bytes
    block.isSmall = isSmall
    return block
  }

  /** release_cached_blocks: every segment that is a single free block goes back to the device. */
  #returnFreeSegments(): void {
    this.hasReturnedSegments = true
    for (const pool of [this.#free.small, this.#free.large]) {
      for (let index = pool.length - 1; index >= 0; index--) {
        const block = pool[index]
        if (block === undefined || block.previous !== undefined || block.next !== undefined) continue
        this.#reservedBytes -= block.bytes
        pool.splice(index, 1)
      }
    }
  }

  /** should_split: small blocks if at least 512 bytes remain, large ones if more than 1 MiB remains. */
  #splitOff(block: Block, size: number): void {
    const rest = block.bytes - size
    if (block.isSmall ? rest < MIN_BLOCK_BYTES : rest <= SMALL_BYTES) return
    const remainder = this.#block(rest, block.isSmall)
    remainder.previous = block
    remainder.next = block.next
    if (block.next !== undefined) block.next.previous = remainder
    block.next = remainder
    block.bytes = size
    this.#insertFree(remainder)
  }

  #mergeNext(block: Block): void {
    const { next } = block
    if (next === undefined || !next.isFree || !block.isFree) return
    this.#removeFree(next)
    block.bytes += next.bytes
    block.next = next.next
    if (next.next !== undefined) next.next.previous = block
    next.previous = undefined
    next.next = undefined
    this.#merged.push(next)
  }

  #insertFree(block: Block): void {
    const pool = this.#pool(block.isSmall)
    pool.splice(lowerBound(pool, block.bytes), 0, block)
  }

  #removeFree(block: Block): void {
    const pool = this.#pool(block.isSmall)
    const index = pool.indexOf(block, lowerBound(pool, block.bytes))
    if (index >= 0) pool.splice(index, 1)
  }

  #pool(isSmall: boolean): Block[] {
    return isSmall ? this.#free.small : this.#free.large
  }
}

function segmentSize(size: number): number {
  if (size <= SMALL_BYTES) return SMALL_SEGMENT_BYTES
  if (size < OWN_SEGMENT_BYTES) return LARGE_SEGMENT_BYTES
  return Math.ceil(size / SEGMENT_ROUNDING_BYTES) * SEGMENT_ROUNDING_BYTES
}

/** Index of the first block of at least `size` bytes. */
function lowerBound(blocks: readonly Block[], size: number): number {
  let low = 0
  let high = blocks.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((blocks[middle]?.bytes ?? 0) < size) low = middle + 1
    else high = middle
  }
  return low
}
