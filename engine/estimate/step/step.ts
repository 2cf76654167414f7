/**
 * What one optimizer step allocates and releases, in order. Equal layers allocate equal sizes, so a step of ten thousands of events
 * knows some dozens of sizes: each event is the number of its size, and every question is a pass over numbers.
 */
import { roundedSize } from '../allocator/caching-allocator.ts'
import type { Turn } from '../tape/repetition.ts'
import { alignedColumns, type MaskOfBatch, type Storage } from '../tape/storage.ts'
import { Numbers } from './numbers.ts'

/** What storages of the same kind and size have in common. */
export type StorageSize = Pick<Storage, 'fixedBytes' | 'bytesPerSample' | 'samplesAtLeast' | 'maskOfBatch' | 'kind'>

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
  readonly #rows: Numbers
  /** By number; the first is none. */
  readonly #turnOf: (Turn | undefined)[] = [undefined]
  #lastTurn: Turn | undefined
  #lastNumber = 0

  /** `room`: for so many events before it grows. */
  constructor(room: number) {
    this.#rows = new Numbers(4 * room)
  }

  get length(): number {
    return this.#rows.length / 4
  }

  add({ id, turn, role = 0 }: Storage, happensIn: Turn | undefined): void {
    this.#rows.pushFour(id, this.#numberOf(turn), role, this.#numberOf(happensIn))
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

  /** Few turns are recorded, and mostly it is the one of the event before. */
  #numberOf(turn: Turn | undefined): number {
    if (turn === undefined) return 0
    if (turn !== this.#lastTurn) {
      const known = this.#turnOf.lastIndexOf(turn)
      this.#lastNumber = known > 0 ? known : this.#turnOf.push(turn) - 1
      this.#lastTurn = turn
    }
    return this.#lastNumber
  }
}

export class Step {
  /** By size number; the first is none. */
  readonly sizes: (StorageSize | undefined)[] = [undefined]
  /** The event's size number, negative where it is released. */
  readonly changes = new Numbers(USUAL_EVENTS)
  #owners = new Owners(USUAL_EVENTS)
  /** At which event each begins. */
  readonly phases: { readonly phase: StepPhase; readonly from: number }[] = []
  /** The turn that is played. Outside of all, what happens to a storage belongs to the turn that made it. */
  turn: Turn | undefined
  /** At which event a moment begins, and its name in two parts: `backward of`, `encoder.layer.11.output.dense`. */
  readonly #momentStarts: number[] = []
  readonly #momentNames: string[] = []
  #what = ''
  #of = ''
  #isNewMoment = false
  readonly #sizeNumbers = new Map<number, number[]>()
  /** By storage id, of those that were allocated: most are allocated or released again. */
  readonly #knownSizeNumbers = new Numbers(USUAL_EVENTS)

  get length(): number {
    return this.changes.length
  }

  beginPhase(phase: StepPhase): void {
    this.phases.push({ phase, from: this.length })
  }

  /** What runs from here on. */
  begin(what: string, of = ''): void {
    this.#what = what
    this.#of = of
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
    this.#owners = new Owners(0)
    return owners
  }

  /** Bytes by size number for a batch. */
  bytesAt(batch: number): Float64Array {
    const bytes = new Float64Array(this.sizes.length)
    for (let number = 1; number < bytes.length; number++) bytes[number] = bytesAt(this.sizes[number]!, batch)
    return bytes
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
      this.#momentNames.push(this.#what, this.#of)
    }
    this.changes.push(change)
    this.#owners.add(storage, this.turn ?? storage.turn)
  }

  #sizeNumber(storage: Storage): number {
    const known = this.#knownSizeNumbers.at(storage.id)
    if (known > 0) return known
    const number = this.#numberOfSize(storage)
    this.#knownSizeNumbers.set(storage.id, number)
    return number
  }

  #numberOfSize({ fixedBytes, bytesPerSample, samplesAtLeast, maskOfBatch, kind }: StorageSize): number {
    const key = fixedBytes + bytesPerSample
    const alike = this.#sizeNumbers.get(key)
    for (const number of alike ?? []) {
      const size = this.sizes[number]
      const isSame = size?.kind === kind && size.bytesPerSample === bytesPerSample && size.fixedBytes === fixedBytes
      const isSameMask = size?.maskOfBatch?.isPaddedCopy === maskOfBatch?.isPaddedCopy
      if (isSame && isSameMask && size.samplesAtLeast === samplesAtLeast) return number
    }
    const number = this.sizes.push({ fixedBytes, bytesPerSample, samplesAtLeast, maskOfBatch, kind }) - 1
    if (alike === undefined) this.#sizeNumbers.set(key, [number])
    else alike.push(number)
    return number
  }
}

function bytesAt({ fixedBytes, bytesPerSample, samplesAtLeast = 0, maskOfBatch }: StorageSize, batch: number): number {
  if (maskOfBatch !== undefined) return bytesOfMask(maskOfBatch, batch)
  return roundedSize(fixedBytes + Math.max(batch, samplesAtLeast) * bytesPerSample)
}

function bytesOfMask({ rowsPerSample, bytesPerElement, isPaddedCopy }: MaskOfBatch, batch: number): number {
  const rows = batch * rowsPerSample
  const columns = isPaddedCopy ? alignedColumns(rows) : rows
  return isPaddedCopy && columns === rows ? 0 : roundedSize(rows * columns * bytesPerElement)
}
