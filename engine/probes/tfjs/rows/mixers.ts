/** Attention and positions. */
import * as tf from '@tensorflow/tfjs-core'
import type { AttentionShape } from '../../../program/ops/mixers.ts'
import { attention as attended, rotated } from '../attention.ts'
import type { TfjsRun } from '../run.ts'
import { dropout } from './pointwise.ts'

const ROTARY_BASE = 10_000

export function rotaryTable(run: TfjsRun, x: tf.Tensor, size: number): readonly [tf.Tensor, tf.Tensor] {
  const [, tokens = 0] = x.shape
  const angle = (token: number, column: number) => token / ROTARY_BASE ** ((2 * (column % (size / 2))) / size)
  return [
    run.values.table(tokens, size, (token, column) => Math.cos(angle(token, column))),
    run.values.table(tokens, size, (token, column) => Math.sin(angle(token, column))),
  ]
}

export function rotary(_: TfjsRun, x: tf.Tensor, table: readonly [tf.Tensor, tf.Tensor], heads: number): tf.Tensor {
  return tf.tidy(() => rotated(x, table, heads))
}

/** A training script in TensorFlow.js keeps no key/value cache. */
export function cached(_: TfjsRun, x: tf.Tensor): tf.Tensor {
  return x
}

export function attention(run: TfjsRun, q: tf.Tensor, k: tf.Tensor, v: tf.Tensor, shape: AttentionShape): tf.Tensor {
  const drop = (weights: tf.Tensor) => dropout(run, weights, shape.dropout)
  return tf.tidy(() => attended(q, k, v, shape, run.batch, drop))
}
