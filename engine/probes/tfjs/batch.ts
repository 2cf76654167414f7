/** The data of one step, and constants that depend on its sizes only. They live as long as the trial. */
import * as tf from '@tensorflow/tfjs-core'
import { labelsTokens } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { Values } from './values.ts'

/** Token ids are drawn below this; `embedding` brings them into its table's range. */
const IDS = 30_000

const MASKED = -1e9

const CHANNELS = 3

export class Batch {
  readonly size: number
  readonly input: tf.Tensor
  readonly labels: tf.Tensor
  /** [b, 1, 1, s], added to attention scores; absent where batches are not padded. */
  readonly padding: tf.Tensor | undefined
  readonly #values: Values
  readonly #causal = new Map<number, tf.Tensor>()

  constructor(spec: TrainingSpec, size: number, classes: number, values: Values) {
    const { sequenceLength: tokens = 0, imageSize: pixels = 0 } = spec
    const isImage = spec.task === 'image-classification'
    const perToken = labelsTokens(spec.task)
    this.size = size
    this.#values = values
    this.input = isImage ? values.uniform([size, pixels, pixels, CHANNELS], 0, 1) : values.integers([size, tokens], IDS)
    this.labels = values.integers(perToken ? [size, tokens] : [size], classes)
    this.padding = spec.paddedBatches && !isImage ? values.uniform([size, 1, 1, tokens], 0, 0) : undefined
  }

  /** [s, s], added to attention scores: the future, and what lies `window` or more tokens back, is masked. Made once. */
  causalMask(tokens: number, window = tokens): tf.Tensor {
    const known = this.#causal.get(window)
    if (known !== undefined) return known
    const isSeen = (row: number, column: number) => column <= row && row - column < window
    const mask = tf.keep(this.#values.table(tokens, tokens, (row, column) => (isSeen(row, column) ? 0 : MASKED)))
    this.#causal.set(window, mask)
    return mask
  }

  dispose(): void {
    tf.dispose([this.input, this.labels, ...this.#causal.values()])
    this.padding?.dispose()
  }
}
