/**
 * Kernels of TensorFlow.js's CPU backend that hold other bytes than TensorFlow's, made to hold the same. Cast shares the buffer of
 * integers with their floats; here it copies. Step is composed as natively. The rest are four kernels that TensorFlow.js's CPU backend composes from smaller ones, with a temporary for each: UnsortedSegmentSum even
 * with four for every row of an embedding's table. These compute in one go into their output.
 */
import type { MathBackendCPU } from '@tensorflow/tfjs-backend-cpu'
import * as tf from '@tensorflow/tfjs-core'
import { stepKernel } from './native-step.ts'

type Info = tf.TensorInfo

export function cpuKernels(backendName: string): tf.KernelConfig[] {
  return [
    { kernelName: tf.Sum, backendName, kernelFunc: args => reduced(args, () => 1) },
    { kernelName: tf.Mean, backendName, kernelFunc: args => reduced(args, count => 1 / count) },
    { kernelName: tf.Softmax, backendName, kernelFunc: softmax },
    { kernelName: tf.UnsortedSegmentSum, backendName, kernelFunc: segmentSum },
    { kernelName: tf.Cast, backendName, kernelFunc: cast },
    stepKernel(backendName),
  ]
}

interface KernelArguments {
  readonly inputs: tf.NamedTensorInfoMap
  readonly backend: unknown
  readonly attrs?: tf.NamedAttrMap
}

/** Sums over `axis`, times `factor(terms)`. Every element finds its sum by strides, so no axis need be moved. */
function reduced({ inputs, backend, attrs }: KernelArguments, factor: (terms: number) => number): Info {
  const x = input(inputs, 'x')
  const axes = tf.util.parseAxisParam(attrs?.axis as number | number[], x.shape)
  const kept = x.shape.map((size, axis) => (axes.includes(axis) ? 1 : size))
  const sums = new Float32Array(tf.util.sizeFromShape(kept))
  const strides = kept.map((size, axis) => (size === 1 ? 0 : tf.util.sizeFromShape(kept.slice(axis + 1))))
  const values = numbers(backend, x)
  addBySteps(values, x.shape, strides, sums)
  const scale = factor(values.length / sums.length)
  const shape = attrs?.keepDims ? kept : x.shape.filter((_, axis) => !axes.includes(axis))
  return output(
    backend,
    shape,
    sums.map(sum => sum * scale),
  )
}

function addBySteps(values: ArrayLike<number>, shape: number[], strides: number[], sums: Float32Array): void {
  const position = shape.map(() => 0)
  let target = 0
  for (let index = 0; index < values.length; index++) {
    sums[target] = (sums[target] ?? 0) + (values[index] ?? 0)
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      const next = (position[axis] ?? 0) + 1
      const stride = strides[axis] ?? 0
      if (next < (shape[axis] ?? 0)) {
        position[axis] = next
        target += stride
        break
      }
      position[axis] = 0
      target -= (next - 1) * stride
    }
  }
}

/** Over the last dimension, the only one that TensorFlow.js offers. */
function softmax({ inputs, backend }: KernelArguments): Info {
  const logits = input(inputs, 'logits')
  const size = logits.shape.at(-1) ?? 1
  const values = Float32Array.from(numbers(backend, logits))
  for (let start = 0; start < values.length; start += size) {
    const row = values.subarray(start, start + size)
    const largest = row.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY)
    let sum = 0
    for (let index = 0; index < size; index++) sum += row[index] = Math.exp((row[index] ?? 0) - largest)
    for (let index = 0; index < size; index++) row[index] = (row[index] ?? 0) / sum
  }
  return output(backend, logits.shape, values)
}

/** Adds row i of `x` to row `segmentIds[i]`. */
function segmentSum({ inputs, backend, attrs }: KernelArguments): Info {
  const [x, segments] = [input(inputs, 'x'), numbers(backend, input(inputs, 'segmentIds'))]
  const values = numbers(backend, x)
  const shape = [attrs?.numSegments as number, ...x.shape.slice(1)]
  const sums = new Float32Array(tf.util.sizeFromShape(shape))
  const features = values.length / segments.length
  for (let index = 0; index < values.length; index++) {
    const row = segments[Math.floor(index / features)] ?? -1
    if (row < 0) continue
    const target = row * features + (index % features)
    sums[target] = (sums[target] ?? 0) + (values[index] ?? 0)
  }
  return output(backend, shape, sums)
}

function cast({ inputs, backend, attrs }: KernelArguments): Info {
  const x = input(inputs, 'x')
  const { dtype } = attrs ?? {}
  if (x.dtype === dtype) {
    ;(backend as MathBackendCPU).incRef(x.dataId)
    return { dataId: x.dataId, shape: x.shape, dtype: x.dtype }
  }
  if (dtype !== 'float32') throw new Error(`a training step casts to float32 only, not to ${dtype}`)
  return output(backend, x.shape, Float32Array.from(numbers(backend, x)))
}

function input(inputs: tf.NamedTensorInfoMap, name: string): Info {
  const info = inputs[name]
  if (info === undefined) throw new Error(`a kernel was called without its input "${name}"`)
  return info
}

function numbers(backend: unknown, { dataId }: Info): ArrayLike<number> {
  return (backend as MathBackendCPU).readSync(dataId) as Float32Array | Int32Array
}

function output(backend: unknown, shape: number[], values: Float32Array): Info {
  return (backend as MathBackendCPU).makeTensorInfo(shape, 'float32', values)
}
