/** What mixes the tokens of a sequence: attention with its positions. Of convolutions, linear attention and Mamba it has none here. */
import * as tf from '@tensorflow/tfjs-core'
import type { AttentionShape } from '../../../models/ops.ts'
import { attention, rotated } from '../attention.ts'
import { UnsupportedLayer } from '../support.ts'
import { Experts } from './experts.ts'

const ROTARY_BASE = 10_000

export class Mixers extends Experts {
  rotaryTable(x: tf.Tensor, size: number): readonly [tf.Tensor, tf.Tensor] {
    const [, tokens = 0] = x.shape
    const angle = (token: number, column: number) => token / ROTARY_BASE ** ((2 * (column % (size / 2))) / size)
    return [
      this.values.table(tokens, size, (token, column) => Math.cos(angle(token, column))),
      this.values.table(tokens, size, (token, column) => Math.sin(angle(token, column))),
    ]
  }

  rotary(x: tf.Tensor, table: readonly [tf.Tensor, tf.Tensor], heads: number): tf.Tensor {
    return tf.tidy(() => rotated(x, table, heads))
  }

  /** A training script in TensorFlow.js keeps no key/value cache. */
  cached(x: tf.Tensor): tf.Tensor {
    return x
  }

  attention(q: tf.Tensor, k: tf.Tensor, v: tf.Tensor, shape: AttentionShape): tf.Tensor {
    const drop = (weights: tf.Tensor) => this.dropout(weights, shape.dropout)
    return tf.tidy(() => attention(q, k, v, shape, this.batch, drop))
  }

  causalConvolution(): never {
    throw new UnsupportedLayer('linear attention')
  }

  gatedDeltaRule(): never {
    throw new UnsupportedLayer('linear attention')
  }

  fusedConvolution(): never {
    throw new UnsupportedLayer('state-space layers')
  }

  selectiveScan(): never {
    throw new UnsupportedLayer('state-space layers')
  }

  mamba2(): never {
    throw new UnsupportedLayer('state-space layers')
  }

  chooseKeys(): never {
    throw new UnsupportedLayer('sparse attention')
  }

  channelDecay(): never {
    throw new UnsupportedLayer('linear attention')
  }

  kimiDelta(): never {
    throw new UnsupportedLayer('linear attention')
  }

  relativePositionBias(): never {
    throw new UnsupportedLayer('relative positions')
  }

  zeroPositionBias(): never {
    throw new UnsupportedLayer('relative positions')
  }
}
