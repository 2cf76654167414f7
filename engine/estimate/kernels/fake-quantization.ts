/**
 * Quantisation-aware training as torchao composes it (quantization/quant_primitives.py _do_fake_quantize_affine): rounding in
 * float32, whose clamp saves its input, and back to the original type. Compared with the trace of the same operations.
 */
import type { Autograd } from '../autograd.ts'
import { elements, type Tensor } from '../storage.ts'

/** `x` quantised in groups along its last dimension and dequantised again; its gradient passes straight through. */
export function fakeQuantized(autograd: Autograd, x: Tensor, groupSize: number): Tensor {
  const divided = multipliedByScale(autograd, x, groupSize)
  const rounded = passing(autograd, 'round', divided)
  const shifted = passing(autograd, 'add', rounded)
  const clamped = autograd.elementwise('clamp', shifted, { saves: [shifted] })
  const lowered = autograd.cast(clamped, x.dtype)
  const scaled = multipliedByScale(autograd, passing(autograd, 'sub', lowered), groupSize)
  const output = autograd.cast(scaled, x.dtype)
  // The rounded values stay in a local variable until the result is computed.
  autograd.record('return', { reads: [clamped], outputs: [] })
  return output
}

/** A product with a float32 scale per group, which needs no gradient. The result is float32, as is the gradient before it is cast. */
function multipliedByScale(autograd: Autograd, x: Tensor, groupSize: number): Tensor {
  const output = autograd.tensor(x.shape, 'float32', [x], x)
  const scales = autograd.storage(elements(x) / groupSize, 'float32', x.batched)
  const wide = autograd.storage(elements(x), 'float32', x.batched, 'temporaries')
  autograd.record('mul', {
    reads: [x],
    outputs: [output],
    saved: [scales],
    gradients: [{ to: x, passes: false }],
    backwardScratch: x.dtype === 'float32' ? [] : [wide],
  })
  return output
}

/** An op that passes its output's gradient through unchanged. */
function passing(autograd: Autograd, name: string, x: Tensor): Tensor {
  const output = autograd.tensor(x.shape, x.dtype, [x], x)
  autograd.record(name, { reads: [x], outputs: [output], gradients: [{ to: x, passes: true }] })
  return output
}

/** Half a byte per value, plus a one-byte scale per group. */
function fourBitBytes(count: number, groupSize: number): number {
  return count / 2 + count / groupSize
}

/**
 * torchao prototype/qat/nvfp4.py: input and weight are quantised via float32, multiplied in 4 bits and saved in 4 bits; the
 * backward pass dequantises both. No trace has confirmed it.
 */
export function fourBitProduct(autograd: Autograd, name: string, x: Tensor, weight: Tensor, groupSize: number): Tensor {
  const [outFeatures = 1] = weight.shape
  const output = autograd.tensor([...x.shape.slice(0, -1), outFeatures], x.dtype, [x, weight])
  const kept = [x, weight].map(factor =>
    autograd.storage(fourBitBytes(elements(factor), groupSize), 'bool', factor.batched),
  )
  autograd.record(name, {
    reads: [x, weight],
    outputs: [output],
    saved: kept,
    scratch: [x, weight].map(factor => autograd.storage(elements(factor), 'float32', factor.batched, 'temporaries')),
    backwardScratch: [x, weight].map(factor => autograd.like(factor, 'temporaries')),
    gradients: [x, weight].map(to => ({ to, passes: false })),
    flopsPerSample: 2 * elements(output) * (x.shape.at(-1) ?? 1),
  })
  return output
}
