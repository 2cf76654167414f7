/** Frames and blocks: what local variables keep alive. A `tidy` frees it when it returns. */
import * as tf from '@tensorflow/tfjs-core'
import { UnsupportedLayer } from '../support.ts'
import { BatchOps } from './batch.ts'

export class Blocks extends BatchOps {
  local(x: tf.Tensor): tf.Tensor {
    return x
  }

  handOn(): never {
    throw new UnsupportedLayer('keys and values of earlier layers')
  }

  withInputGradients(): never {
    throw new UnsupportedLayer('per-layer embeddings')
  }

  frame(x: tf.Tensor, body: (x: tf.Tensor) => tf.Tensor): tf.Tensor {
    return tf.tidy(() => body(x))
  }

  block(x: tf.Tensor, body: (x: tf.Tensor) => tf.Tensor): tf.Tensor {
    return tf.tidy(() => body(x))
  }

  layers<State>(x: State, kinds: readonly string[] | number, layer: (x: State, index: number) => State): State {
    const count = typeof kinds === 'number' ? kinds : kinds.length
    let states = x
    for (let index = 0; index < count; index++) states = layer(states, index)
    return states
  }
}
