/** Single tokens out of a sequence, and learned tokens and positions put into it. */
import { made, widest } from '../autograd.ts'
import { lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { add, elementwise } from './primitives.ts'
import { weightNamed } from './weights.ts'

export function firstToken(tape: Tape, x: Tensor): Tensor {
  // torch: a select is a view; SelectBackward0 writes a zeroed gradient of the whole.
  const output = { ...x, shape: x.shape.slice(1), edge: tape.newEdge() }
  tape.record('select', { reads: [x], outputs: [output], gradients: [made(x)] })
  return output
}

export function meanOfTokens(tape: Tape, x: Tensor): Tensor {
  // transformers ModernBertForSequenceClassification: (hidden * mask).sum(1) / mask.sum(1); the product saves the mask alone.
  const masked = elementwise(tape, 'mul', x)
  const output = tape.tensor(x.shape.slice(1), x.dtype, [masked])
  tape.record('sum', { reads: [masked], outputs: [output], gradients: [{ to: masked, passes: true }] })
  return elementwise(tape, 'div', output)
}

export function maskedTokens(tape: Tape, x: Tensor): Tensor {
  // The product saves the mask alone, a number a token.
  return tape.isPadded ? elementwise(tape, 'mul', x) : x
}

export function meanAfterFirst(tape: Tape, x: Tensor): Tensor {
  // torch: a slice is a view, whose SliceBackward0 writes a zeroed gradient of the whole; MeanBackward1 keeps sizes alone.
  const [tokens = 0, ...features] = x.shape
  const others = { ...x, shape: [tokens - 1, ...features], edge: tape.newEdge() }
  tape.record('slice', { reads: [x], outputs: [others], gradients: [made(x)] })
  const output = tape.tensor(features, x.dtype, [others])
  tape.record('mean', { reads: [others], outputs: [output], gradients: [made(others)] })
  return output
}

export function lastToken(tape: Tape, x: Tensor): Tensor {
  const output = tape.tensor(x.shape.slice(1), x.dtype, [x])
  tape.record('index', { reads: [x], outputs: [output], gradients: [made(x)] })
  return output
}

export function prependTokens(tape: Tape, names: readonly string[], x: Tensor): Tensor {
  // torch: `cat` of the patches and of each token expanded to the batch, a view; the gradient of that is a sum over the batch.
  const [tokens = 0, hidden = 0] = x.shape
  const learned = names.map(name => weightNamed(tape, name, [1, hidden]))
  const [first = x] = learned
  const output = tape.tensor([names.length + tokens, hidden], widest(x.dtype, first.dtype), [x, ...learned])
  const patches = { to: x, passes: output.dtype === x.dtype }
  tape.record('cat', { reads: [x, ...learned], outputs: [output], gradients: [...learned.map(made), patches] })
  return output
}

export function addPositions(tape: Tape, name: string, x: Tensor, count: number): Tensor {
  const table = weightNamed(tape, name, [count, lastSize(x)])
  const [rows = 0] = x.shape
  return add(tape, x, rows % count === 0 ? table : resampled(tape, table, x.shape))
}

/**
 * transformers' interpolate_pos_encoding: the patches' rows through `upsample_bicubic2d`, then `cat` with the special
 * tokens'.
 */
function resampled(tape: Tape, table: Tensor, shape: readonly number[]): Tensor {
  const unbatched = { batched: false }
  const resampled = tape.tensor(shape, table.dtype, [table], unbatched)
  tape.record('upsample_bicubic2d', { reads: [table], outputs: [resampled], gradients: [made(table)] })
  const joined = tape.tensor(shape, table.dtype, [resampled], unbatched)
  tape.record('cat', { reads: [resampled], outputs: [joined], gradients: [{ to: resampled, passes: true }] })
  return joined
}
