/** What a step starts from: the batch, and what the layers over it draw on. */
import type * as tf from '@tensorflow/tfjs-core'
import type { TrainingSpec } from '../../../config/spec.ts'
import type { Batch } from '../batch.ts'
import type { Parameters } from '../parameters.ts'
import { UnsupportedLayer } from '../support.ts'
import type { Values } from '../values.ts'

export class BatchOps {
  readonly input: tf.Tensor
  readonly labels: tf.Tensor
  protected readonly spec: TrainingSpec
  protected readonly batch: Batch
  protected readonly parameters: Parameters
  protected readonly values: Values

  constructor(spec: TrainingSpec, batch: Batch, parameters: Parameters, values: Values) {
    this.spec = spec
    this.batch = batch
    this.parameters = parameters
    this.values = values
    this.input = batch.input
    this.labels = batch.labels
  }

  pixels(): never {
    throw new UnsupportedLayer('text that refers to images')
  }
}
