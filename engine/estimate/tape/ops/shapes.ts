/** Changes of shape: parts, copies and joins of tensors. */
import { made } from '../autograd.ts'
import { elements, lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { concatenate, elementwise, slice } from './primitives.ts'

export function mask(tape: Tape, rows: number, columns: number): Tensor {
  const mask = tape.tensor([rows, columns], tape.autocastDtype ?? tape.weightDtype, [])
  tape.record('mask', { reads: [], outputs: [mask] })
  return mask
}

export function padded(tape: Tape, x: Tensor, rows: number): Tensor {
  const output = tape.tensor([rows, ...x.shape.slice(1)], x.dtype, [x])
  tape.record('pad', { reads: [x], outputs: [output], gradients: [made(x)] })
  return output
}

export function joined(tape: Tape, parts: readonly Tensor[], rows: number): Tensor {
  const [first, ...others] = parts.map(part => firstRows(tape, part, rows))
  if (first === undefined) throw new Error('nothing to join')
  // transformers MllamaVisionModel: torch.stack of the layers between, and torch.cat of the last with those.
  return concatenate(tape, [first, concatenate(tape, others)])
}

export function split(tape: Tape, x: Tensor, sizes: readonly number[]): Tensor[] {
  // torch: `split` gives views; SplitBackward0 concatenates their gradients into one tensor.
  const outputs = sizes.map(size => ({ ...x, shape: [...x.shape.slice(0, -1), size], edge: tape.newEdge() }))
  tape.record('split', { reads: [x], outputs, gradients: [made(x)] })
  return outputs
}

export function slices(tape: Tape, x: Tensor, sizes: readonly number[]): Tensor[] {
  return sizes.map(size => slice(tape, x, size))
}

export function gathered(tape: Tape, x: Tensor): Tensor {
  return elementwise(tape, 'clone', x)
}

export function leaving(tape: Tape, x: Tensor, rows: number): Tensor {
  // torch: linear's reshape of a view that is not contiguous copies it, and its gradient is padded with zeros.
  return elementwise(tape, 'clone', firstRows(tape, x, rows))
}

export function inRows(_tape: Tape, x: Tensor, rows: number): Tensor {
  return { ...x, shape: [rows, elements(x) / rows] }
}

export function repeatHeads(tape: Tape, x: Tensor, times: number): Tensor {
  const output = tape.tensor([...x.shape.slice(0, -1), lastSize(x) * times], x.dtype, [x])
  tape.record('expand', { reads: [x], outputs: [output], gradients: [made(x)] })
  return output
}

export function headsJoined(tape: Tape, own: Tensor, other: Tensor, sharedBy = 1): Tensor {
  const features = lastSize(own) + lastSize(other) * sharedBy
  const output = tape.tensor([...own.shape.slice(0, -1), features], own.dtype, [own, other])
  // torch: CopySlices copies the gradient of the whole before it hands parts of it on.
  const backwardScratch = sharedBy > 1 ? [tape.like(output, 'temporaries')] : []
  tape.record('cat', { reads: [own, other], outputs: [output], gradients: [own, other].map(made), backwardScratch })
  tape.headsFirst.add(output.storage)
  return output
}

function firstRows(tape: Tape, x: Tensor, rows: number): Tensor {
  const output = { ...x, shape: [rows, ...x.shape.slice(1)], edge: tape.newEdge() }
  tape.record('slice', { reads: [x], outputs: [output], gradients: [made(x)] })
  return output
}
