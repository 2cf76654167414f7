/**
 * Counts the bytes of buffers. TensorFlow.js's own `tf.memory()` counts every tensor; here a buffer that several
 * tensors share counts once, by its data id.
 */

/** The next buffer would exceed the budget. */
export class BudgetExceeded extends Error {
  readonly neededBytes: number
  constructor(neededBytes: number, budgetBytes: number) {
    super(`out of memory: ${neededBytes} bytes needed of ${budgetBytes}`)
    this.name = 'BudgetExceeded'
    this.neededBytes = neededBytes
  }
}

/** TensorFlow.js identifies a buffer by an object. */
export type DataId = object

interface Buffer {
  readonly bytes: number
  holders: number
}

export class Ledger {
  readonly #buffers = new WeakMap<DataId, Buffer>()
  #heldBytes = 0
  #peakBytes = 0
  /** Enforced by `allocate`. */
  budgetBytes = Number.POSITIVE_INFINITY

  get heldBytes(): number {
    return this.#heldBytes
  }

  /** The most that was held since the last `resetPeak`. */
  get peakBytes(): number {
    return this.#peakBytes
  }

  resetPeak(): void {
    this.#peakBytes = this.#heldBytes
  }

  /** @throws BudgetExceeded */
  allocate(id: DataId, bytes: number): void {
    this.release(id)
    if (this.#heldBytes + bytes > this.budgetBytes) throw new BudgetExceeded(this.#heldBytes + bytes, this.budgetBytes)
    this.#buffers.set(id, { bytes, holders: 1 })
    this.#heldBytes += bytes
    this.#peakBytes = Math.max(this.#peakBytes, this.#heldBytes)
  }

  /** Makes `id` share the buffer of `of`, which lives until both are released. */
  share(id: DataId, of: DataId): void {
    const buffer = this.#buffers.get(of)
    if (buffer === undefined) throw new Error('a buffer that is not held cannot be shared')
    this.release(id)
    buffer.holders++
    this.#buffers.set(id, buffer)
  }

  /** Does nothing for an unknown id. */
  release(id: DataId): void {
    const buffer = this.#buffers.get(id)
    if (buffer === undefined) return
    this.#buffers.delete(id)
    buffer.holders--
    if (buffer.holders === 0) this.#heldBytes -= buffer.bytes
  }
}
