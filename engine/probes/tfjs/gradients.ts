/**
 * The gradients of Sum and Mean as tfjs-core has them (gradients/{Sum,Mean}_grad), but for the ones they multiply by: `tf.ones`
 * builds an array in JavaScript, which takes longer than the step; `tf.fill` leaves it to the backend. Same sizes, same lifetimes.
 */
import * as tf from '@tensorflow/tfjs-core'

/** After every registration of the stock gradients, which a native backend makes once more. */
export function registerReductionGradients(): void {
  for (const kernelName of [tf.Sum, tf.Mean]) {
    tf.unregisterGradient(kernelName)
    const averages = kernelName === tf.Mean
    tf.registerGradient({
      kernelName,
      inputsToSave: ['x'],
      gradFunc: (dy, saved, attrs) => spread(dy, saved, attrs, averages),
    })
  }
}

function spread(
  dy: tf.Tensor | tf.Tensor[],
  [x]: tf.Tensor[],
  attrs: tf.NamedAttrMap,
  averages: boolean,
): Record<string, () => tf.Tensor> {
  if (x === undefined || Array.isArray(dy)) throw new Error('a reduction has one input and one output')
  const axes = tf.util.parseAxisParam(attrs.axis as number | number[], x.shape)
  const kept = x.shape.map((size, axis) => (axes.includes(axis) ? 1 : size))
  const reduced = axes.reduce((product, axis) => product * (x.shape[axis] ?? 1), 1)
  const derivative = () => {
    const sum = tf.mul(tf.reshape(dy, kept), tf.fill(x.shape, 1))
    return averages ? tf.div(sum, reduced) : sum
  }
  return { x: derivative }
}
