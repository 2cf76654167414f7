/** Adapters on a frozen linear layer, as peft 0.21 computes them (tuners/lora and tuners/oft). */

import type { TrainingSpec } from '../../../training/spec.ts'
import { mastersOf } from '../../sharding/shares.ts'
import { made } from '../autograd.ts'
import { cast, lowered } from '../ops/casts.ts'
import { dropout, isInTrainMode } from '../ops/dropout.ts'
import { add, elementwise, multiply } from '../ops/primitives.ts'
import { lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import type { ExpertFactors } from './experts.ts'
import { matrixProduct } from './matrix-product.ts'

export type Adapters = NonNullable<TrainingSpec['lora']>

/** The matrix under a DoRA adapter, and what is added to its product. */
export interface Adapted {
  readonly base: Tensor
  /** Absent if it is quantised, and so dequantised in full when it is accessed. */
  readonly weight: Tensor | undefined
  readonly bias: Tensor | undefined
  readonly isQuantised: boolean
}

/**
 * lora/layer.py Linear.forward: result + lora_B(lora_A(dropout(x))) * scaling, adapters in float32. Its local variable for the
 * cast input lives until the function returns.
 */
export function withLowRank(
  tape: Tape,
  name: string,
  x: Tensor,
  { base, isQuantised }: Pick<Adapted, 'base' | 'isQuantised'>,
  adapters: Adapters,
): Tensor {
  const raised = castForAdapters(tape, x, isQuantised)
  const product = lowRank(tape, name, dropout(tape, raised, adapters.dropout), lastSize(base), adapters)
  const sum = cast(tape, add(tape, base, elementwise(tape, 'mul', product)), base.dtype)
  tape.record('return', { reads: [raised], outputs: [] })
  return sum
}

/**
 * lora/layer.py ParamWrapper: the matrices of all experts with their adapters' product added, for the duration of a call.
 * [experts, out, in].
 */
export function withLowRankMatrices(tape: Tape, name: string, matrices: Tensor, rank: number): Tensor {
  const [experts = 1, outFeatures = 1, inFeatures = 1] = matrices.shape
  const factors = [
    adapterWeight(tape, `${name}.lora_A.weight`, [rank * experts, inFeatures]),
    adapterWeight(tape, `${name}.lora_B.weight`, [outFeatures, rank * experts]),
  ].map(factor => cast(tape, factor, matrices.dtype))
  const output = tape.tensor(matrices.shape, matrices.dtype, [matrices, ...factors], { batched: false })
  tape.record(name, {
    reads: [matrices, ...factors],
    outputs: [output],
    saves: factors,
    gradients: [matrices, ...factors].map(made),
  })
  return output
}

/** The same as separate factors per expert: [experts, rank, in] and [experts, out, rank]. */
export function lowRankFactors(tape: Tape, name: string, matrices: Tensor, rank: number): ExpertFactors {
  const [experts = 1, outFeatures = 1, inFeatures = 1] = matrices.shape
  const first = adapterWeight(tape, `${name}.lora_A.weight`, [rank * experts, inFeatures])
  const second = adapterWeight(tape, `${name}.lora_B.weight`, [outFeatures, rank * experts])
  return {
    inner: { ...cast(tape, first, matrices.dtype), shape: [experts, rank, inFeatures] },
    outer: { ...cast(tape, second, matrices.dtype), shape: [experts, outFeatures, rank] },
  }
}

function lowRank(tape: Tape, name: string, x: Tensor, outFeatures: number, { rank }: Adapters): Tensor {
  const inner = adapterLinear(tape, `${name}.lora_A`, x, rank)
  return adapterLinear(tape, `${name}.lora_B`, inner, outFeatures)
}

function adapterLinear(tape: Tape, name: string, x: Tensor, outFeatures: number): Tensor {
  const parameter = adapterWeight(tape, `${name}.weight`, [outFeatures, lastSize(x)])
  const factor = lowered(tape, x)
  const weight = tape.spec.unslothKernels ? cast(tape, parameter, factor.dtype) : lowered(tape, parameter)
  const output = tape.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, weight], x)
  tape.record(name, matrixProduct(factor, weight, [], output, lastSize(x)))
  return output
}

/** peft makes adapters float32 (`autocast_adapter_dtype`). */
export function adapterWeight(tape: Tape, name: string, shape: readonly number[]): Tensor {
  return tape.parameter(name, shape, { trainable: true, ...(!areInWeightsType(tape) && { dtype: 'float32' }) })
}

/** lora/bnb.py: under autocast, adapters on bitsandbytes' layers take the input as it is; all others cast it to their own type. */
export function castForAdapters(tape: Tape, x: Tensor, isQuantised = false): Tensor {
  const isLeft = isQuantised && tape.spec.quantization !== 'gptq' && tape.autocastDtype !== undefined
  return isLeft || areInWeightsType(tape) || tape.spec.unslothKernels ? x : cast(tape, x, 'float32')
}

/** torchtune's are. DeepSpeed casts the whole model (runtime/engine.py `self.module.bfloat16()`) and keeps masters of what trains. */
function areInWeightsType({ spec }: Tape): boolean {
  return spec.lora?.inWeightsType === true || mastersOf(spec) === 'in-optimizer'
}

/**
 * lora/dora.py DoraLinearLayer.forward: the adapters' product with an identity, added to the full matrix, gives the norm of every
 * row, by which a learned magnitude is divided; that scales the layer's own result and the adapters'. Behind a dropout layer
 * (lora/variants.py DoraLinearVariant), also one whose probability TRL has set to zero, peft computes the layer's result again from the
 * dropped input, with a copy of the matrix. torchtune's modules/peft/dora.py does not, which is left out: its recipes drop nothing.
 */
export function withMagnitude(tape: Tape, name: string, x: Tensor, adapted: Adapted, adapters: Adapters): Tensor {
  const { base, weight, bias, isQuantised } = adapted
  const outFeatures = lastSize(base)
  const raised = castForAdapters(tape, x, isQuantised)
  const input = dropout(tape, raised, adapters.dropout)
  const identity = tape.tensor([lastSize(x), lastSize(x)], raised.dtype, [], { batched: false })
  tape.record('eye', { reads: [], outputs: [identity] })
  const [inner, delta] = measured(tape, name, identity, outFeatures, adapters)
  const matrix = wholeMatrix(tape, weight, [outFeatures, lastSize(x)], raised)
  const scale = magnitudeScale(tape, name, matrix, delta)
  const product = lowRank(tape, name, input, outFeatures, adapters)
  const own =
    adapters.dropout > 0 && isInTrainMode(tape)
      ? again(tape, name, input, matrix, outFeatures)
      : bias === undefined
        ? base
        : add(tape, base, bias)
  const scaled = multiply(tape, elementwise(tape, 'sub', scale), own)
  const sum = add(tape, scaled, elementwise(tape, 'mul', multiply(tape, scale, product)))
  tape.record('return', { reads: [identity, inner, delta, matrix, product, own], outputs: [] })
  const output = cast(tape, add(tape, base, sum), base.dtype)
  tape.record('return', { reads: [raised, input], outputs: [] })
  return output
}

/** The adapters' product with an identity: its graph is freed when the function returns, because nothing of it reaches the loss. */
function measured(
  tape: Tape,
  name: string,
  identity: Tensor,
  outFeatures: number,
  { rank }: Adapters,
): readonly [inner: Tensor, outer: Tensor] {
  const features = lastSize(identity)
  const product = (part: string, x: Tensor, shape: readonly [number, number]) => {
    const weight = lowered(tape, adapterWeight(tape, `${name}.${part}.weight`, [shape[1], lastSize(x)]))
    const factor = lowered(tape, x)
    const output = tape.tensor(shape, factor.dtype, [], { batched: false })
    tape.record(part, { ...matrixProduct(factor, weight, [], output, lastSize(x)), saves: [], gradients: [] })
    return output
  }
  const inner = product('lora_A', identity, [features, rank])
  return [inner, product('lora_B', inner, [features, outFeatures])]
}

/** The matrix in the type of the adapters' input: itself, or a copy. */
function wholeMatrix(tape: Tape, weight: Tensor | undefined, shape: readonly number[], like: Tensor): Tensor {
  if (weight !== undefined) return cast(tape, weight, like.dtype)
  const dequantised = tape.tensor(shape, tape.weightDtype, [], { batched: false })
  tape.record('dequantise', { reads: [], outputs: [dequantised] })
  return cast(tape, dequantised, like.dtype)
}

function magnitudeScale(tape: Tape, name: string, matrix: Tensor, delta: Tensor): Tensor {
  const rows = matrix.shape[0] ?? 1
  const magnitude = adapterWeight(tape, `${name}.lora_magnitude_vector.weight`, [rows])
  const lengths = tape.tensor([rows], matrix.dtype, [], { batched: false })
  tape.record('norm', {
    reads: [matrix, delta],
    outputs: [lengths],
    scratch: [tape.like(delta, 'temporaries'), tape.like(matrix, 'temporaries')],
  })
  const scale = tape.tensor([rows], matrix.dtype, [magnitude], { batched: false })
  tape.record('div', {
    reads: [magnitude, lengths],
    outputs: [scale],
    saves: [lengths],
    gradients: [made(magnitude)],
  })
  return scale
}

function again(tape: Tape, name: string, input: Tensor, matrix: Tensor, outFeatures: number): Tensor {
  const [factor, weight] = [lowered(tape, input), lowered(tape, matrix)]
  const output = tape.tensor([...input.shape.slice(0, -1), outFeatures], factor.dtype, [factor, weight], input)
  tape.record(name, matrixProduct(factor, weight, [], output, lastSize(input)))
  return output
}

/**
 * oft/layer.py: the layer's input is rotated, block of features by block, by matrices that the Cayley transform makes from learned
 * skew-symmetric ones, as a series of five terms.
 */
export function turnedInput(tape: Tape, name: string, x: Tensor, adapters: Adapters): Tensor {
  const size = blockSize(lastSize(x), adapters.rank)
  const blocks = lastSize(x) / size
  const raised = castForAdapters(tape, x)
  const rotation = cayley(tape, name, blocks, size)
  const [factor, matrix] = [lowered(tape, raised), lowered(tape, rotation)]
  const product = tape.tensor(x.shape, factor.dtype, [factor, matrix])
  tape.record(`${name}.oft_R`, matrixProduct(factor, matrix, [], product, size))
  // The rotated blocks are concatenated into a copy, and so are their gradients.
  const turned = elementwise(tape, 'clone', product)
  tape.record('return', { reads: [raised, rotation, product], outputs: [] })
  return cast(tape, turned, x.dtype)
}

function cayley(tape: Tape, name: string, blocks: number, size: number): Tensor {
  const upper = adapterWeight(tape, `${name}.oft_R.weight`, [blocks, (size * (size - 1)) / 2])
  tape.buffer(`${name}.oft_R.indices`, size * (size - 1) * 8)
  const square = (from: readonly Tensor[]) => tape.tensor([blocks, size, size], upper.dtype, from, { batched: false })
  const filled = square([upper])
  tape.record('index_put', { reads: [upper], outputs: [filled], gradients: [made(upper)] })
  const skew = square([filled])
  tape.record('sub', { reads: [filled], outputs: [skew], gradients: [made(filled)] })
  const identity = square([])
  tape.record('eye', { reads: [], outputs: [identity] })
  const sum = add(tape, identity, skew, { inPlace: true })
  const powers = [skew, skew, skew]
  const last = powers.reduce((power, factor) => {
    const [left, right] = [lowered(tape, power), lowered(tape, factor)]
    const output = { ...square([left, right]), dtype: left.dtype }
    tape.record('bmm', matrixProduct(left, right, [], output, size))
    return output
  }, skew)
  return add(tape, sum, last, { inPlace: true })
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
