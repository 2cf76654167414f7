import { made, type Recorded } from '../autograd.ts'
import { elements, type Tensor } from '../storage.ts'

/**
 * torch: `addmm`, `mm`: each factor is saved for the other's gradient. `inner`: the reduction dimension. What has more dimensions than two
 * is read as a matrix, and its gradient is a view of the product's.
 */
export function matrixProduct(
  factor: Tensor,
  weight: Tensor,
  bias: readonly Tensor[],
  output: Tensor,
  inner: number,
): Recorded {
  const isFlattened = factor.batched && factor.shape.length > 1
  return {
    reads: [factor, weight, ...bias],
    outputs: [output],
    saves: [...(weight.requiresGrad ? [factor] : []), ...(factor.requiresGrad ? [weight] : [])],
    gradients: [{ ...made(factor), isView: isFlattened }, { ...made(weight), isView: true }, ...bias.map(made)],
    flopsPerSample: output.batched ? 2 * elements(output) * inner : 0,
  }
}

/** torch: `convolution` saves both factors, whichever of them is trained. `inner`: numbers of a filter. */
export function convolution(
  factor: Tensor,
  weight: Tensor,
  bias: readonly Tensor[],
  output: Tensor,
  inner: number,
): Recorded {
  const { gradients = [], ...product } = matrixProduct(factor, weight, bias, output, inner)
  return { ...product, saves: [factor, weight], gradients: [made(factor), ...gradients.slice(1)] }
}
