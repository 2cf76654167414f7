/** The shape of every kernel's result that a training step calls, by the names of tfjs-core. */
import * as tf from '@tensorflow/tfjs-core'

interface Result {
  readonly shape: readonly number[]
  readonly dtype: tf.DataType
}

/** New buffers, or one that is shared under another shape. */
type Results = readonly Result[] | { readonly alias: tf.TensorInfo; readonly shape: readonly number[] }

type Attributes = tf.NamedAttrMap
type Inputs = tf.NamedTensorInfoMap
type MetaKernel = (inputs: Inputs, attributes: Attributes) => Results

const unary: MetaKernel = inputs => {
  const { shape, dtype } = first(inputs)
  return [{ shape, dtype }]
}

const binary: MetaKernel = inputs => {
  const [a, b] = [input(inputs, 'a'), input(inputs, 'b')]
  const shape = tf.backend_util.assertAndGetBroadcastShape(a.shape, b.shape)
  return [{ shape, dtype: tf.backend_util.upcastType(a.dtype, b.dtype) }]
}

const reduction =
  (axisAttribute: string): MetaKernel =>
  (inputs, attributes) => {
    const { shape, dtype } = first(inputs)
    const axes = tf.util.parseAxisParam(attributes[axisAttribute] as number | number[], shape)
    const kept = shape.map((size, axis) => (axes.includes(axis) ? 1 : size))
    return [{ shape: attributes.keepDims ? kept : shape.filter((_, axis) => !axes.includes(axis)), dtype }]
  }

const filled: MetaKernel = (_, { shape, dtype }) => [
  { shape: shape as number[], dtype: (dtype ?? 'float32') as tf.DataType },
]

export const metaKernels: Readonly<Record<string, MetaKernel>> = {
  ...named(
    [tf.Erf, tf.Exp, tf.Floor, tf.Log, tf.Neg, tf.Relu, tf.Rsqrt, tf.Sigmoid, tf.Sqrt, tf.Square, tf.Tanh],
    unary,
  ),
  ...named([tf.Softmax, tf.ZerosLike, tf.FusedBatchNorm], unary),
  ...named([tf.Add, tf.Sub, tf.Multiply, tf.RealDiv, tf.Minimum, tf.Pow], binary),
  ...named([tf.Sum, tf.Mean], reduction('axis')),
  ...named([tf.Max], reduction('reductionIndices')),
  ...named([tf.Fill], filled),
  [tf.IsNan]: inputs => [{ shape: first(inputs).shape, dtype: 'bool' }],
  [tf.Greater]: inputs => [{ shape: first(inputs).shape, dtype: 'bool' }],
  [tf.Select]: inputs => {
    const { shape, dtype } = input(inputs, 't')
    return [{ shape, dtype }]
  },
  [tf.Identity]: inputs => ({ alias: first(inputs), shape: first(inputs).shape }),
  [tf.Cast]: (inputs, { dtype }) => {
    const x = first(inputs)
    return x.dtype === dtype ? { alias: x, shape: x.shape } : [{ shape: x.shape, dtype: dtype as tf.DataType }]
  },
  [tf.Reshape]: (inputs, { shape }) => {
    const x = first(inputs)
    return { alias: x, shape: tf.util.inferFromImplicitShape(shape as number[], tf.util.sizeFromShape(x.shape)) }
  },
  [tf.ExpandDims]: (inputs, { dim }) => {
    const x = first(inputs)
    const axis = (dim as number) < 0 ? (dim as number) + x.shape.length + 1 : (dim as number)
    return { alias: x, shape: x.shape.toSpliced(axis, 0, 1) }
  },
  [tf.BatchMatMul]: (inputs, { transposeA, transposeB }) => {
    const [a, b] = [input(inputs, 'a'), input(inputs, 'b')]
    const rows = a.shape.at(transposeA ? -1 : -2) ?? 1
    const columns = b.shape.at(transposeB ? -2 : -1) ?? 1
    const batches = tf.backend_util.assertAndGetBroadcastShape(a.shape.slice(0, -2), b.shape.slice(0, -2))
    return [{ shape: [...batches, rows, columns], dtype: a.dtype }]
  },
  [tf.Concat]: (inputs, { axis }) => {
    const parts = Object.values(inputs)
    const { shape, dtype } = first(inputs)
    const [along = 0] = tf.util.parseAxisParam(axis as number, shape)
    const size = parts.reduce((sum, part) => sum + (part?.shape[along] ?? 0), 0)
    return [{ shape: shape.with(along, size), dtype }]
  },
  [tf.SplitV]: (inputs, { numOrSizeSplits, axis }) => {
    const { shape, dtype } = first(inputs)
    const [along = 0] = tf.util.parseAxisParam(axis as number, shape)
    const sizes = tf.backend_util.prepareSplitSize(first(inputs) as tf.Tensor, numOrSizeSplits as number[], along)
    return sizes.map(size => ({ shape: shape.with(along, size), dtype }))
  },
  [tf.Slice]: (inputs, { size, begin }) => {
    const { shape, dtype } = first(inputs)
    const ends = (size as number[]).map((length, axis) =>
      length === -1 ? (shape[axis] ?? 0) - ((begin as number[])[axis] ?? 0) : length,
    )
    return [{ shape: ends, dtype }]
  },
  [tf.PadV2]: (inputs, { paddings }) => {
    const { shape, dtype } = first(inputs)
    const pads = paddings as [number, number][]
    return [{ shape: shape.map((size, axis) => size + (pads[axis]?.[0] ?? 0) + (pads[axis]?.[1] ?? 0)), dtype }]
  },
  [tf.Tile]: (inputs, { reps }) => {
    const { shape, dtype } = first(inputs)
    return [{ shape: shape.map((size, axis) => size * ((reps as number[])[axis] ?? 1)), dtype }]
  },
  [tf.Transpose]: (inputs, { perm }) => {
    const { shape, dtype } = first(inputs)
    return [{ shape: (perm as number[]).map(axis => shape[axis] ?? 0), dtype }]
  },
  [tf.GatherV2]: inputs => {
    const [x, indices] = [input(inputs, 'x'), input(inputs, 'indices')]
    return [{ shape: [...indices.shape, ...x.shape.slice(1)], dtype: x.dtype }]
  },
  [tf.UnsortedSegmentSum]: (inputs, { numSegments }) => {
    const { shape, dtype } = input(inputs, 'x')
    return [{ shape: shape.with(0, numSegments as number), dtype }]
  },
  [tf.OneHot]: (inputs, { depth, dtype }) => [
    { shape: [...first(inputs).shape, depth as number], dtype: dtype as tf.DataType },
  ],
  [tf.Range]: (_, { start, stop, step, dtype }) => [
    { shape: [Math.ceil(((stop as number) - (start as number)) / (step as number))], dtype: dtype as tf.DataType },
  ],
  [tf.Conv2D]: convolution(false),
  [tf.DepthwiseConv2dNative]: convolution(true),
  ...named([tf.Conv2DBackpropInput, tf.DepthwiseConv2dNativeBackpropInput], (inputs, { inputShape }) => [
    { shape: inputShape as number[], dtype: input(inputs, 'dy').dtype },
  ]),
  ...named([tf.Conv2DBackpropFilter, tf.DepthwiseConv2dNativeBackpropFilter], (inputs, { filterShape }) => [
    { shape: filterShape as number[], dtype: input(inputs, 'dy').dtype },
  ]),
  [tf.MaxPool]: (inputs, { filterSize, strides, pad }) => {
    const x = first(inputs)
    const { outShape } = tf.backend_util.computePool2DInfo(
      four(x.shape),
      filterSize as number,
      strides as number,
      1,
      pad as 'same' | 'valid',
    )
    return [{ shape: outShape, dtype: x.dtype }]
  },
  [tf.MaxPoolGrad]: inputs => {
    const { shape, dtype } = input(inputs, 'input')
    return [{ shape, dtype }]
  },
}

function convolution(isDepthwise: boolean): MetaKernel {
  return (inputs, { strides, pad }) => {
    const [x, filter] = [input(inputs, 'x'), input(inputs, 'filter')]
    const { outShape } = tf.backend_util.computeConv2DInfo(
      four(x.shape),
      four(filter.shape),
      strides as number,
      1,
      pad as 'same' | 'valid',
      undefined,
      isDepthwise,
    )
    return [{ shape: outShape, dtype: x.dtype }]
  }
}

function named(names: readonly string[], kernel: MetaKernel): Record<string, MetaKernel> {
  return Object.fromEntries(names.map(name => [name, kernel]))
}

function first(inputs: Inputs): tf.TensorInfo {
  const [info] = Object.values(inputs)
  if (info === undefined) throw new Error('a kernel was called without inputs')
  return info
}

function input(inputs: Inputs, name: string): tf.TensorInfo {
  const info = inputs[name]
  if (info === undefined) throw new Error(`a kernel was called without its input "${name}"`)
  return info
}

function four(shape: number[]): [number, number, number, number] {
  const [a = 1, b = 1, c = 1, d = 1] = shape
  return [a, b, c, d]
}
