/** Embeddings and linear layers. */
import * as tf from '@tensorflow/tfjs-core'
import type { TfjsRun } from '../run.ts'
import { lastSize } from './pointwise.ts'

export function embedding(run: TfjsRun, name: string, ids: tf.Tensor, count: number, features: number): tf.Tensor {
  const table = run.parameters.weight(`${name}.weight`, [count, features], features)
  return tf.tidy(() => tf.gather(table, tf.minimum(ids, tf.scalar(count - 1, 'int32'))))
}

export function constantEmbedding(
  run: TfjsRun,
  name: string,
  count: number,
  features: number,
  rows: number,
): tf.Tensor {
  const table = run.parameters.weight(`${name}.weight`, [count, features], features)
  return tf.tidy(() => tf.expandDims(tf.gather(table, tf.range(0, rows, 1, 'int32')), 0))
}

export function linear(
  run: TfjsRun,
  name: string,
  x: tf.Tensor,
  outFeatures: number,
  options: { bias?: boolean; tiedTo?: string } = {},
): tf.Tensor {
  const inFeatures = lastSize(x)
  const weight = run.parameters.weight(options.tiedTo ?? `${name}.weight`, [outFeatures, inFeatures], inFeatures)
  const bias = options.bias === false ? undefined : run.parameters.constant(`${name}.bias`, [outFeatures], 0)
  return tf.tidy(() => {
    const rows = tf.matMul(tf.reshape(x, [-1, inFeatures]), weight, false, true)
    return tf.reshape(bias === undefined ? rows : tf.add(rows, bias), [...x.shape.slice(0, -1), outFeatures])
  })
}
