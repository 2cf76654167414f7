/** Plain data as Python's pickle module reads it: protocol 2, with what is used again written once. */
import { opcodes } from '../snapshot/pickle-opcodes.ts'

export type Picklable = string | number | boolean | readonly Picklable[] | { readonly [key: string]: Picklable }

export function pickle(value: Picklable): Uint8Array {
  const writer = new PickleWriter()
  writer.byte(opcodes.PROTO, 2)
  writer.write(value)
  writer.byte(opcodes.STOP)
  return writer.bytes()
}

/** As Python's own pickler: whoever reads them holds so many at once. */
const ITEMS_AT_ONCE = 1_000

class PickleWriter {
  #buffer = Buffer.alloc(1 << 16)
  #length = 0
  /** Strings, and lists by their identity. */
  readonly #memo = new Map<string | readonly Picklable[], number>()

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length)
  }

  byte(...bytes: number[]): void {
    const at = this.#reserve(bytes.length)
    for (const [index, byte] of bytes.entries()) this.#buffer[at + index] = byte
  }

  write(value: Picklable): void {
    if (typeof value === 'number') this.#integer(value)
    else if (typeof value === 'boolean') this.byte(value ? opcodes.NEWTRUE : opcodes.NEWFALSE)
    else if (typeof value === 'string') this.#once(value, () => this.#string(value))
    else if (isList(value)) this.#list(value)
    else this.#dictionary(value)
  }

  #integer(value: number): void {
    if (!Number.isSafeInteger(value)) throw new Error(`${value} is not an integer`)
    if (value >= 0 && value < 2 ** 8) this.byte(opcodes.BININT1, value)
    else if (value === (value | 0)) {
      this.byte(opcodes.BININT)
      const at = this.#reserve(4)
      this.#buffer.writeInt32LE(value, at)
    } else {
      this.byte(opcodes.LONG1, 8)
      const at = this.#reserve(8)
      this.#buffer.writeBigInt64LE(BigInt(value), at)
    }
  }

  #string(value: string): void {
    const text = Buffer.from(value, 'utf8')
    this.byte(opcodes.BINUNICODE)
    this.#number(text.length)
    const at = this.#reserve(text.length)
    text.copy(this.#buffer, at)
  }

  #list(items: readonly Picklable[]): void {
    const isNew = this.#once(items, () => this.byte(opcodes.EMPTY_LIST))
    for (let from = 0; isNew && from < items.length; from += ITEMS_AT_ONCE) {
      this.byte(opcodes.MARK)
      for (const item of items.slice(from, from + ITEMS_AT_ONCE)) this.write(item)
      this.byte(opcodes.APPENDS)
    }
  }

  #dictionary(entries: { readonly [key: string]: Picklable }): void {
    this.byte(opcodes.EMPTY_DICT, opcodes.MARK)
    for (const [key, value] of Object.entries(entries)) {
      this.write(key)
      this.write(value)
    }
    this.byte(opcodes.SETITEMS)
  }

  /** Writes the value unless it is already in the memo; whether it was written. */
  #once(value: string | readonly Picklable[], write: () => void): boolean {
    const known = this.#memo.get(value)
    if (known === undefined) write()
    this.byte(known === undefined ? opcodes.LONG_BINPUT : opcodes.LONG_BINGET)
    this.#number(known ?? this.#memo.size)
    if (known === undefined) this.#memo.set(value, this.#memo.size)
    return known === undefined
  }

  #number(value: number): void {
    const at = this.#reserve(4)
    this.#buffer.writeUInt32LE(value, at)
  }

  /** Makes room for `count` more bytes. */
  #reserve(count: number): number {
    const at = this.#length
    this.#length += count
    if (this.#length > this.#buffer.length) {
      const larger = Buffer.alloc(2 * this.#length)
      this.#buffer.copy(larger)
      this.#buffer = larger
    }
    return at
  }
}

function isList(value: Picklable): value is readonly Picklable[] {
  return Array.isArray(value)
}
