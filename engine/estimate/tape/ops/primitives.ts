/** Single ops that layers are composed of: sums, products, views, copies, and what autograd saves for each. */
import { made, widest } from '../autograd.ts'
import { bytesPerElement, type Dtype, elements, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { lowered } from './casts.ts'

/** A kernel that reads `x` and writes a tensor of its shape. */
export function elementwise(
  tape: Tape,
  name: string,
  x: Tensor,
  options: { saves?: readonly Tensor[]; savesOutput?: boolean } = {},
): Tensor {
  const output = tape.tensor(x.shape, x.dtype, [x], x)
  const saves = [...(options.saves ?? []), ...(options.savesOutput ? [output] : [])]
  tape.record(name, { reads: [x], outputs: [output], saves, gradients: [made(x)] })
  return output
}

export function add(tape: Tape, x: Tensor, y: Tensor, options: { inPlace?: boolean } = {}): Tensor {
  // torch: AddBackward0 passes its gradient on; only a broadcast or differently typed side gets a reduced or cast copy.
  const dtype = widest(x.dtype, y.dtype)
  const output = options.inPlace
    ? { ...x, requiresGrad: x.requiresGrad || y.requiresGrad }
    : tape.tensor(x.batched ? x.shape : y.shape, dtype, [x, y], { batched: x.batched || y.batched })
  const same = (side: Tensor) => side.batched === output.batched && side.dtype === output.dtype
  tape.record('add', {
    reads: [x, y],
    outputs: [output],
    gradients: [x, y].map(side => ({ to: side, passes: same(side) })),
  })
  return output
}

export function multiply(tape: Tape, x: Tensor, y: Tensor): Tensor {
  // torch: MulBackward0 saves each factor for the other's gradient; a broadcast or narrower factor's is a
  // sum over, or a cast of, a product of the output's size and type.
  const isLarger = elements(x) > elements(y) || (elements(x) === elements(y) && (x.batched || !y.batched))
  const larger = isLarger ? x : y
  const output = tape.tensor(larger.shape, widest(x.dtype, y.dtype), [x, y], { batched: x.batched || y.batched })
  const saves = [...(y.requiresGrad ? [x] : []), ...(x.requiresGrad ? [y] : [])]
  const isReduced = (side: Tensor) =>
    side.batched !== output.batched || elements(side) < elements(output) || side.dtype !== output.dtype
  const reduced = [x, y].filter(side => side.requiresGrad && isReduced(side))
  // torch: engine.cpp validate_outputs, one gradient after the other: when the last is cast, the first has been summed, and the product that
  // it was summed from is gone; so are the factors, where nothing but a checkpoint's recomputation held them.
  const last = reduced.at(-1) ?? output
  const isLastCast = last.batched === output.batched && elements(last) === elements(output)
  const isCastLast = isLastCast && (reduced.length === 2 || tape.recomputes)
  const cast = isCastLast ? bytesPerElement[last.dtype] / bytesPerElement[output.dtype] : 0
  const backwardScratch = reduced.map(side =>
    tape.storage(elements(output) * (side === last ? 1 - cast : 1), output.dtype, output.batched, 'temporaries'),
  )
  tape.record('mul', { reads: [x, y], outputs: [output], saves, gradients: [x, y].map(made), backwardScratch })
  return output
}

export function power(tape: Tape, x: Tensor): Tensor {
  // torch: FunctionsManual.cpp pow_backward: grad * (exponent * self.pow(exponent - 1)): two temporaries.
  const output = tape.tensor(x.shape, x.dtype, [x], x)
  const backwardScratch = [0, 1].map(() => tape.storage(elements(x), x.dtype, x.batched, 'temporaries'))
  tape.record('pow', { reads: [x], outputs: [output], saves: [x], gradients: [made(x)], backwardScratch })
  return output
}

/** [heads, m, k] × [heads, k, n] → `shape`. Autocast does not apply inside another op. */
export function batchMatmul(
  tape: Tape,
  x: Tensor,
  y: Tensor,
  shape: readonly number[],
  { autocasts = true } = {},
): Tensor {
  const [left, right] = autocasts ? [lowered(tape, x), lowered(tape, y)] : [x, y]
  const output = tape.tensor(shape, left.dtype, [left, right])
  const heads = left.shape[0] ?? 1
  const inner = Math.sqrt((elements(left) * elements(right)) / (elements(output) * heads))
  tape.record('bmm', {
    reads: [left, right],
    outputs: [output],
    saves: [...(right.requiresGrad ? [left] : []), ...(left.requiresGrad ? [right] : [])],
    gradients: [left, right].map(made),
    flopsPerSample: 2 * elements(output) * inner,
  })
  return output
}

/**
 * A view of part of the last dimension. Its gradient is a tensor of the whole, as SliceBackward0 pads it with zeros.
 */
export function slice(tape: Tape, x: Tensor, size: number): Tensor {
  const output = { ...x, shape: [...x.shape.slice(0, -1), size], edge: tape.newEdge() }
  tape.record('slice', { reads: [x], outputs: [output], gradients: [made(x)] })
  return output
}

/**
 * A new tensor of the parts; their gradients are views of its gradient, cast where a part is narrower. `atLeast`: the type of an empty
 * tensor among them.
 */
export function concatenate(tape: Tape, parts: readonly Tensor[], atLeast?: Dtype): Tensor {
  const [first] = parts
  if (first === undefined) throw new Error('nothing to concatenate')
  const last = parts.reduce((sum, part) => sum + (part.shape.at(-1) ?? 0), 0)
  const dtype = parts.reduce((wide, part) => widest(wide, part.dtype), atLeast ?? first.dtype)
  const output = tape.tensor([...first.shape.slice(0, -1), last], dtype, parts, first)
  const gradients = parts.map(to => ({ to, passes: to.dtype === dtype }))
  tape.record('cat', { reads: parts, outputs: [output], gradients })
  return output
}
