/** A list of 32-bit integers that grows, all zero at first: a tenth of the memory of an array that is filled out of order. */
export class Numbers {
  #values: Int32Array
  length = 0

  /** `room`: for so many before it grows. */
  constructor(room = 256) {
    this.#values = new Int32Array(room)
  }

  /** Zero where none was set. */
  at(index: number): number {
    return index < this.length ? (this.#values[index] ?? 0) : 0
  }

  set(index: number, value: number): void {
    if (index >= this.#values.length) this.#grow(index + 1)
    if (index >= this.length) this.length = index + 1
    this.#values[index] = value
  }

  push(value: number): void {
    if (this.length === this.#values.length) this.#grow(this.length + 1)
    this.#values[this.length++] = value
  }

  pushFour(first: number, second: number, third: number, fourth: number): void {
    const { length } = this
    if (length + 4 > this.#values.length) this.#grow(length + 4)
    const values = this.#values
    values[length] = first
    values[length + 1] = second
    values[length + 2] = third
    values[length + 3] = fourth
    this.length = length + 4
  }

  copy(): Numbers {
    const copy = new Numbers(0)
    copy.#values = this.#values.slice(0, this.length)
    copy.length = this.length
    return copy
  }

  /** Returns the new value. */
  add(index: number, change: number): number {
    const value = this.at(index) + change
    this.set(index, value)
    return value
  }

  /** A view, valid until something is added. */
  slice(from = 0, to = this.length): Int32Array {
    return this.#values.subarray(from, to)
  }

  #grow(atLeast: number): void {
    const grown = new Int32Array(Math.max(atLeast, 2 * this.#values.length))
    grown.set(this.#values)
    this.#values = grown
  }
}
