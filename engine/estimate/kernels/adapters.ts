/** Adapters on a frozen linear layer, as peft 0.21 computes them (tuners/lora and tuners/oft). */

import type { TrainingSpec } from '../../config/spec.ts'
import type { Autograd } from '../autograd.ts'
import { made } from '../autograd.ts'
import { mastersOf } from '../sharding/shares.ts'
import { lastSize, type Tensor } from '../storage.ts'
import type { ExpertFactors } from './experts.ts'
import { matrixProduct } from './matrix-product.ts'

export type Adapters = NonNullable<TrainingSpec['lora']>

/** The matrix under a DoRA adapter, and what is added to its product. */
export interface Adapted {
  readonly base: Tensor
  /** Absent if it is quantised, and so dequantised in full when it is accessed. */
  readonly weight: Tensor | undefined
  readonly bias: Tensor | undefined
}

/**
 * lora/layer.py Linear.forward: result + lora_B(lora_A(dropout(x))) * scaling, adapters in float32. Its local variable for the
 * cast input lives until the function returns.
 */
export function withLowRank(autograd: Autograd, name: string, x: Tensor, base: Tensor, adapters: Adapters): Tensor {
  const raised = castForAdapters(autograd, x)
  const product = lowRank(autograd, name, autograd.dropout(raised, adapters.dropout), lastSize(base), adapters)
  const sum = autograd.cast(autograd.add(base, autograd.elementwise('mul', product)), base.dtype)
  autograd.record('return', { reads: [raised], outputs: [] })
  return sum
}

/**
 * lora/layer.py ParamWrapper: the matrices of all experts with their adapters' product added, for the duration of a call.
 * [experts, out, in].
 */
export function withLowRankMatrices(autograd: Autograd, name: string, matrices: Tensor, rank: number): Tensor {
  const [experts = 1, outFeatures = 1, inFeatures = 1] = matrices.shape
  const factors = [
    adapterWeight(autograd, `${name}.lora_A.weight`, [rank * experts, inFeatures]),
    adapterWeight(autograd, `${name}.lora_B.weight`, [outFeatures, rank * experts]),
  ].map(factor => autograd.cast(factor, matrices.dtype))
  const output = autograd.tensor(matrices.shape, matrices.dtype, [matrices, ...factors], { batched: false })
  autograd.record(name, {
    reads: [matrices, ...factors],
    outputs: [output],
    saves: factors,
    gradients: [matrices, ...factors].map(made),
  })
  return output
}

/** The same as separate factors per expert: [experts, rank, in] and [experts, out, rank]. */
export function lowRankFactors(autograd: Autograd, name: string, matrices: Tensor, rank: number): ExpertFactors {
  const [experts = 1, outFeatures = 1, inFeatures = 1] = matrices.shape
  const first = adapterWeight(autograd, `${name}.lora_A.weight`, [rank * experts, inFeatures])
  const second = adapterWeight(autograd, `${name}.lora_B.weight`, [outFeatures, rank * experts])
  return {
    inner: { ...autograd.cast(first, matrices.dtype), shape: [experts, rank, inFeatures] },
    outer: { ...autograd.cast(second, matrices.dtype), shape: [experts, outFeatures, rank] },
  }
}

function lowRank(autograd: Autograd, name: string, x: Tensor, outFeatures: number, { rank }: Adapters): Tensor {
  const inner = adapterLinear(autograd, `${name}.lora_A`, x, rank)
  return adapterLinear(autograd, `${name}.lora_B`, inner, outFeatures)
}

function adapterLinear(autograd: Autograd, name: string, x: Tensor, outFeatures: number): Tensor {
  const parameter = adapterWeight(autograd, `${name}.weight`, [outFeatures, lastSize(x)])
  const [factor, weight] = [autograd.lowered(x), autograd.lowered(parameter)]
  const output = autograd.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, weight], x)
  autograd.record(name, matrixProduct(factor, weight, [], output, lastSize(x)))
  return output
}

/** peft makes adapters float32 (`autocast_adapter_dtype`). */
export function adapterWeight(autograd: Autograd, name: string, shape: readonly number[]): Tensor {
  return autograd.parameter(name, shape, { trainable: true, ...(!areInWeightsType(autograd) && { dtype: 'float32' }) })
}

export function castForAdapters(autograd: Autograd, x: Tensor): Tensor {
  return areInWeightsType(autograd) ? x : autograd.cast(x, 'float32')
}

/** torchtune's are. DeepSpeed casts the whole model (runtime/engine.py `self.module.bfloat16()`) and keeps masters of what trains. */
function areInWeightsType({ spec }: Autograd): boolean {
  return spec.lora?.inWeightsType === true || mastersOf(spec) === 'in-optimizer'
}

/**
 * lora/dora.py DoraLinearLayer.forward: the adapters' product with an identity, added to the full matrix, gives the norm of every
 * row, by which a learned magnitude is divided; that scales the layer's own result and the adapters'. With dropout, peft computes
 * the layer's result again from the dropped input, with a copy of the matrix.
 */
export function withMagnitude(
  autograd: Autograd,
  name: string,
  x: Tensor,
  adapted: Adapted,
  adapters: Adapters,
): Tensor {
  const { base, weight, bias } = adapted
  const outFeatures = lastSize(base)
  const raised = castForAdapters(autograd, x)
  const input = autograd.dropout(raised, adapters.dropout)
  const identity = autograd.tensor([lastSize(x), lastSize(x)], raised.dtype, [], { batched: false })
  autograd.record('eye', { reads: [], outputs: [identity] })
  const [inner, delta] = measured(autograd, name, identity, outFeatures, adapters)
  const matrix = wholeMatrix(autograd, weight, [outFeatures, lastSize(x)], raised)
  const scale = magnitudeScale(autograd, name, matrix, delta)
  const product = lowRank(autograd, name, input, outFeatures, adapters)
  const own =
    input === raised || adapters.inWeightsType
      ? bias === undefined
        ? base
        : autograd.add(base, bias)
      : again(autograd, name, input, matrix, outFeatures)
  const scaled = autograd.multiply(autograd.elementwise('sub', scale), own)
  const sum = autograd.add(scaled, autograd.elementwise('mul', autograd.multiply(scale, product)))
  autograd.record('return', { reads: [identity, inner, delta, matrix, product, own], outputs: [] })
  const output = autograd.cast(autograd.add(base, sum), base.dtype)
  autograd.record('return', { reads: [raised, input], outputs: [] })
  return output
}

/** The adapters' product with an identity: its graph is freed when the function returns, because nothing of it reaches the loss. */
function measured(
  autograd: Autograd,
  name: string,
  identity: Tensor,
  outFeatures: number,
  { rank }: Adapters,
): readonly [inner: Tensor, outer: Tensor] {
  const features = lastSize(identity)
  const product = (part: string, x: Tensor, shape: readonly [number, number]) => {
    const weight = autograd.lowered(adapterWeight(autograd, `${name}.${part}.weight`, [shape[1], lastSize(x)]))
    const factor = autograd.lowered(x)
    const output = autograd.tensor(shape, factor.dtype, [], { batched: false })
    autograd.record(part, { ...matrixProduct(factor, weight, [], output, lastSize(x)), saves: [], gradients: [] })
    return output
  }
  const inner = product('lora_A', identity, [features, rank])
  return [inner, product('lora_B', inner, [features, outFeatures])]
}

/** The matrix in the type of the adapters' input: itself, or a copy. */
function wholeMatrix(autograd: Autograd, weight: Tensor | undefined, shape: readonly number[], like: Tensor): Tensor {
  if (weight !== undefined) return autograd.cast(weight, like.dtype)
  const dequantised = autograd.tensor(shape, autograd.weightDtype, [], { batched: false })
  autograd.record('dequantise', { reads: [], outputs: [dequantised] })
  return autograd.cast(dequantised, like.dtype)
}

function magnitudeScale(autograd: Autograd, name: string, matrix: Tensor, delta: Tensor): Tensor {
  const rows = matrix.shape[0] ?? 1
  const magnitude = adapterWeight(autograd, `${name}.lora_magnitude_vector.weight`, [rows])
  const lengths = autograd.tensor([rows], matrix.dtype, [], { batched: false })
  autograd.record('norm', {
    reads: [matrix, delta],
    outputs: [lengths],
    scratch: [autograd.like(delta, 'temporaries'), autograd.like(matrix, 'temporaries')],
  })
  const scale = autograd.tensor([rows], matrix.dtype, [magnitude], { batched: false })
  autograd.record('div', {
    reads: [magnitude, lengths],
    outputs: [scale],
    saves: [lengths],
    gradients: [made(magnitude)],
  })
  return scale
}

function again(autograd: Autograd, name: string, input: Tensor, matrix: Tensor, outFeatures: number): Tensor {
  const [factor, weight] = [autograd.lowered(input), autograd.lowered(matrix)]
  const output = autograd.tensor([...input.shape.slice(0, -1), outFeatures], factor.dtype, [factor, weight])
  autograd.record(name, matrixProduct(factor, weight, [], output, lastSize(input)))
  return output
}

/**
 * oft/layer.py: the layer's input is rotated, block of features by block, by matrices that the Cayley transform makes from learned
 * skew-symmetric ones, as a series of five terms.
 */
export function turnedInput(autograd: Autograd, name: string, x: Tensor, adapters: Adapters): Tensor {
  const size = blockSize(lastSize(x), adapters.rank)
  const blocks = lastSize(x) / size
  const raised = castForAdapters(autograd, x)
  const rotation = cayley(autograd, name, blocks, size)
  const [factor, matrix] = [autograd.lowered(raised), autograd.lowered(rotation)]
  const product = autograd.tensor(x.shape, factor.dtype, [factor, matrix])
  autograd.record(`${name}.oft_R`, matrixProduct(factor, matrix, [], product, size))
  // The rotated blocks are concatenated into a copy, and so are their gradients.
  const turned = autograd.elementwise('clone', product)
  autograd.record('return', { reads: [raised, rotation, product], outputs: [] })
  return autograd.cast(turned, x.dtype)
}

function cayley(autograd: Autograd, name: string, blocks: number, size: number): Tensor {
  const upper = adapterWeight(autograd, `${name}.oft_R.weight`, [blocks, (size * (size - 1)) / 2])
  autograd.buffer(`${name}.oft_R.indices`, size * (size - 1) * 8)
  const square = (from: readonly Tensor[]) =>
    autograd.tensor([blocks, size, size], upper.dtype, from, { batched: false })
  const filled = square([upper])
  autograd.record('index_put', { reads: [upper], outputs: [filled], gradients: [made(upper)] })
  const skew = square([filled])
  autograd.record('sub', { reads: [filled], outputs: [skew], gradients: [made(filled)] })
  const identity = square([])
  autograd.record('eye', { reads: [], outputs: [identity] })
  const sum = autograd.add(identity, skew, { inPlace: true })
  const powers = [skew, skew, skew]
  const last = powers.reduce((power, factor) => {
    const [left, right] = [autograd.lowered(power), autograd.lowered(factor)]
    const output = { ...square([left, right]), dtype: left.dtype }
    autograd.record('bmm', matrixProduct(left, right, [], output, size))
    return output
  }, skew)
  return autograd.add(sum, last, { inPlace: true })
}

/** OFTLayer.adjust_oft_parameters: the nearest size that divides the features; the smaller one if there are two. */
function blockSize(features: number, wanted: number): number {
  if (wanted >= features) return features
  const divides = (size: number) => features % size === 0
  let [higher, lower] = [wanted, wanted]
  while (higher <= features && !divides(higher)) higher++
  while (lower > 1 && !divides(lower)) lower--
  return wanted - lower <= higher - wanted ? lower : higher
}
