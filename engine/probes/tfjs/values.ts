/** Values for weights, batches and dropout masks. Memory does not depend on them, so they are cheap to generate. */
import * as tf from '@tensorflow/tfjs-core'

export interface Values {
  /** Uniform in [low, high), float32. */
  uniform(shape: readonly number[], low: number, high: number): tf.Tensor
  /** Uniform in 0 … below − 1, int32. */
  integers(shape: readonly number[], below: number): tf.Tensor
  /** `at(row, column)` for every cell, float32. */
  table(rows: number, columns: number, at: (row: number, column: number) => number): tf.Tensor
}

/** Numbers from a fixed seed: the same spec makes the same step every time. */
export class DrawnValues implements Values {
  #state = 0x9e3779b9

  uniform(shape: readonly number[], low: number, high: number): tf.Tensor {
    const values = new Float32Array(tf.util.sizeFromShape([...shape]))
    for (let index = 0; index < values.length; index++) values[index] = low + (high - low) * this.#next()
    return tf.tensor(values, [...shape], 'float32')
  }

  integers(shape: readonly number[], below: number): tf.Tensor {
    const values = new Int32Array(tf.util.sizeFromShape([...shape]))
    for (let index = 0; index < values.length; index++) values[index] = Math.floor(this.#next() * below)
    return tf.tensor(values, [...shape], 'int32')
  }

  table(rows: number, columns: number, at: (row: number, column: number) => number): tf.Tensor {
    const values = new Float32Array(rows * columns)
    for (let index = 0; index < values.length; index++) values[index] = at(Math.floor(index / columns), index % columns)
    return tf.tensor(values, [rows, columns], 'float32')
  }

  /** Marsaglia's xorshift32, in [0, 1): 110 million weights take half a second. */
  #next(): number {
    this.#state ^= this.#state << 13
    this.#state ^= this.#state >>> 17
    this.#state ^= this.#state << 5
    return (this.#state >>> 0) / 2 ** 32
  }
}

/** For the meta backend: tensors of the right sizes without arrays. */
export const shapesOnly: Values = {
  uniform: shape => tf.fill([...shape], 0),
  integers: shape => tf.fill([...shape], 0, 'int32'),
  table: (rows, columns) => tf.fill([rows, columns], 0),
}
