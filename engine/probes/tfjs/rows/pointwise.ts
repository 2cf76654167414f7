/** Norms, activations and changes of shape, as tfjs-layers composes them. */
import * as tf from '@tensorflow/tfjs-core'
import type { RmsNormOptions } from '../../../program/ops/pointwise.ts'
import type { TfjsRun } from '../run.ts'
import { scaleAndShift } from './weights.ts'

export const NORM_EPSILON = 1e-5
/** The clamp limit of gpt-oss. */
const CLAMP_LIMIT = 7
const LOGIT_CAP = 30

export function layerNorm(run: TfjsRun, name: string, x: tf.Tensor): tf.Tensor {
  const [weight, bias] = scaleAndShift(run, name, lastSize(x))
  return tf.tidy(() => {
    const centered = tf.sub(x, tf.mean(x, -1, true))
    const variance = tf.mean(tf.square(centered), -1, true)
    return tf.add(tf.mul(tf.mul(centered, tf.rsqrt(tf.add(variance, NORM_EPSILON))), weight), bias)
  })
}

export function rmsNorm(run: TfjsRun, name: string, x: tf.Tensor, { size, aroundOne }: RmsNormOptions): tf.Tensor {
  const parameter = run.parameters.constant(`${name}.weight`, [size], aroundOne ? 0 : 1)
  return tf.tidy(() => {
    const weight = aroundOne ? tf.add(1, parameter) : parameter
    const groups = tf.reshape(x, [...x.shape.slice(0, -1), lastSize(x) / size, size])
    const scale = tf.rsqrt(tf.add(tf.mean(tf.square(groups), -1, true), NORM_EPSILON))
    return tf.reshape(tf.mul(tf.mul(groups, scale), weight), x.shape)
  })
}

export function add(_: TfjsRun, x: tf.Tensor, y: tf.Tensor): tf.Tensor {
  return tf.add(x, y)
}

export function residual(_: TfjsRun, x: tf.Tensor, skip: tf.Tensor): tf.Tensor {
  return tf.add(x, skip)
}

/** tfjs-layers, activations: 0.5 · x · (1 + erf(x / √2)). */
export function gelu(_: TfjsRun, x: tf.Tensor): tf.Tensor {
  return tf.tidy(() => tf.mul(x, tf.mul(0.5, tf.add(1, tf.erf(tf.div(x, Math.SQRT2))))))
}

/** tfjs-layers, activations: 0.5 · x · (1 + tanh(√(2/π) · (x + 0.044715 · x³))). */
export function geluNew(_: TfjsRun, x: tf.Tensor): tf.Tensor {
  return tf.tidy(() => {
    const inner = tf.mul(Math.sqrt(2 / Math.PI), tf.add(x, tf.mul(0.044715, tf.pow(x, 3))))
    return tf.mul(0.5, tf.mul(x, tf.add(1, tf.tanh(inner))))
  })
}

export function tanh(_: TfjsRun, x: tf.Tensor): tf.Tensor {
  return tf.tanh(x)
}

export function relu(_: TfjsRun, x: tf.Tensor): tf.Tensor {
  return tf.relu(x)
}

export function silu(_: TfjsRun, x: tf.Tensor): tf.Tensor {
  return tf.tidy(() => tf.mul(x, tf.sigmoid(x)))
}

export function square(_: TfjsRun, x: tf.Tensor): tf.Tensor {
  return tf.square(x)
}

export function sigmoid(_: TfjsRun, x: tf.Tensor): tf.Tensor {
  return tf.sigmoid(x)
}

export function clamp(_: TfjsRun, x: tf.Tensor): tf.Tensor {
  return tf.clipByValue(x, -CLAMP_LIMIT, CLAMP_LIMIT)
}

export function multiply(_: TfjsRun, x: tf.Tensor, y: tf.Tensor): tf.Tensor {
  return tf.mul(x, y)
}

/** Memory does not depend on the constant, so any value will do. */
export function scale(_: TfjsRun, x: tf.Tensor): tf.Tensor {
  return tf.mul(x, 1)
}

export function float32(_: TfjsRun, x: tf.Tensor): tf.Tensor {
  return x
}

export function softcap(_: TfjsRun, logits: tf.Tensor): tf.Tensor {
  return tf.tidy(() => tf.mul(tf.tanh(tf.div(logits, LOGIT_CAP)), LOGIT_CAP))
}

/** As `tf.dropout` composes it. */
export function dropout(run: TfjsRun, x: tf.Tensor, probability: number): tf.Tensor {
  if (run.spec.step !== 'training' || probability === 0) return x
  const kept = 1 - probability
  return tf.tidy(() => {
    const mask = tf.floor(tf.add(run.values.uniform(x.shape, 0, 1), kept))
    return tf.mul(x, tf.div(mask, kept))
  })
}

export function dropPath(run: TfjsRun, x: tf.Tensor, probability: number): tf.Tensor {
  if (run.spec.step !== 'training' || probability === 0) return x
  const kept = 1 - probability
  const [samples = 0, ...rest] = x.shape
  return tf.tidy(() => {
    const mask = tf.floor(tf.add(run.values.uniform([samples, ...rest.map(() => 1)], 0, 1), kept))
    return tf.mul(tf.div(x, kept), mask)
  })
}

export function layerScale(run: TfjsRun, name: string, x: tf.Tensor): tf.Tensor {
  return tf.mul(run.parameters.constant(name, [lastSize(x)], 1), x)
}

export function split(_: TfjsRun, x: tf.Tensor, sizes: readonly number[]): tf.Tensor[] {
  return tf.split(x, [...sizes], -1)
}

export function slices(run: TfjsRun, x: tf.Tensor, sizes: readonly number[]): tf.Tensor[] {
  return split(run, x, sizes)
}

/** Tensors are contiguous here. */
export function gathered(_: TfjsRun, x: tf.Tensor): tf.Tensor {
  return x
}

export function repeatHeads(_: TfjsRun, x: tf.Tensor, times: number, heads: number): tf.Tensor {
  const [samples = 0, tokens = 0, features = 0] = x.shape
  return tf.tidy(() => {
    const apart = tf.reshape(x, [samples * tokens, heads, 1, features / heads])
    return tf.reshape(tf.tile(apart, [1, 1, times, 1]), [samples, tokens, features * times])
  })
}

export function lastSize(x: tf.Tensor): number {
  const size = x.shape.at(-1)
  if (size === undefined) throw new Error('a scalar has no last dimension')
  return size
}
