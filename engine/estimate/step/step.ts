/**
 * What one optimizer step allocates and releases, in order. Equal layers allocate equal sizes, so a step of ten thousands of events
 * knows some dozens of sizes: each event is the number of its size, and every question is a pass over numbers.
 */
import { roundedSize } from '../allocator/caching-allocator.ts'
import type { Turn } from '../tape/repetition.ts'
import type { Storage } from '../tape/storage.ts'
import { Numbers } from './numbers.ts'

/** What storages of the same kind and size have in common. */
export type StorageSize = Pick<Storage, 'fixedBytes' | 'bytesPerSample' | 'samplesAtLeast' | 'kind'>

/** What a step goes through; with gradient accumulation, forward and backward come more than once. */
export const stepPhases = ['generation', 'forward', 'backward', 'optimizer'] as const
export type StepPhase = (typeof stepPhases)[number]

/** A model's step has some thousand. */
const USUAL_EVENTS = 4_096

/**
 * Whose memory each event is. As rows of numbers, so that of the storages of a step, which are many and short-lived, none outlives
 * what it stands for.
 */
export class Owners {
  /** Of each event a storage's id, the number of the turn that made it and its place there, and the number of the turn of the event. */
  readonly #rows = new Numbers(4 * USUAL_EVENTS)
  /** By number; the first is none. */
  readonly #turnOf: (Turn | undefined)[] = [undefined]

  get length(): number {
    return this.#rows.length / 4
  }

  add({ id, turn, role = 0 }: Storage, happensIn: Turn | undefined): void {
    this.#rows.push(id)
    this.#rows.push(this.#numberOf(turn))
    this.#rows.push(role)
    this.#rows.push(this.#numberOf(happensIn))
  }

  storageId(event: number): number {
    return this.#rows.at(4 * event)
  }

  /** The turn that made the event's storage. */
  maker(event: number): Turn | undefined {
    return this.#turnOf[this.#rows.at(4 * event + 1)]
  }

  /** As the how-manieth of its turn the storage was made. */
  role(event: number): number {
    return this.#rows.at(4 * event + 2)
  }

  /** The turn in which the event happens. */
  turn(event: number): Turn | undefined {
    return this.#turnOf[this.#rows.at(4 * event + 3)]
  }

  /** Few turns are recorded. */
  #numberOf(turn: Turn | undefined): number {
    if (turn === undefined) return 0
    const known = this.#turnOf.lastIndexOf(turn)
    return known > 0 ? known : this.#turnOf.push(turn) - 1
  }
}

export class Step {
  /** By size number; the first is none. */
  readonly sizes: (StorageSize | undefined)[] = [undefined]
  /** The event's size number, negative where it is released. */
  readonly changes = new Numbers()
  #owners = new Owners()
  /** At which event each begins. */
  readonly phases: { readonly phase: StepPhase; readonly from: number }[] = []
  /** The turn that is played. Outside of all, what happens to a storage belongs to the turn that made it. */
  turn: Turn | undefined
  /** At which event a moment begins, and its name in two parts: `backward of`, `encoder.layer.11.output.dense`. */
  readonly #momentStarts: number[] = []
  readonly #momentNames: string[] = []
  #moment: readonly [what: string, of: string] = ['', '']
  #isNewMoment = false
  readonly #sizeNumbers = new Map<number, number[]>()

  get length(): number {
    return this.changes.length
  }

  beginPhase(phase: StepPhase): void {
    this.phases.push({ phase, from: this.length })
  }

  /** What runs from here on. */
  begin(what: string, of = ''): void {
    this.#moment = [what, of]
    this.#isNewMoment = true
  }

  allocate(storage: Storage): void {
    this.#add(this.#sizeNumber(storage), storage)
  }

  release(storage: Storage): void {
    this.#add(-this.#sizeNumber(storage), storage)
  }

  /** Whose memory each event was, which from here on nobody has to know. */
  takeOwners(): Owners {
    const owners = this.#owners
    this.#owners = new Owners()
    return owners
  }

  /** Bytes by size number for a batch. */
  bytesAt(batch: number): Float64Array {
    return Float64Array.from(this.sizes, size => (size === undefined ? 0 : bytesAt(size, batch)))
  }

  /** What was running at an event: `backward of encoder.layer.11.output.dense`. */
  momentOf(event: number): string | undefined {
    let low = 0
    let high = this.#momentStarts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#momentStarts[middle] ?? 0) <= event) low = middle + 1
      else high = middle
    }
    const [what, of] = this.#momentNames.slice(2 * (low - 1), 2 * low)
    return of === '' || of === undefined ? what : `${what} of ${of}`
  }

  #add(change: number, storage: Storage): void {
    if (this.#isNewMoment) {
      this.#isNewMoment = false
      this.#momentStarts.push(this.changes.length)
      this.#momentNames.push(this.#moment[0], this.#moment[1])
    }
    this.changes.push(change)
    this.#owners.add(storage, this.turn ?? storage.turn)
  }

  #sizeNumber(storage: Storage): number {
    const { fixedBytes, bytesPerSample, samplesAtLeast, kind } = storage
    const key = fixedBytes + bytesPerSample
    const alike = this.#sizeNumbers.get(key)
    for (const number of alike ?? []) {
      const size = this.sizes[number]
      const isSame = size?.kind === kind && size.bytesPerSample === bytesPerSample && size.fixedBytes === fixedBytes
      if (isSame && size.samplesAtLeast === samplesAtLeast) return number
    }
    const number = this.sizes.push({ fixedBytes, bytesPerSample, samplesAtLeast, kind }) - 1
    if (alike === undefined) this.#sizeNumbers.set(key, [number])
    else alike.push(number)
    return number
  }
}

export function bytesAt({ fixedBytes, bytesPerSample, samplesAtLeast = 0 }: StorageSize, batch: number): number {
  return roundedSize(fixedBytes + Math.max(batch, samplesAtLeast) * bytesPerSample)
}
