/**
 * Step, ReLU's derivative, as `@tensorflow/tfjs-node` composes it (its kernels/Step): five temporaries, which the native backend
 * holds at what is often a ResNet's peak. The other backends do the same, so that their bytes are the native backend's.
 */
import * as tf from '@tensorflow/tfjs-core'

export function stepKernel(backendName: string): tf.KernelConfig {
  return { kernelName: tf.Step, backendName, kernelFunc: ({ inputs, attrs }) => step(inputs.x, Number(attrs?.alpha)) }
}

function step(x: tf.TensorInfo | undefined, alpha: number): tf.Tensor {
  if (!(x instanceof tf.Tensor)) throw new Error('Step was called without a tensor')
  return tf.tidy(() => {
    const isNan = tf.isNaN(x)
    const stepped = tf.where(tf.greater(x, tf.scalar(0)), tf.fill(x.shape, 1), tf.fill(x.shape, alpha))
    return tf.where(isNan, x, stepped)
  })
}
