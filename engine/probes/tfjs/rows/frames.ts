/** The batch, frames and blocks. A `tidy` frees what local variables held when it returns. */
import * as tf from '@tensorflow/tfjs-core'
import type { Stack } from '../../../program/interpreter.ts'
import type { TfjsRun } from '../run.ts'

export function input(run: TfjsRun): tf.Tensor {
  return run.batch.input
}

/** A no-op: TensorFlow.js creates positions when they are used. */
export function positionIds(_: TfjsRun): void {}

export function local(_: TfjsRun, x: tf.Tensor): tf.Tensor {
  return x
}

/** Every weight trains here, and with it all that follows. */
export function withInputGradients(_: TfjsRun, x: tf.Tensor): tf.Tensor {
  return x
}

export function frame(_: TfjsRun, x: tf.Tensor, body: (x: tf.Tensor) => tf.Tensor): tf.Tensor {
  return tf.tidy(() => body(x))
}

export function block(_: TfjsRun, x: tf.Tensor, body: (x: tf.Tensor) => tf.Tensor): tf.Tensor {
  return tf.tidy(() => body(x))
}

export function layers(
  _: TfjsRun,
  x: tf.Tensor | undefined,
  { kinds, layer }: Stack<tf.Tensor>,
): tf.Tensor | undefined {
  return kinds.reduce((states, _kind, index) => layer(states, index), x)
}
