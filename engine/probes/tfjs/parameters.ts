/**
 * The model's weights as TensorFlow.js variables, by PyTorch's names. The same name gives the same variable (tied
 * weights).
 */
import * as tf from '@tensorflow/tfjs-core'
import type { Values } from './values.ts'

export class Parameters {
  readonly #trainable = new Map<string, tf.Variable>()
  readonly #buffers = new Map<string, tf.Variable>()
  readonly #values: Values

  constructor(values: Values) {
    this.#values = values
  }

  /** In the order of first use. */
  get trainable(): tf.Variable[] {
    return [...this.#trainable.values()]
  }

  /** Elements of all trainable variables. */
  get count(): number {
    return this.trainable.reduce((sum, variable) => sum + variable.size, 0)
  }

  /** Uniform in ±1/√fanIn, as PyTorch initialises linear layers and convolutions. */
  weight(name: string, shape: readonly number[], fanIn: number): tf.Variable {
    const bound = 1 / Math.sqrt(fanIn)
    return this.#get(this.#trainable, name, true, () => this.#values.uniform(shape, -bound, bound))
  }

  constant(name: string, shape: readonly number[], value: number): tf.Variable {
    return this.#get(this.#trainable, name, true, () => tf.fill([...shape], value))
  }

  /** State without gradients: running statistics. */
  buffer(name: string, shape: readonly number[], value: number): tf.Variable {
    return this.#get(this.#buffers, name, false, () => tf.fill([...shape], value))
  }

  dispose(): void {
    tf.dispose([...this.#trainable.values(), ...this.#buffers.values()])
  }

  #get(store: Map<string, tf.Variable>, name: string, trainable: boolean, initial: () => tf.Tensor): tf.Variable {
    const known = store.get(name)
    if (known !== undefined) return known
    const variable = tf.tidy(() => tf.variable(initial(), trainable, name))
    store.set(name, variable)
    return variable
  }
}
