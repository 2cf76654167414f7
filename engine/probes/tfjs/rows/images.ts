/**
 * Images, the choice of tokens, and the loss. Images are [b, y, x, c], the only layout that every backend convolves.
 */
import * as tf from '@tensorflow/tfjs-core'
import type { Convolution } from '../../../program/ops/images.ts'
import type { TfjsRun } from '../run.ts'
import { lastSize, NORM_EPSILON } from './pointwise.ts'
import { scaleAndShift } from './weights.ts'

/** Weight of the newest batch in batch normalisation's running statistics. */
const MOMENTUM = 0.1

export function firstToken(run: TfjsRun, x: tf.Tensor): tf.Tensor {
  return token(run, x, 0)
}

/** Rows are drawn without padding, so the last token is the last column. */
export function lastToken(run: TfjsRun, x: tf.Tensor): tf.Tensor {
  return token(run, x, (x.shape[1] ?? 1) - 1)
}

export function conv2d(run: TfjsRun, name: string, x: tf.Tensor, outChannels: number, options: Convolution): tf.Tensor {
  const { kernel, stride, padding: pixels = Math.floor(kernel / 2), groups = 1 } = options
  const inChannels = lastSize(x)
  const isDepthwise = groups > 1 && groups === inChannels && groups === outChannels
  if (groups > 1 && !isDepthwise) throw new Error('TensorFlow.js convolves all channels together, or each on its own')
  const shape = isDepthwise ? [kernel, kernel, inChannels, 1] : [kernel, kernel, inChannels, outChannels]
  const filter = run.parameters.weight(`${name}.weight`, shape, (kernel * kernel * inChannels) / groups)
  const bias = options.bias ? run.parameters.constant(`${name}.bias`, [outChannels], 0) : undefined
  const convolve = isDepthwise ? tf.depthwiseConv2d : tf.conv2d
  return tf.tidy(() => {
    const filtered = convolve(image(x), image(filter), stride, padding(kernel, pixels))
    return bias === undefined ? filtered : tf.add(filtered, bias)
  })
}

export function batchNorm(run: TfjsRun, name: string, x: tf.Tensor): tf.Tensor {
  const [weight, bias] = scaleAndShift(run, name, lastSize(x))
  const mean = run.parameters.buffer(`${name}.running_mean`, weight.shape, 0)
  const variance = run.parameters.buffer(`${name}.running_var`, weight.shape, 1)
  if (run.spec.step !== 'training') return tf.batchNorm(x, mean, variance, bias, weight, NORM_EPSILON)
  return tf.tidy(() => {
    const batch = tf.moments(x, [0, 1, 2])
    follow(mean, batch.mean)
    follow(variance, batch.variance)
    return tf.batchNorm(x, batch.mean, batch.variance, bias, weight, NORM_EPSILON)
  })
}

export function maxPool(
  _: TfjsRun,
  x: tf.Tensor,
  options: { kernel: number; stride: number; padding: number },
): tf.Tensor {
  return tf.maxPool(image(x), options.kernel, options.stride, padding(options.kernel, options.padding))
}

export function globalAveragePool(_: TfjsRun, x: tf.Tensor): tf.Tensor {
  return tf.mean(x, [1, 2])
}

/** Images are channels last here throughout. */
export function channelsLast(_: TfjsRun, x: tf.Tensor): tf.Tensor {
  return x
}

export function channelsFirst(_: TfjsRun, x: tf.Tensor): tf.Tensor {
  return x
}

export function flattenPixels(_: TfjsRun, x: tf.Tensor): tf.Tensor {
  const [samples = 0, y = 0, width = 0, channels = 0] = x.shape
  return tf.reshape(x, [samples, y * width, channels])
}

export function prependTokens(run: TfjsRun, names: readonly string[], x: tf.Tensor): tf.Tensor {
  const [samples = 0, , features = 0] = x.shape
  const tokens = names.map(name => run.parameters.weight(name, [1, 1, features], features))
  return tf.tidy(() => tf.concat([...tokens.map(token => tf.tile(token, [samples, 1, 1])), x], 1))
}

export function addPositions(run: TfjsRun, name: string, x: tf.Tensor, count: number): tf.Tensor {
  const [, tokens = 0, features = 0] = x.shape
  const table = run.parameters.weight(name, [1, count, features], features)
  if (tokens === count) return tf.add(x, table)
  // For another image size, rows gathered from the table stand for the interpolated table.
  return tf.tidy(() => tf.add(x, tf.gather(tf.squeeze(table, [0]), run.values.integers([tokens], count))))
}

function token(_: TfjsRun, x: tf.Tensor, position: number): tf.Tensor {
  const [samples = 0, , features = 0] = x.shape
  return tf.tidy(() => tf.reshape(tf.slice(x, [0, position, 0], [samples, 1, features]), [samples, features]))
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
