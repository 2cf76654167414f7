/** Weights by name, and those that go unused. */
import type * as tf from '@tensorflow/tfjs-core'
import { UnsupportedLayer } from '../support.ts'
import { Blocks } from './blocks.ts'

export class Weights extends Blocks {
  idle(): never {
    throw new UnsupportedLayer('layers that go unused')
  }

  /** TensorFlow.js makes positions when they are used. */
  positionIds(): void {}

  constant(): never {
    throw new UnsupportedLayer('state-space layers')
  }

  protected scaleAndShift(name: string, size: number): [weight: tf.Variable, bias: tf.Variable] {
    return [this.parameters.constant(`${name}.weight`, [size], 1), this.parameters.constant(`${name}.bias`, [size], 0)]
  }
}
