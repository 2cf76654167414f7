/** The free blocks of one of the caching allocator's pools, by size: the best fit is found among the sizes, of which there are few. */
import type { BlockTable } from './block-table.ts'

const NONE = -1

export class FreeBlocks {
  readonly #table: BlockTable
  /** Ascending; each with the first of its blocks, which are linked in the table. */
  #sizes = new Float64Array(32)
  #firsts = new Int32Array(32)
  #count = 0

  constructor(table: BlockTable) {
    this.#table = table
  }

  /** Takes the smallest of at least so many bytes, of several the one that came last; −1 where there is none. */
  take(bytes: number): number {
    const index = this.#lowerBound(bytes)
    if (index === this.#count) return NONE
    const block = this.#firsts[index]!
    this.#unlink(block, index)
    return block
  }

  /** The smallest of at least so many bytes, of several the one that came last; −1 where there is none. */
  firstOf(bytes: number): number {
    return this.#firstAt(this.#lowerBound(bytes))
  }

  /** The next in this order; −1 behind the last. */
  after(block: number): number {
    const alike = this.#table.freeNext[block]!
    return alike === NONE ? this.#firstAt(this.#lowerBound(this.#table.bytes[block]!) + 1) : alike
  }

  insert(block: number): void {
    const { bytes, freeNext, freePrevious } = this.#table
    const size = bytes[block]!
    const index = this.#lowerBound(size)
    const isKnown = index < this.#count && this.#sizes[index] === size
    if (!isKnown) this.#makeRoom(index)
    const second = isKnown ? this.#firsts[index]! : NONE
    this.#sizes[index] = size
    this.#firsts[index] = block
    freePrevious[block] = NONE
    freeNext[block] = second
    if (second !== NONE) freePrevious[second] = block
  }

  remove(block: number): void {
    const isFirst = this.#table.freePrevious[block] === NONE
    this.#unlink(block, isFirst ? this.#lowerBound(this.#table.bytes[block]!) : NONE)
  }

  /** Every free block, whatever its size. */
  all(): readonly number[] {
    const blocks: number[] = []
    for (let index = 0; index < this.#count; index++) {
      for (let block = this.#firsts[index]!; block !== NONE; block = this.#table.freeNext[block]!) blocks.push(block)
    }
    return blocks
  }

  #firstAt(index: number): number {
    return index < this.#count ? this.#firsts[index]! : NONE
  }

  /** `index`: of its size, where it is the first of that. */
  #unlink(block: number, index: number): void {
    const { freeNext, freePrevious } = this.#table
    const [before, after] = [freePrevious[block]!, freeNext[block]!]
    if (after !== NONE) freePrevious[after] = before
    if (before !== NONE) freeNext[before] = after
    else if (after !== NONE) this.#firsts[index] = after
    else this.#removeSize(index)
  }

  #removeSize(index: number): void {
    this.#count--
    for (let at = index; at < this.#count; at++) {
      this.#sizes[at] = this.#sizes[at + 1]!
      this.#firsts[at] = this.#firsts[at + 1]!
    }
  }

  #makeRoom(index: number): void {
    if (this.#count === this.#sizes.length) this.#grow()
    for (let at = this.#count; at > index; at--) {
      this.#sizes[at] = this.#sizes[at - 1]!
      this.#firsts[at] = this.#firsts[at - 1]!
    }
    this.#count++
  }

  #grow(): void {
    const [sizes, firsts] = [this.#sizes, this.#firsts]
    this.#sizes = new Float64Array(2 * sizes.length)
    this.#firsts = new Int32Array(2 * firsts.length)
    this.#sizes.set(sizes)
    this.#firsts.set(firsts)
  }

  /** Index of the first size of at least so many bytes. */
  #lowerBound(bytes: number): number {
    const sizes = this.#sizes
    let low = 0
    let high = this.#count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (sizes[middle]! < bytes) low = middle + 1
      else high = middle
    }
    return low
  }
}
