/** Which storages are allocated while a step runs, and who still needs them: the last to let go releases. */

import type { Storage } from '../tape/storage.ts'
import { Numbers } from './numbers.ts'
import type { Step } from './step.ts'

export class LiveStorages {
  /** Where allocations and releases are written down. */
  readonly #step: Step
  /** Forward reads still to come, by storage id. */
  readonly #reads: Numbers
  /** Saves by nodes whose backward is still to come, and references from Python code. */
  readonly #references: Numbers
  /** One where a storage is allocated, by storage id. */
  readonly #live: Numbers

  /** `room`: for so many storages before it grows. */
  constructor(step: Step, room: number) {
    this.#step = step
    this.#reads = new Numbers(room)
    this.#references = new Numbers(room)
    this.#live = new Numbers(room)
  }

  isAllocated({ id }: Storage): boolean {
    return this.#live.at(id) > 0
  }

  // Over such lists a step goes tens of thousands of times: by index, since each iterator would be garbage.

  /** Ops to come that read them in this pass. */
  expectReads(storages: readonly Storage[]): void {
    for (let index = 0; index < storages.length; index++) this.#reads.add(storages[index]!.id, 1)
  }

  /** One op has read them: those that nobody else needs are released. */
  endReads(storages: readonly Storage[]): void {
    for (let index = 0; index < storages.length; index++) {
      this.#reads.add(storages[index]!.id, -1)
      this.releaseIfUnused(storages[index]!)
    }
  }

  /** One more who needs it, or one less; it is released only by `dereference`. */
  reference(storage: Storage, change: 1 | -1): void {
    this.#references.add(storage.id, change)
  }

  dereference(storage: Storage): void {
    this.reference(storage, -1)
    this.releaseIfUnused(storage)
  }

  referenceAll(storages: readonly Storage[]): void {
    for (let index = 0; index < storages.length; index++) this.reference(storages[index]!, 1)
  }

  dereferenceAll(storages: readonly Storage[]): void {
    for (let index = 0; index < storages.length; index++) this.dereference(storages[index]!)
  }

  allocateAll(storages: readonly Storage[]): void {
    for (let index = 0; index < storages.length; index++) this.allocate(storages[index]!)
  }

  releaseAll(storages: readonly Storage[]): void {
    for (let index = 0; index < storages.length; index++) this.release(storages[index]!)
  }

  releaseUnused(storages: readonly Storage[]): void {
    for (let index = 0; index < storages.length; index++) this.releaseIfUnused(storages[index]!)
  }

  /** Unless somebody needs it, or it belongs to the model. */
  releaseIfUnused(storage: Storage): void {
    const { id } = storage
    if (storage.persistent || this.#live.at(id) === 0) return
    if (this.#reads.at(id) === 0 && this.#references.at(id) === 0) this.release(storage)
  }

  allocate(storage: Storage): void {
    // A recomputed block's input or output may still be there from the forward pass.
    if (this.#live.at(storage.id) !== 0) return
    this.#live.set(storage.id, 1)
    this.#step.allocate(storage)
  }

  release(storage: Storage): void {
    this.#live.set(storage.id, 0)
    this.#step.release(storage)
  }
}
