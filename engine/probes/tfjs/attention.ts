/** Attention as matrix products and a softmax: TensorFlow.js has no fused kernel, so the s² scores are kept for the gradient. */
import * as tf from '@tensorflow/tfjs-core'
import type { AttentionShape } from '../../program/ops/mixers.ts'
import type { Batch } from './batch.ts'

/** q [b, s, heads·size], k and v [b, s, keyValueHeads·size] → [b, s, heads·size]. To be called in a `tidy`. */
export function attention(
  q: tf.Tensor,
  k: tf.Tensor,
  v: tf.Tensor,
  shape: AttentionShape,
  batch: Batch,
  dropout: (weights: tf.Tensor) => tf.Tensor,
): tf.Tensor {
  const { heads, keyValueHeads = heads } = shape
  const [, tokens = 0, features = 0] = q.shape
  const query = headsFirst(q, heads)
  const [key, value] = [k, v].map(x => repeated(headsFirst(x, keyValueHeads), heads / keyValueHeads)) as [
    tf.Tensor,
    tf.Tensor,
  ]
  const scores = tf.mul(tf.matMul(query, key, false, true), 1 / Math.sqrt(features / heads))
  const unpadded = batch.padding === undefined ? scores : tf.add(scores, batch.padding)
  const masked = shape.causal ? tf.add(unpadded, batch.causalMask(tokens, shape.window)) : unpadded
  const context = tf.matMul(dropout(tf.softmax(masked)), value)
  return tf.reshape(tf.transpose(context, [0, 2, 1, 3]), q.shape)
}

/** x · cos + rotate_half(x) · sin on the first dimensions of each head. To be called in a `tidy`. */
export function rotated(x: tf.Tensor, [cos, sin]: readonly [tf.Tensor, tf.Tensor], heads: number): tf.Tensor {
  const [, tokens = 0, features = 0] = x.shape
  const [, turning = 0] = cos.shape
  const headSize = features / heads
  const perHead = tf.reshape(x, [-1, tokens, heads, headSize])
  const [moving, resting] = headSize === turning ? [perHead] : tf.split(perHead, [turning, headSize - turning], -1)
  if (moving === undefined) throw new Error('a head has no dimensions to turn')
  const [left, right] = tf.split(moving, 2, -1) as [tf.Tensor, tf.Tensor]
  const half = tf.concat([tf.neg(right), left], -1)
  const turned = tf.add(tf.mul(moving, tf.expandDims(cos, 1)), tf.mul(half, tf.expandDims(sin, 1)))
  return tf.reshape(resting === undefined ? turned : tf.concat([turned, resting], -1), x.shape)
}

/** [b, s, heads·size] → [b, heads, s, size]. */
function headsFirst(x: tf.Tensor, heads: number): tf.Tensor {
  const [samples = 0, tokens = 0, features = 0] = x.shape
  return tf.transpose(tf.reshape(x, [samples, tokens, heads, features / heads]), [0, 2, 1, 3])
}

/** Grouped-query attention: each key and value head serves `times` query heads. Four dimensions are the most `tile` derives. */
function repeated(x: tf.Tensor, times: number): tf.Tensor {
  if (times === 1) return x
  const [samples = 0, heads = 0, tokens = 0, size = 0] = x.shape
  const copies = tf.tile(tf.reshape(x, [samples, heads, 1, tokens * size]), [1, 1, times, 1])
  return tf.reshape(copies, [samples, heads * times, tokens, size])
}
