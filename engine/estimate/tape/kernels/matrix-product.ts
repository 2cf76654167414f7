import { made, type Recorded } from '../autograd.ts'
import { elements, type Tensor } from '../storage.ts'

/** torch: `addmm`, `mm`, `convolution`: each factor is saved for the other's gradient. `inner`: the reduction dimension. */
export function matrixProduct(
  factor: Tensor,
  weight: Tensor,
  bias: readonly Tensor[],
  output: Tensor,
  inner: number,
): Recorded {
  return {
    reads: [factor, weight, ...bias],
    outputs: [output],
    saves: [...(weight.requiresGrad ? [factor] : []), ...(factor.requiresGrad ? [weight] : [])],
    gradients: [made(factor), { ...made(weight), isView: true }, ...bias.map(made)],
    flopsPerSample: output.batched ? 2 * elements(output) * inner : 0,
  }
}
