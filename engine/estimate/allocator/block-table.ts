/** The caching allocator's blocks as columns of numbers, one row a block; −1 where there is no neighbour. */

export class BlockTable {
  bytes = new Float64Array(256)
  isFree = new Uint8Array(256)
  isSmall = new Uint8Array(256)
  /** A range of addresses that has no memory. */
  isHole = new Uint8Array(256)
  /** Neighbours in the block's segment. */
  previous = new Int32Array(256)
  next = new Int32Array(256)
  /** Neighbours among the free blocks of the same size. */
  freePrevious = new Int32Array(256)
  freeNext = new Int32Array(256)
  #count = 0
  /** Blocks that were merged into others, to be used again. */
  readonly #merged: number[] = []

  /** As new, with the room that it has. */
  clear(): void {
    this.#count = 0
    this.#merged.length = 0
  }

  /** A block without neighbours. */
  add(bytes: number, isSmall: boolean): number {
    const block = this.#merged.pop() ?? this.#count++
    if (block === this.bytes.length) this.#grow()
    this.bytes[block] = bytes
    this.isFree[block] = 1
    this.isSmall[block] = isSmall ? 1 : 0
    this.isHole[block] = 0
    this.previous[block] = -1
    this.next[block] = -1
    return block
  }

  /** Its row may be used again. */
  drop(block: number): void {
    this.#merged.push(block)
  }

  /** The first block of a block's segment, by which the segment is known, and where in the segment it lies. */
  placeOf(block: number): { readonly first: number; readonly offset: number } {
    let [first, offset] = [block, 0]
    while (this.previous[first]! >= 0) {
      first = this.previous[first]!
      offset += this.bytes[first]!
    }
    return { first, offset }
  }

  #grow(): void {
    this.bytes = grown(this.bytes, new Float64Array(2 * this.bytes.length))
    this.isFree = grown(this.isFree, new Uint8Array(2 * this.isFree.length))
    this.isSmall = grown(this.isSmall, new Uint8Array(2 * this.isSmall.length))
    this.isHole = grown(this.isHole, new Uint8Array(2 * this.isHole.length))
    this.previous = grown(this.previous, new Int32Array(2 * this.previous.length))
    this.next = grown(this.next, new Int32Array(2 * this.next.length))
    this.freePrevious = grown(this.freePrevious, new Int32Array(2 * this.freePrevious.length))
    this.freeNext = grown(this.freeNext, new Int32Array(2 * this.freeNext.length))
  }
}

function grown<Column extends { set(values: Column): void }>(column: Column, larger: Column): Column {
  larger.set(column)
  return larger
}
