/**
 * The layers, really computed by TensorFlow.js. Where TensorFlow.js has no layer of the kind, the composition is tfjs-layers' or
 * the one that its documentation suggests: what a training script in TensorFlow.js would hold in memory, this holds.
 *
 * Every layer runs in a `tidy`: what its gradient does not need is freed when it returns. Images are [b, y, x, c], the only
 * layout that every backend convolves.
 */
import * as tf from '@tensorflow/tfjs-core'
import type { TrainingSpec } from '../../config/spec.ts'
import type { AttentionShape, Convolution, Ops, RmsNormOptions } from '../../models/ops.ts'
import { attention, rotated } from './attention.ts'
import type { Batch } from './batch.ts'
import type { Parameters } from './parameters.ts'
import { UnsupportedLayer } from './support.ts'
import type { Values } from './values.ts'

const NORM_EPSILON = 1e-5
/** Weight of the newest batch in batch normalisation's running statistics. */
const MOMENTUM = 0.1
/** gpt-oss's. */
const CLAMP_LIMIT = 7
const LOGIT_CAP = 30
const ROTARY_BASE = 10_000

export class TfjsOps implements Ops<tf.Tensor> {
  readonly input: tf.Tensor
  readonly labels: tf.Tensor
  readonly #spec: TrainingSpec
  readonly #batch: Batch
  readonly #parameters: Parameters
  readonly #values: Values

  constructor(spec: TrainingSpec, batch: Batch, parameters: Parameters, values: Values) {
    this.#spec = spec
    this.#batch = batch
    this.#parameters = parameters
    this.#values = values
    this.input = batch.input
    this.labels = batch.labels
  }

  embedding(name: string, ids: tf.Tensor, count: number, features: number): tf.Tensor {
    const table = this.#parameters.weight(`${name}.weight`, [count, features], features)
    return tf.tidy(() => tf.gather(table, tf.minimum(ids, tf.scalar(count - 1, 'int32'))))
  }

  constantEmbedding(name: string, count: number, features: number, rows: number): tf.Tensor {
    const table = this.#parameters.weight(`${name}.weight`, [count, features], features)
    return tf.tidy(() => tf.expandDims(tf.gather(table, tf.range(0, rows, 1, 'int32')), 0))
  }

  linear(
    name: string,
    x: tf.Tensor,
    outFeatures: number,
    options: { bias?: boolean; tiedTo?: string } = {},
  ): tf.Tensor {
    const inFeatures = lastSize(x)
    const weight = this.#parameters.weight(options.tiedTo ?? `${name}.weight`, [outFeatures, inFeatures], inFeatures)
    const bias = options.bias === false ? undefined : this.#parameters.constant(`${name}.bias`, [outFeatures], 0)
    return tf.tidy(() => {
      const rows = tf.matMul(tf.reshape(x, [-1, inFeatures]), weight, false, true)
      return tf.reshape(bias === undefined ? rows : tf.add(rows, bias), [...x.shape.slice(0, -1), outFeatures])
    })
  }

  layerNorm(name: string, x: tf.Tensor): tf.Tensor {
    const [weight, bias] = this.#scaleAndShift(name, lastSize(x))
    return tf.tidy(() => {
      const centered = tf.sub(x, tf.mean(x, -1, true))
      const variance = tf.mean(tf.square(centered), -1, true)
      return tf.add(tf.mul(tf.mul(centered, tf.rsqrt(tf.add(variance, NORM_EPSILON))), weight), bias)
    })
  }

  rmsNorm(name: string, x: tf.Tensor, { size, aroundOne }: RmsNormOptions): tf.Tensor {
    const parameter = this.#parameters.constant(`${name}.weight`, [size], aroundOne ? 0 : 1)
    return tf.tidy(() => {
      const weight = aroundOne ? tf.add(1, parameter) : parameter
      const groups = tf.reshape(x, [...x.shape.slice(0, -1), lastSize(x) / size, size])
      const scale = tf.rsqrt(tf.add(tf.mean(tf.square(groups), -1, true), NORM_EPSILON))
      return tf.reshape(tf.mul(tf.mul(groups, scale), weight), x.shape)
    })
  }

  add(x: tf.Tensor, y: tf.Tensor): tf.Tensor {
    return tf.add(x, y)
  }

  residual(x: tf.Tensor, skip: tf.Tensor): tf.Tensor {
    return tf.add(x, skip)
  }

  /** tfjs-layers, activations: 0.5 · x · (1 + erf(x / √2)). */
  gelu(x: tf.Tensor): tf.Tensor {
    return tf.tidy(() => tf.mul(x, tf.mul(0.5, tf.add(1, tf.erf(tf.div(x, Math.SQRT2))))))
  }

  /** tfjs-layers, activations: 0.5 · x · (1 + tanh(√(2/π) · (x + 0.044715 · x³))). */
  geluNew(x: tf.Tensor): tf.Tensor {
    return tf.tidy(() => {
      const inner = tf.mul(Math.sqrt(2 / Math.PI), tf.add(x, tf.mul(0.044715, tf.pow(x, 3))))
      return tf.mul(0.5, tf.mul(x, tf.add(1, tf.tanh(inner))))
    })
  }

  tanh(x: tf.Tensor): tf.Tensor {
    return tf.tanh(x)
  }

  relu(x: tf.Tensor): tf.Tensor {
    return tf.relu(x)
  }

  silu(x: tf.Tensor): tf.Tensor {
    return tf.tidy(() => tf.mul(x, tf.sigmoid(x)))
  }

  sigmoid(x: tf.Tensor): tf.Tensor {
    return tf.sigmoid(x)
  }

  clamp(x: tf.Tensor): tf.Tensor {
    return tf.clipByValue(x, -CLAMP_LIMIT, CLAMP_LIMIT)
  }

  square(x: tf.Tensor): tf.Tensor {
    return tf.square(x)
  }

  multiply(x: tf.Tensor, y: tf.Tensor): tf.Tensor {
    return tf.mul(x, y)
  }

  /** The constant's value is the model's secret; its tensor is what counts. */
  scale(x: tf.Tensor): tf.Tensor {
    return tf.mul(x, 1)
  }

  softcap(logits: tf.Tensor): tf.Tensor {
    return tf.tidy(() => tf.mul(tf.tanh(tf.div(logits, LOGIT_CAP)), LOGIT_CAP))
  }

  /** As `tf.dropout` composes it. */
  dropout(x: tf.Tensor, probability: number): tf.Tensor {
    if (this.#spec.step !== 'training' || probability === 0) return x
    const kept = 1 - probability
    return tf.tidy(() => {
      const mask = tf.floor(tf.add(this.#values.uniform(x.shape, 0, 1), kept))
      return tf.mul(x, tf.div(mask, kept))
    })
  }

  dropPath(x: tf.Tensor, probability: number): tf.Tensor {
    if (this.#spec.step !== 'training' || probability === 0) return x
    const kept = 1 - probability
    const [samples = 0, ...rest] = x.shape
    return tf.tidy(() => {
      const mask = tf.floor(tf.add(this.#values.uniform([samples, ...rest.map(() => 1)], 0, 1), kept))
      return tf.mul(tf.div(x, kept), mask)
    })
  }

  layerScale(name: string, x: tf.Tensor): tf.Tensor {
    return tf.mul(this.#parameters.constant(name, [lastSize(x)], 1), x)
  }

  split(x: tf.Tensor, sizes: readonly number[]): tf.Tensor[] {
    return tf.split(x, [...sizes], -1)
  }

  slices(x: tf.Tensor, sizes: readonly number[]): tf.Tensor[] {
    return this.split(x, sizes)
  }

  /** Tensors are contiguous here. */
  gathered(x: tf.Tensor): tf.Tensor {
    return x
  }

  repeatHeads(x: tf.Tensor, times: number, heads: number): tf.Tensor {
    const [samples = 0, tokens = 0, features = 0] = x.shape
    return tf.tidy(() => {
      const apart = tf.reshape(x, [samples * tokens, heads, 1, features / heads])
      return tf.reshape(tf.tile(apart, [1, 1, times, 1]), [samples, tokens, features * times])
    })
  }

  rotaryTable(x: tf.Tensor, size: number): readonly [tf.Tensor, tf.Tensor] {
    const [, tokens = 0] = x.shape
    const angle = (token: number, column: number) => token / ROTARY_BASE ** ((2 * (column % (size / 2))) / size)
    return [
      this.#values.table(tokens, size, (token, column) => Math.cos(angle(token, column))),
      this.#values.table(tokens, size, (token, column) => Math.sin(angle(token, column))),
    ]
  }

  rotary(x: tf.Tensor, table: readonly [tf.Tensor, tf.Tensor], heads: number): tf.Tensor {
    return tf.tidy(() => rotated(x, table, heads))
  }

  /** A training script in TensorFlow.js keeps no key/value cache. */
  cached(x: tf.Tensor): tf.Tensor {
    return x
  }

  attention(q: tf.Tensor, k: tf.Tensor, v: tf.Tensor, shape: AttentionShape): tf.Tensor {
    const drop = (weights: tf.Tensor) => this.dropout(weights, shape.dropout)
    return tf.tidy(() => attention(q, k, v, shape, this.#batch, drop))
  }

  routed(): never {
    throw new UnsupportedLayer('sparse experts')
  }

  headsJoined(): never {
    throw new UnsupportedLayer('latent attention')
  }

  concatenate(): never {
    throw new UnsupportedLayer('linear attention')
  }

  causalConvolution(): never {
    throw new UnsupportedLayer('linear attention')
  }

  gatedDeltaRule(): never {
    throw new UnsupportedLayer('linear attention')
  }

  fusedConvolution(): never {
    throw new UnsupportedLayer('state-space layers')
  }

  selectiveScan(): never {
    throw new UnsupportedLayer('state-space layers')
  }

  mamba2(): never {
    throw new UnsupportedLayer('state-space layers')
  }

  constant(): never {
    throw new UnsupportedLayer('state-space layers')
  }

  float32(x: tf.Tensor): tf.Tensor {
    return x
  }

  chooseKeys(): never {
    throw new UnsupportedLayer('sparse attention')
  }

  channelDecay(): never {
    throw new UnsupportedLayer('linear attention')
  }

  kimiDelta(): never {
    throw new UnsupportedLayer('linear attention')
  }

  gatedNorm(): never {
    throw new UnsupportedLayer('linear attention')
  }

  gatedInFloat32(): never {
    throw new UnsupportedLayer('linear attention')
  }

  everyExpert(): never {
    throw new UnsupportedLayer('sparse experts')
  }

  experts(): never {
    throw new UnsupportedLayer('sparse experts')
  }

  composedLayerNorm(): never {
    throw new UnsupportedLayer('layer norms without a bias')
  }

  xielu(): never {
    throw new UnsupportedLayer('activations with learned slopes')
  }

  relativePositionBias(): never {
    throw new UnsupportedLayer('relative positions')
  }

  zeroPositionBias(): never {
    throw new UnsupportedLayer('relative positions')
  }

  shiftedLabels(): never {
    throw new UnsupportedLayer('decoder that reads its labels')
  }

  firstToken(x: tf.Tensor): tf.Tensor {
    return this.#token(x, 0)
  }

  /** Rows are drawn without padding, so the last token is the last column. */
  meanOfTokens(): never {
    throw new UnsupportedLayer('the mean of tokens')
  }

  lastToken(x: tf.Tensor): tf.Tensor {
    return this.#token(x, (x.shape[1] ?? 1) - 1)
  }

  conv2d(name: string, x: tf.Tensor, outChannels: number, options: Convolution): tf.Tensor {
    const { kernel, stride, padding: pixels = Math.floor(kernel / 2), groups = 1 } = options
    const inChannels = lastSize(x)
    const isDepthwise = groups > 1 && groups === inChannels && groups === outChannels
    if (groups > 1 && !isDepthwise) throw new Error('TensorFlow.js convolves all channels together, or each on its own')
    const shape = isDepthwise ? [kernel, kernel, inChannels, 1] : [kernel, kernel, inChannels, outChannels]
    const filter = this.#parameters.weight(`${name}.weight`, shape, (kernel * kernel * inChannels) / groups)
    const bias = options.bias ? this.#parameters.constant(`${name}.bias`, [outChannels], 0) : undefined
    const convolve = isDepthwise ? tf.depthwiseConv2d : tf.conv2d
    return tf.tidy(() => {
      const filtered = convolve(image(x), image(filter), stride, padding(kernel, pixels))
      return bias === undefined ? filtered : tf.add(filtered, bias)
    })
  }

  batchNorm(name: string, x: tf.Tensor): tf.Tensor {
    const [weight, bias] = this.#scaleAndShift(name, lastSize(x))
    const mean = this.#parameters.buffer(`${name}.running_mean`, weight.shape, 0)
    const variance = this.#parameters.buffer(`${name}.running_var`, weight.shape, 1)
    if (this.#spec.step !== 'training') return tf.batchNorm(x, mean, variance, bias, weight, NORM_EPSILON)
    return tf.tidy(() => {
      const batch = tf.moments(x, [0, 1, 2])
      follow(mean, batch.mean)
      follow(variance, batch.variance)
      return tf.batchNorm(x, batch.mean, batch.variance, bias, weight, NORM_EPSILON)
    })
  }

  maxPool(x: tf.Tensor, options: { kernel: number; stride: number; padding: number }): tf.Tensor {
    return tf.maxPool(image(x), options.kernel, options.stride, padding(options.kernel, options.padding))
  }

  globalAveragePool(x: tf.Tensor): tf.Tensor {
    return tf.mean(x, [1, 2])
  }

  /** Images are channels last here throughout. */
  channelsLast(x: tf.Tensor): tf.Tensor {
    return x
  }

  channelsFirst(x: tf.Tensor): tf.Tensor {
    return x
  }

  flattenPixels(x: tf.Tensor): tf.Tensor {
    const [samples = 0, y = 0, width = 0, channels = 0] = x.shape
    return tf.reshape(x, [samples, y * width, channels])
  }

  prependTokens(names: readonly string[], x: tf.Tensor): tf.Tensor {
    const [samples = 0, , features = 0] = x.shape
    const tokens = names.map(name => this.#parameters.weight(name, [1, 1, features], features))
    return tf.tidy(() => tf.concat([...tokens.map(token => tf.tile(token, [samples, 1, 1])), x], 1))
  }

  addPositions(name: string, x: tf.Tensor, count: number): tf.Tensor {
    const [, tokens = 0, features = 0] = x.shape
    const table = this.#parameters.weight(name, [1, count, features], features)
    if (tokens === count) return tf.add(x, table)
    // Another image size: as many rows as there are patches stand for the table resampled.
    return tf.tidy(() => tf.add(x, tf.gather(tf.squeeze(table, [0]), this.#values.integers([tokens], count))))
  }

  /** Against one-hot labels, as tfjs-layers turns sparse labels too (`sparseCategoricalCrossentropy`). */
  crossEntropy(logits: tf.Tensor): tf.Scalar {
    const classes = lastSize(logits)
    return tf.tidy(() => {
      const oneHot = tf.oneHot(tf.reshape(this.labels, [-1]), classes)
      return tf.losses.softmaxCrossEntropy<tf.Tensor, tf.Scalar>(oneHot, tf.reshape(logits, [-1, classes]))
    })
  }

  idle(): never {
    throw new UnsupportedLayer('layers that go unused')
  }

  pixels(): never {
    throw new UnsupportedLayer('text that refers to images')
  }

  tanhGate(): never {
    throw new UnsupportedLayer('gated cross-attention')
  }

  mask(): never {
    throw new UnsupportedLayer('gated cross-attention')
  }

  padded(): never {
    throw new UnsupportedLayer('gated cross-attention')
  }

  joined(): never {
    throw new UnsupportedLayer('gated cross-attention')
  }

  get gemma3n(): never {
    throw new UnsupportedLayer('streams of hidden states')
  }

  handOn(): never {
    throw new UnsupportedLayer('keys and values of earlier layers')
  }

  local(x: tf.Tensor): tf.Tensor {
    return x
  }

  withInputGradients(): never {
    throw new UnsupportedLayer('per-layer embeddings')
  }

  /** TensorFlow.js makes positions when they are used. */
  positionIds(): void {}

  frame(x: tf.Tensor, body: (x: tf.Tensor) => tf.Tensor): tf.Tensor {
    return tf.tidy(() => body(x))
  }

  block(x: tf.Tensor, body: (x: tf.Tensor) => tf.Tensor): tf.Tensor {
    return tf.tidy(() => body(x))
  }

  #token(x: tf.Tensor, position: number): tf.Tensor {
    const [samples = 0, , features = 0] = x.shape
    return tf.tidy(() => tf.reshape(tf.slice(x, [0, position, 0], [samples, 1, features]), [samples, features]))
  }

  #scaleAndShift(name: string, size: number): [weight: tf.Variable, bias: tf.Variable] {
    return [
      this.#parameters.constant(`${name}.weight`, [size], 1),
      this.#parameters.constant(`${name}.bias`, [size], 0),
    ]
  }
}

/** A running statistic moves towards the newest batch's. */
function follow(running: tf.Variable, newest: tf.Tensor): void {
  running.assign(tf.add(running, tf.mul(tf.sub(newest, running), MOMENTUM)))
}

/** PyTorch's explicit padding by TensorFlow's names: for odd kernels the output sizes are the same. */
function padding(kernel: number, pixels: number): 'same' | 'valid' {
  if (pixels === 0) return 'valid'
  if (2 * pixels + 1 === kernel) return 'same'
  throw new Error(`TensorFlow.js pads a ${kernel}×${kernel} kernel by 0 or ${(kernel - 1) / 2} pixels, not ${pixels}`)
}

function image(x: tf.Tensor): tf.Tensor4D {
  if (x.rank !== 4) throw new Error(`an image or a filter has four dimensions, not ${x.rank}`)
  return x as tf.Tensor4D
}

function lastSize(x: tf.Tensor): number {
  const size = x.shape.at(-1)
  if (size === undefined) throw new Error('a scalar has no last dimension')
  return size
}
