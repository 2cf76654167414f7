/** Weights of norms by name. */
import type * as tf from '@tensorflow/tfjs-core'
import type { TfjsRun } from '../run.ts'

export function scaleAndShift(run: TfjsRun, name: string, size: number): [weight: tf.Variable, bias: tf.Variable] {
  return [run.parameters.constant(`${name}.weight`, [size], 1), run.parameters.constant(`${name}.bias`, [size], 0)]
}
