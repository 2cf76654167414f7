/**
 * Training steps as a script in TensorFlow.js writes them: gradients of all variables, an optimizer's update,
 * everything freed.
 */
import * as tf from '@tensorflow/tfjs-core'
import type { ModelConfig } from '../../models/architecture.ts'
import { programOf } from '../../models/forward-program.ts'
import type { Traced } from '../../program/builder.ts'
import { interpret } from '../../program/interpreter.ts'
import { opsIn } from '../../program/program.ts'
import type { Value } from '../../program/value.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { Batch } from './batch.ts'
import { Parameters } from './parameters.ts'
import { rows } from './registry.ts'
import { crossEntropy } from './rows/loss.ts'
import { type TfjsOptimizer, UnsupportedOps } from './support.ts'
import type { Values } from './values.ts'

const LEARNING_RATE = 1e-3
const MOMENTUM = 0.9

/**
 * A model with its optimizer and one batch, ready to be stepped. Tensors live on the current backend until `dispose`.
 */
export class Training {
  readonly parameters: Parameters
  readonly batch: Batch
  readonly #spec: TrainingSpec
  readonly #program: Traced<Value>
  readonly #values: Values
  readonly #optimizer: tf.Optimizer | undefined

  /** `size`: samples in the batch; the spec's own micro-batch is not read. */
  constructor(spec: TrainingSpec, config: ModelConfig, size: number, optimizer: TfjsOptimizer, values: Values) {
    this.#spec = spec
    this.#program = runnable(programOf(config, spec))
    this.#values = values
    this.parameters = new Parameters(values)
    const classes = this.#build()
    this.batch = new Batch(spec, size, classes, values)
    this.#optimizer = spec.step === 'training' ? newOptimizer(optimizer) : undefined
  }

  /** One optimizer step; returns the loss before it. In the `forward-backward` profile, gradients only. */
  step(): number {
    const { value, grads } = this.#gradients()
    this.#optimizer?.applyGradients(grads)
    const [loss = Number.NaN] = value.dataSync()
    tf.dispose([value, grads])
    return loss
  }

  /** The forward pass alone; returns its loss. */
  forward(): number {
    const value = this.loss()
    const [loss = Number.NaN] = value.dataSync()
    value.dispose()
    return loss
  }

  /** The loss of the batch, and each variable's gradient by name; the caller disposes of them. */
  gradients(): { value: tf.Scalar; grads: tf.NamedTensorMap } {
    return tf.variableGrads(() => this.loss(), this.parameters.trainable)
  }

  loss(): tf.Scalar {
    return tf.tidy(() => {
      const logits = this.#logits(this.batch)
      return this.#spec.step === 'training' ? crossEntropy(logits, this.batch.labels) : tf.mean<tf.Scalar>(logits)
    })
  }

  dispose(): void {
    this.#optimizer?.dispose()
    this.batch.dispose()
    this.parameters.dispose()
  }

  #logits(batch: Batch): tf.Tensor {
    const run = { spec: this.#spec, batch, parameters: this.parameters, values: this.#values }
    return interpret<typeof run, tf.Tensor>(this.#program, rows, run)(this.#program.result)
  }

  #gradients(): { value: tf.Scalar; grads: tf.NamedTensorMap } {
    let { value, grads } = this.gradients()
    const batches = this.#spec.step === 'training' ? this.#spec.gradientAccumulation : 1
    for (let batch = 1; batch < batches; batch++) {
      value.dispose()
      const next = this.gradients()
      value = next.value
      grads = accumulated(grads, next.grads)
    }
    return { value, grads }
  }

  /** Creates the variables, as Keras does, by running the model on one sample. Returns the number of classes. */
  #build(): number {
    const sample = new Batch(this.#spec, 1, 1, this.#values)
    const classes = tf.tidy(() => this.#logits(sample).shape.at(-1))
    sample.dispose()
    if (classes === undefined) throw new Error('the model returns a scalar')
    return classes
  }
}

/** @throws UnsupportedOps */
function runnable(program: Traced<Value>): Traced<Value> {
  const missing = [...opsIn(program)].filter(op => !Object.hasOwn(rows, op))
  if (missing.length > 0) throw new UnsupportedOps(missing)
  return program
}

function accumulated(sums: tf.NamedTensorMap, next: tf.NamedTensorMap): tf.NamedTensorMap {
  const entries = Object.entries(next).map(([name, gradient]) => {
    const sum = sums[name]
    if (sum === undefined) throw new Error(`no gradient of ${name} in the first micro-batch`)
    const total = tf.add(sum, gradient)
    tf.dispose([sum, gradient])
    return [name, total] as const
  })
  return Object.fromEntries(entries)
}

function newOptimizer(optimizer: TfjsOptimizer): tf.Optimizer {
  switch (optimizer) {
    case 'adam':
      return tf.train.adam(LEARNING_RATE)
    case 'momentum':
      return tf.train.momentum(LEARNING_RATE, MOMENTUM)
    case 'sgd':
      return tf.train.sgd(LEARNING_RATE)
  }
}
