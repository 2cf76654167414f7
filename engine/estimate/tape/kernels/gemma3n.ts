/** transformers: models/gemma3n Gemma3nTextAltUp, Gemma3nTextMLP._gaussian_topk, Gemma3nModel.forward, as autograd sees them. */
import { made } from '../autograd.ts'
import { cast, lowered, raised } from '../ops/casts.ts'
import { add, elementwise, multiply, power } from '../ops/primitives.ts'
import { elements, lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'

export function stackedStreams(tape: Tape, parts: readonly Tensor[]): Tensor {
  const [first] = parts
  if (first === undefined) throw new Error('nothing to stack')
  const output = tape.tensor([parts.length, ...first.shape], first.dtype, parts)
  tape.record('stack', {
    reads: parts,
    outputs: [output],
    gradients: parts.map(to => ({ to, passes: true })),
  })
  return output
}

export function firstStream(tape: Tape, streams: Tensor): Tensor {
  // torch: SelectBackward0 writes a zeroed gradient of the whole.
  const output = { ...streams, shape: streams.shape.slice(1), edge: tape.newEdge() }
  tape.record('select', { reads: [streams], outputs: [output], gradients: [made(streams)] })
  return output
}

export function meanOfStreams(tape: Tape, streams: Tensor): Tensor {
  const output = tape.tensor(streams.shape.slice(1), streams.dtype, [streams])
  tape.record('mean', { reads: [streams], outputs: [output], gradients: [made(streams)] })
  return output
}

export function magnitude(tape: Tape, x: Tensor): Tensor {
  return elementwise(tape, 'sqrt', meanOfSquares(tape, x), { savesOutput: true })
}

export function scaledTo(tape: Tape, target: Tensor, x: Tensor): Tensor {
  const wide = cast(tape, x, target.dtype)
  const own = magnitude(tape, wide)
  const product = multiply(tape, wide, target)
  // torch: DivBackward0 saves both operands for the divisor's gradient.
  const output = tape.tensor(x.shape, product.dtype, [product, own])
  tape.record('div', {
    reads: [product, own],
    outputs: [output],
    saves: [product, own],
    gradients: [product, own].map(made),
    backwardScratch: [tape.like(output, 'temporaries')],
  })
  return output
}

export function predictedStreams(tape: Tape, streams: Tensor, coefficients: Tensor): Tensor {
  const [left, right] = [lowered(tape, streams), lowered(tape, coefficients)]
  const product = tape.tensor(streams.shape, left.dtype, [left, right])
  tape.record('bmm', {
    reads: [left, right],
    outputs: [product],
    saves: [left, right],
    gradients: [left, right].map(made),
    flopsPerSample: 2 * elements(product) * (streams.shape[0] ?? 1),
  })
  const sum = passing(tape, 'clone', add(tape, product, streams, { inPlace: true }))
  return cast(tape, sum, streams.dtype)
}

export function correctedStreams(tape: Tape, predictions: Tensor, result: Tensor, coefficients: Tensor): Tensor {
  const first = firstStream(tape, predictions)
  const error = tape.tensor(result.shape, result.dtype, [result, first])
  const gradients = [{ to: result, passes: true }, made(first)]
  tape.record('sub', { reads: [result, first], outputs: [error], gradients })
  const repeated = tape.tensor(predictions.shape, error.dtype, [error])
  tape.record('repeat', { reads: [error], outputs: [repeated], gradients: [made(error)] })
  return add(tape, multiply(tape, repeated, coefficients), predictions, { inPlace: true })
}

export function addedToOtherStreams(tape: Tape, streams: Tensor, x: Tensor): Tensor {
  // torch: CopySlices copies the gradient of the whole, and that of the slice again. `streams[1:] += x` also puts the sum back
  // into its place, whose gradient is padded to a whole.
  const others = () => tape.storage(elements(streams) - elements(x), streams.dtype, true, 'temporaries')
  const sum = { ...streams, edge: tape.newEdge() }
  tape.record('add_', {
    reads: [streams, x],
    outputs: [sum],
    gradients: [streams, x].map(made),
    backwardScratch: [others()],
  })
  const output = { ...streams, edge: tape.newEdge() }
  const backwardScratch = [others(), tape.like(streams, 'temporaries')]
  tape.record('copy_', { reads: [sum], outputs: [output], gradients: [made(sum)], backwardScratch })
  return output
}

export function sparsified(tape: Tape, x: Tensor): Tensor {
  const rows = x.shape.slice(0, -1)
  const mean = tape.tensor([...rows, 1], x.dtype, [x])
  tape.record('mean', { reads: [x], outputs: [mean], gradients: [made(x)] })
  const deviation = tape.tensor([...rows, 1], x.dtype, [x])
  tape.record('std', { reads: [x], outputs: [deviation], saves: [x, deviation], gradients: [made(x)] })
  const cutoff = add(tape, mean, elementwise(tape, 'mul', deviation))
  const above = tape.tensor(x.shape, x.dtype, [x, cutoff])
  tape.record('sub', { reads: [x, cutoff], outputs: [above], gradients: [{ to: x, passes: true }, made(cutoff)] })
  return elementwise(tape, 'relu', above, { savesOutput: true })
}

export function either(tape: Tape, x: Tensor, y: Tensor): Tensor {
  const output = tape.tensor(x.shape, x.dtype, [x, y])
  const mask = tape.storage(elements(x) / lastSize(x), 'bool', true)
  tape.record('where', { reads: [x, y], outputs: [output], saved: [mask], gradients: [x, y].map(made) })
  return output
}

function meanOfSquares(tape: Tape, x: Tensor): Tensor {
  const squares = power(tape, raised(tape, x))
  const mean = tape.tensor([...x.shape.slice(0, -1), 1], squares.dtype, [squares])
  tape.record('mean', { reads: [squares], outputs: [mean], gradients: [made(squares)] })
  return mean
}

/** A new tensor whose gradient is that of its source. */
function passing(tape: Tape, name: string, x: Tensor): Tensor {
  const output = tape.tensor(x.shape, x.dtype, [x])
  tape.record(name, { reads: [x], outputs: [output], gradients: [{ to: x, passes: true }] })
  return output
}
