/** A backend's map from data ids to buffers, with every entry in the ledger. */
import * as tf from '@tensorflow/tfjs-core'
import type { DataId, Ledger } from './ledger.ts'

export class CountedStorage<T extends object> extends tf.DataStorage<T> {
  readonly #ledger: Ledger
  readonly #bytesOf: (value: T) => number

  constructor(backend: tf.KernelBackend, ledger: Ledger, bytesOf: (value: T) => number) {
    super(backend, tf.engine())
    this.#ledger = ledger
    this.#bytesOf = bytesOf
  }

  /** @throws BudgetExceeded */
  override set(id: DataId, value: T): void {
    this.#ledger.allocate(id, this.#bytesOf(value))
    super.set(id, value)
  }

  override delete(id: DataId): boolean {
    this.#ledger.release(id)
    return super.delete(id)
  }
}
