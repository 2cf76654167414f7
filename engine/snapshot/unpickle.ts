/**
 * Reads a pickle of plain data: dictionaries, lists, tuples, strings, bytes, numbers, booleans and None, of protocols 2 to 5. Whoever
 * wrote the file may be hostile: an opcode that imports or calls anything is refused by its name and never run, lengths are held
 * against the bytes that are left before memory is taken for them, and each opcode takes time in proportion to its bytes.
 */
import { opcodeName, opcodes, runsCode } from './pickle-opcodes.ts'

/** Tuples are read as lists. Integers beyond 2^53 are bigint. The same object may stand in several places, and in itself. */
export type Pickled = null | boolean | number | bigint | string | Uint8Array | Pickled[] | PickledDictionary

export class PickledDictionary {
  /** Keys and values in turn; of a key that comes twice the last value counts. */
  readonly items: Pickled[] = []

  get(key: string): Pickled | undefined {
    for (let at = this.items.length - 2; at >= 0; at -= 2) if (this.items[at] === key) return this.items[at + 1]
    return undefined
  }
}

const pickleLimits = {
  /** Values on the stack and in the memo together, over the whole file: a history of a million events has some twenty million. */
  values: 48_000_000,
  /** Lists, tuples and dictionaries; each event of a history has two of its own. */
  containers: 10_000_000,
  /** Lists, tuples and dictionaries that are open inside of each other; a snapshot has five. */
  nesting: 100,
  /** Of one dictionary, whose keys are looked up one after the other; an entry of a snapshot has at most a dozen. */
  keys: 64,
  /** Of an integer; addresses have eight. */
  integerBytes: 16,
} as const

/** What is wrong, in one sentence without a full stop. */
export class PickleRefused extends Error {
  override readonly name = 'PickleRefused'
}

/** @throws PickleRefused */
export function unpickle(bytes: Uint8Array): Pickled {
  return new Unpickler(bytes).read()
}

class Unpickler {
  readonly #bytes: Buffer
  readonly #stack: Pickled[] = []
  /** How high the stack was at each MARK that is open. */
  readonly #marks: number[] = []
  readonly #memo: Pickled[] = []
  #at = 0
  #values = 0
  #containers = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  read(): Pickled {
    this.#protocol()
    for (;;) {
      const at = this.#at
      const opcode = this.#bytes[this.#take(1)]!
      if (opcode === opcodes.STOP) return this.#result()
      this.#perform(opcode, at)
    }
  }

  #protocol(): void {
    const [first, version] = this.#bytes
    if (first !== opcodes.PROTO) throw new PickleRefused(notAPickle(this.#bytes))
    if (version === undefined || version < 2 || version > 5) {
      throw new PickleRefused(`its pickle protocol is ${version ?? 'missing'}, and 2 to 5 are read`)
    }
    this.#at = 2
  }

  /** What changes a list, a dictionary or the memo; the rest leaves a value on the stack. */
  #perform(opcode: number, at: number): void {
    switch (opcode) {
      case opcodes.MARK:
        this.#mark(at)
        break
      case opcodes.FRAME:
        this.#long8()
        break
      case opcodes.APPEND:
        this.#append(this.#pop(1))
        break
      case opcodes.APPENDS:
        this.#append(this.#popMarked())
        break
      case opcodes.SETITEM:
        this.#setItems(this.#pop(2))
        break
      case opcodes.SETITEMS:
        this.#setItems(this.#popMarked())
        break
      case opcodes.BINPUT:
        this.#memoize(this.#byte())
        break
      case opcodes.LONG_BINPUT:
        this.#memoize(this.#long4())
        break
      case opcodes.MEMOIZE:
        this.#memoize(this.#memo.length)
        break
      default:
        this.#push(this.#value(opcode, at))
    }
  }

  #value(opcode: number, at: number): Pickled {
    switch (opcode) {
      case opcodes.NONE:
        return null
      case opcodes.NEWTRUE:
        return true
      case opcodes.NEWFALSE:
        return false
      case opcodes.BININT:
        return this.#bytes.readInt32LE(this.#take(4))
      case opcodes.BININT1:
        return this.#byte()
      case opcodes.BININT2:
        return this.#bytes.readUInt16LE(this.#take(2))
      case opcodes.LONG1:
        return this.#integer(this.#byte())
      case opcodes.LONG4:
        return this.#integer(this.#long4())
      case opcodes.BINFLOAT:
        return this.#bytes.readDoubleBE(this.#take(8))
      case opcodes.SHORT_BINUNICODE:
        return this.#text(this.#byte())
      case opcodes.BINUNICODE:
        return this.#text(this.#long4())
      case opcodes.BINUNICODE8:
        return this.#text(this.#long8())
      case opcodes.SHORT_BINBYTES:
        return this.#raw(this.#byte())
      case opcodes.BINBYTES:
        return this.#raw(this.#long4())
      case opcodes.BINBYTES8:
      case opcodes.BYTEARRAY8:
        return this.#raw(this.#long8())
      case opcodes.EMPTY_LIST:
      case opcodes.EMPTY_TUPLE:
        return this.#made([])
      case opcodes.EMPTY_DICT:
        return this.#made(new PickledDictionary())
      case opcodes.TUPLE1:
        return this.#made(this.#pop(1))
      case opcodes.TUPLE2:
        return this.#made(this.#pop(2))
      case opcodes.TUPLE3:
        return this.#made(this.#pop(3))
      case opcodes.TUPLE:
        return this.#made(this.#popMarked())
      case opcodes.BINGET:
        return this.#remembered(this.#byte())
      case opcodes.LONG_BINGET:
        return this.#remembered(this.#long4())
      default:
        throw new PickleRefused(refusal(opcode, at))
    }
  }

  #mark(at: number): void {
    if (this.#marks.length >= pickleLimits.nesting) {
      throw new PickleRefused(`at byte ${at} more than ${pickleLimits.nesting} lists are inside of each other`)
    }
    this.#marks.push(this.#stack.length)
  }

  #result(): Pickled {
    const [result] = this.#stack
    if (result === undefined || this.#stack.length > 1 || this.#marks.length > 0) {
      throw new PickleRefused('it stops in the middle of a list or without a result')
    }
    return result
  }

  /** Where `count` bytes are, which are then behind. */
  #take(count: number): number {
    const at = this.#at
    if (count > this.#bytes.length - at) {
      throw new PickleRefused(
        `it ends at byte ${this.#bytes.length}, where ${count} bytes should follow byte ${at}: it is cut short or damaged`,
      )
    }
    this.#at = at + count
    return at
  }

  #byte(): number {
    return this.#bytes[this.#take(1)]!
  }

  #long4(): number {
    return this.#bytes.readUInt32LE(this.#take(4))
  }

  /** A length or an index; beyond 2^53 it is larger than any file either way. */
  #long8(): number {
    return Number(this.#bytes.readBigUInt64LE(this.#take(8)))
  }

  #raw(length: number): Uint8Array {
    const at = this.#take(length)
    return this.#bytes.subarray(at, at + length)
  }

  #text(length: number): string {
    const at = this.#take(length)
    return this.#bytes.toString('utf8', at, at + length)
  }

  /** Two's complement, the lowest byte first. */
  #integer(length: number): number | bigint {
    if (length > pickleLimits.integerBytes) {
      throw new PickleRefused(
        `at byte ${this.#at} it has an integer of ${length} bytes, and no size or address has so many`,
      )
    }
    const at = this.#take(length)
    if (length === 0) return 0
    if (length <= 6) return this.#bytes.readIntLE(at, length)
    let value = 0n
    for (let byte = length - 1; byte >= 0; byte--) value = (value << 8n) | BigInt(this.#bytes[at + byte]!)
    const signed = BigInt.asIntN(8 * length, value)
    const number = Number(signed)
    return Number.isSafeInteger(number) ? number : signed
  }

  #push(value: Pickled): void {
    this.#count()
    this.#stack.push(value)
  }

  /** A new list, tuple or dictionary. */
  #made<Container extends Pickled[] | PickledDictionary>(container: Container): Container {
    this.#containers += 1
    if (this.#containers > pickleLimits.containers) {
      throw new PickleRefused(
        `it has more than ${pickleLimits.containers.toLocaleString('en-US')} lists and dictionaries`,
      )
    }
    return container
  }

  #count(): void {
    this.#values += 1
    if (this.#values > pickleLimits.values) {
      throw new PickleRefused(`it has more than ${pickleLimits.values.toLocaleString('en-US')} values`)
    }
  }

  /** The last of what has been read since the last MARK. */
  #pop(count: number): Pickled[] {
    const from = this.#stack.length - count
    if (from < (this.#marks.at(-1) ?? 0))
      throw new PickleRefused(`at byte ${this.#at} a value is missing: it is damaged`)
    return this.#stack.splice(from)
  }

  #popMarked(): Pickled[] {
    const mark = this.#marks.pop()
    if (mark === undefined) throw new PickleRefused(`at byte ${this.#at} a list ends that has not begun: it is damaged`)
    return this.#stack.splice(mark)
  }

  #top(): Pickled {
    if (this.#stack.length <= (this.#marks.at(-1) ?? 0)) {
      throw new PickleRefused(`at byte ${this.#at} a value is missing: it is damaged`)
    }
    return this.#stack[this.#stack.length - 1]!
  }

  #append(items: readonly Pickled[]): void {
    const list = this.#top()
    if (!Array.isArray(list))
      throw new PickleRefused(`at byte ${this.#at} it appends to what is no list: it is damaged`)
    for (const item of items) list.push(item)
  }

  #setItems(items: readonly Pickled[]): void {
    const dictionary = this.#top()
    if (!(dictionary instanceof PickledDictionary) || items.length % 2 !== 0) {
      throw new PickleRefused(`at byte ${this.#at} it sets keys of what is no dictionary: it is damaged`)
    }
    if (dictionary.items.length + items.length > 2 * pickleLimits.keys) {
      throw new PickleRefused(
        `at byte ${this.#at} a dictionary has more than ${pickleLimits.keys} keys, and a snapshot's have a dozen`,
      )
    }
    dictionary.items.push(...items)
  }

  /** Picklers number what they remember from 0 on, without a gap. */
  #memoize(index: number): void {
    const value = this.#top()
    if (index > this.#memo.length) {
      throw new PickleRefused(
        `at byte ${this.#at} it remembers number ${index} before number ${this.#memo.length}: it is damaged`,
      )
    }
    this.#count()
    this.#memo[index] = value
  }

  #remembered(index: number): Pickled {
    const value = this.#memo[index]
    if (value === undefined) {
      throw new PickleRefused(
        `at byte ${this.#at} it names number ${index}, which it has not remembered: it is damaged`,
      )
    }
    return value
  }
}

function refusal(opcode: number, at: number): string {
  const name = opcodeName(opcode)
  if (name === undefined)
    return `at byte ${at} it has the byte 0x${opcode.toString(16).padStart(2, '0')}, which is no opcode: it is damaged`
  if (runsCode.has(opcode)) {
    return `at byte ${at} it has the opcode ${name}, by which a pickle runs code when Python loads it; nothing of it was run`
  }
  return `at byte ${at} it has the opcode ${name}, which no snapshot of PyTorch has`
}

function notAPickle([first, second]: Uint8Array): string {
  if (first === undefined) return 'it is empty'
  if (first === 0x1f && second === 0x8b) return 'it is compressed by gzip: unpack it first'
  if (first === 0x50 && second === 0x4b) return 'it is a zip archive, as torch.save writes it, and no memory snapshot'
  return 'it does not begin as a pickle of protocol 2 to 5 does'
}
