/**
 * The layers, really computed by TensorFlow.js. Where TensorFlow.js has no layer of the kind, the composition is tfjs-layers' or
 * the one that its documentation suggests: what a training script in TensorFlow.js would hold in memory, this holds. The parts below,
 * each over the one before: layers/{batch,blocks,weights,pointwise,linears,experts,mixers}.ts; here are images, the choice of tokens,
 * and the loss.
 *
 * Every layer runs in a `tidy`: what its gradient does not need is freed when it returns. Images are [b, y, x, c], the only
 * layout that every backend convolves.
 */
import * as tf from '@tensorflow/tfjs-core'
import type { Convolution, Ops } from '../../models/ops.ts'
import { Mixers } from './layers/mixers.ts'
import { lastSize, NORM_EPSILON } from './layers/pointwise.ts'
import { UnsupportedLayer } from './support.ts'

/** Weight of the newest batch in batch normalisation's running statistics. */
const MOMENTUM = 0.1

export class TfjsOps extends Mixers implements Ops<tf.Tensor> {
  stackedStreams(): never {
    throw new UnsupportedLayer('streams of hidden states')
  }

  firstStream(): never {
    throw new UnsupportedLayer('streams of hidden states')
  }

  meanOfStreams(): never {
    throw new UnsupportedLayer('streams of hidden states')
  }

  magnitude(): never {
    throw new UnsupportedLayer('streams of hidden states')
  }

  scaledTo(): never {
    throw new UnsupportedLayer('streams of hidden states')
  }

  predictedStreams(): never {
    throw new UnsupportedLayer('streams of hidden states')
  }

  correctedStreams(): never {
    throw new UnsupportedLayer('streams of hidden states')
  }

  addedToOtherStreams(): never {
    throw new UnsupportedLayer('streams of hidden states')
  }

  sparsified(): never {
    throw new UnsupportedLayer('streams of hidden states')
  }

  either(): never {
    throw new UnsupportedLayer('streams of hidden states')
  }

  shiftedLabels(): never {
    throw new UnsupportedLayer('decoder that reads its labels')
  }

  firstToken(x: tf.Tensor): tf.Tensor {
    return this.#token(x, 0)
  }

  meanOfTokens(): never {
    throw new UnsupportedLayer('the mean of tokens')
  }

  /** Rows are drawn without padding, so the last token is the last column. */
  lastToken(x: tf.Tensor): tf.Tensor {
    return this.#token(x, (x.shape[1] ?? 1) - 1)
  }

  conv2d(name: string, x: tf.Tensor, outChannels: number, options: Convolution): tf.Tensor {
    const { kernel, stride, padding: pixels = Math.floor(kernel / 2), groups = 1 } = options
    const inChannels = lastSize(x)
    const isDepthwise = groups > 1 && groups === inChannels && groups === outChannels
    if (groups > 1 && !isDepthwise) throw new Error('TensorFlow.js convolves all channels together, or each on its own')
    const shape = isDepthwise ? [kernel, kernel, inChannels, 1] : [kernel, kernel, inChannels, outChannels]
    const filter = this.parameters.weight(`${name}.weight`, shape, (kernel * kernel * inChannels) / groups)
    const bias = options.bias ? this.parameters.constant(`${name}.bias`, [outChannels], 0) : undefined
    const convolve = isDepthwise ? tf.depthwiseConv2d : tf.conv2d
    return tf.tidy(() => {
      const filtered = convolve(image(x), image(filter), stride, padding(kernel, pixels))
      return bias === undefined ? filtered : tf.add(filtered, bias)
    })
  }

  batchNorm(name: string, x: tf.Tensor): tf.Tensor {
    const [weight, bias] = this.scaleAndShift(name, lastSize(x))
    const mean = this.parameters.buffer(`${name}.running_mean`, weight.shape, 0)
    const variance = this.parameters.buffer(`${name}.running_var`, weight.shape, 1)
    if (this.spec.step !== 'training') return tf.batchNorm(x, mean, variance, bias, weight, NORM_EPSILON)
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

  upsampleNearest(): never {
    throw new UnsupportedLayer('upsampling')
  }

  detached(): never {
    throw new UnsupportedLayer('separately trained heads')
  }

  joinPixels(): never {
    throw new UnsupportedLayer('detection head')
  }

  pixelAttention(): never {
    throw new UnsupportedLayer('attention over pixels')
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
    const tokens = names.map(name => this.parameters.weight(name, [1, 1, features], features))
    return tf.tidy(() => tf.concat([...tokens.map(token => tf.tile(token, [samples, 1, 1])), x], 1))
  }

  addPositions(name: string, x: tf.Tensor, count: number): tf.Tensor {
    const [, tokens = 0, features = 0] = x.shape
    const table = this.parameters.weight(name, [1, count, features], features)
    if (tokens === count) return tf.add(x, table)
    // Another image size: as many rows as there are patches stand for the table resampled.
    return tf.tidy(() => tf.add(x, tf.gather(tf.squeeze(table, [0]), this.values.integers([tokens], count))))
  }

  /** Against one-hot labels, as tfjs-layers turns sparse labels too (`sparseCategoricalCrossentropy`). */
  crossEntropy(logits: tf.Tensor): tf.Scalar {
    const classes = lastSize(logits)
    return tf.tidy(() => {
      const oneHot = tf.oneHot(tf.reshape(this.labels, [-1]), classes)
      return tf.losses.softmaxCrossEntropy<tf.Tensor, tf.Scalar>(oneHot, tf.reshape(logits, [-1, classes]))
    })
  }

  #token(x: tf.Tensor, position: number): tf.Tensor {
    const [samples = 0, , features = 0] = x.shape
    return tf.tidy(() => tf.reshape(tf.slice(x, [0, position, 0], [samples, 1, features]), [samples, features]))
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
