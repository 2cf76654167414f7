/** Plain data as Python's pickle module reads it: protocol 2, with what is used again written once. */

export type Picklable = string | number | boolean | readonly Picklable[] | { readonly [key: string]: Picklable }

export function pickle(value: Picklable): Uint8Array {
  const writer = new PickleWriter()
  writer.byte(PROTO, 2)
  writer.write(value)
  writer.byte(STOP)
  return writer.bytes()
}

/** Opcodes as Python's pickletools names them. */
const PROTO = 0x80
const STOP = 0x2e
const MARK = 0x28
const BININT = 0x4a
const BININT1 = 0x4b
const LONG1 = 0x8a
const NEWTRUE = 0x88
const NEWFALSE = 0x89
const BINUNICODE = 0x58
const EMPTY_LIST = 0x5d
const APPENDS = 0x65
const EMPTY_DICT = 0x7d
const SETITEMS = 0x75
const LONG_BINPUT = 0x72
const LONG_BINGET = 0x6a

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
    else if (typeof value === 'boolean') this.byte(value ? NEWTRUE : NEWFALSE)
    else if (typeof value === 'string') this.#once(value, () => this.#string(value))
    else if (isList(value)) this.#list(value)
    else this.#dictionary(value)
  }

  #integer(value: number): void {
    if (!Number.isSafeInteger(value)) throw new Error(`${value} is not an integer`)
    if (value >= 0 && value < 2 ** 8) this.byte(BININT1, value)
    else if (value === (value | 0)) {
      this.byte(BININT)
      const at = this.#reserve(4)
      this.#buffer.writeInt32LE(value, at)
    } else {
      this.byte(LONG1, 8)
      const at = this.#reserve(8)
      this.#buffer.writeBigInt64LE(BigInt(value), at)
    }
  }

  #string(value: string): void {
    const text = Buffer.from(value, 'utf8')
    this.byte(BINUNICODE)
    this.#number(text.length)
    const at = this.#reserve(text.length)
    text.copy(this.#buffer, at)
  }

  #list(items: readonly Picklable[]): void {
    const isNew = this.#once(items, () => this.byte(EMPTY_LIST))
    for (let from = 0; isNew && from < items.length; from += ITEMS_AT_ONCE) {
      this.byte(MARK)
      for (const item of items.slice(from, from + ITEMS_AT_ONCE)) this.write(item)
      this.byte(APPENDS)
    }
  }

  #dictionary(entries: { readonly [key: string]: Picklable }): void {
    this.byte(EMPTY_DICT, MARK)
    for (const [key, value] of Object.entries(entries)) {
      this.write(key)
      this.write(value)
    }
    this.byte(SETITEMS)
  }

  /** Whether it was written, and not only named. */
  #once(value: string | readonly Picklable[], write: () => void): boolean {
    const known = this.#memo.get(value)
    if (known === undefined) write()
    this.byte(known === undefined ? LONG_BINPUT : LONG_BINGET)
    this.#number(known ?? this.#memo.size)
    if (known === undefined) this.#memo.set(value, this.#memo.size)
    return known === undefined
  }

  #number(value: number): void {
    const at = this.#reserve(4)
    this.#buffer.writeUInt32LE(value, at)
  }

  /** Where so many bytes are to be written. */
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
