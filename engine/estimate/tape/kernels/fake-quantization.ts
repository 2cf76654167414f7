/**
 * Quantisation-aware training as torchao composes it (quantization/quant_primitives.py _do_fake_quantize_affine): rounding in
 * float32, whose clamp saves its input, and back to the original type. Compared with the trace of the same operations.
 */

import { cast } from '../ops/casts.ts'
import { elementwise } from '../ops/primitives.ts'
import { elements, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'

/** `x` quantised in groups along its last dimension and dequantised again; its gradient passes straight through. */
export function fakeQuantized(tape: Tape, x: Tensor, groupSize: number): Tensor {
  const divided = multipliedByScale(tape, x, groupSize)
  const rounded = passing(tape, 'round', divided)
  const shifted = passing(tape, 'add', rounded)
  const clamped = elementwise(tape, 'clamp', shifted, { saves: [shifted] })
  const lowered = cast(tape, clamped, x.dtype)
  const scaled = multipliedByScale(tape, passing(tape, 'sub', lowered), groupSize)
  const output = cast(tape, scaled, x.dtype)
  // The rounded values stay in a local variable until the result is computed.
  tape.record('return', { reads: [clamped], outputs: [] })
  return output
}

/** A product with a float32 scale per group, which needs no gradient. The result is float32, as is the gradient before it is cast. */
function multipliedByScale(tape: Tape, x: Tensor, groupSize: number): Tensor {
  const output = tape.tensor(x.shape, 'float32', [x], x)
  const scales = tape.storage(elements(x) / groupSize, 'float32', x.batched)
  const wide = tape.storage(elements(x), 'float32', x.batched, 'temporaries')
  tape.record('mul', {
    reads: [x],
    outputs: [output],
    saved: [scales],
    gradients: [{ to: x, passes: false }],
    backwardScratch: x.dtype === 'float32' ? [] : [wide],
  })
  return output
}

/** An op that passes its output's gradient through unchanged. */
function passing(tape: Tape, name: string, x: Tensor): Tensor {
  const output = tape.tensor(x.shape, x.dtype, [x], x)
  tape.record(name, { reads: [x], outputs: [output], gradients: [{ to: x, passes: true }] })
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
export function fourBitProduct(tape: Tape, name: string, x: Tensor, weight: Tensor, groupSize: number): Tensor {
  const [outFeatures = 1] = weight.shape
  const output = tape.tensor([...x.shape.slice(0, -1), outFeatures], x.dtype, [x, weight])
  const kept = [x, weight].map(factor =>
    tape.storage(fourBitBytes(elements(factor), groupSize), 'bool', factor.batched),
  )
  tape.record(name, {
    reads: [x, weight],
    outputs: [output],
    saved: kept,
    scratch: [x, weight].map(factor => tape.storage(elements(factor), 'float32', factor.batched, 'temporaries')),
    backwardScratch: [x, weight].map(factor => tape.like(factor, 'temporaries')),
    gradients: [x, weight].map(to => ({ to, passes: false })),
    flopsPerSample: 2 * elements(output) * (x.shape.at(-1) ?? 1),
  })
  return output
}
