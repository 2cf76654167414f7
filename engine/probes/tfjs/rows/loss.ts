/** The loss of a step. */
import * as tf from '@tensorflow/tfjs-core'
import { lastSize } from './pointwise.ts'

/** Against one-hot labels, as tfjs-layers turns sparse labels too (`sparseCategoricalCrossentropy`). */
export function crossEntropy(logits: tf.Tensor, labels: tf.Tensor): tf.Scalar {
  const classes = lastSize(logits)
  return tf.tidy(() => {
    const oneHot = tf.oneHot(tf.reshape(labels, [-1]), classes)
    return tf.losses.softmaxCrossEntropy<tf.Tensor, tf.Scalar>(oneHot, tf.reshape(logits, [-1, classes]))
  })
}
