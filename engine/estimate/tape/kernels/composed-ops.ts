/** Norms and activations that transformers composes from primitive ops, each of which saves what its own gradient needs. */

import { made } from '../autograd.ts'
import { cast } from '../ops/casts.ts'
import { add, elementwise, multiply, power } from '../ops/primitives.ts'
import { weightNamed } from '../ops/weights.ts'
import { elements, lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'

/**
 * transformers CohereLayerNorm: (h - mean) * rsqrt(mean((h - mean)²) + ε) in float32, the difference computed twice, times the weight.
 */
export function composedLayerNorm(tape: Tape, name: string, x: Tensor): Tensor {
  const weight = weightNamed(tape, `${name}.weight`, [lastSize(x)])
  const wide = cast(tape, x, 'float32')
  const mean = rowMean(tape, wide)
  const variance = rowMean(tape, power(tape, difference(tape, wide, mean)))
  const scale = elementwise(tape, 'rsqrt', variance, { savesOutput: true })
  const normalised = multiply(tape, difference(tape, wide, mean), scale)
  return cast(tape, multiply(tape, cast(tape, weight, 'float32'), normalised), x.dtype)
}

/**
 * transformers XIELUActivation._xielu_python: where(x > 0, αp * x * x + β * x, (expm1(min(x, ε)) - x) * αn + β * x), αp and αn the
 * softplus of parameters of one element. (Its CUDA kernel comes with a package of its own, which few install.)
 */
export function xielu(tape: Tape, name: string, x: Tensor): Tensor {
  const slopes = ['alpha_p', 'alpha_n'].map(part => weightNamed(tape, `${name}.${part}`, [1]))
  const [positive, negative] = slopes.map(slope => elementwise(tape, 'softplus', slope, { saves: [slope] })) as [
    Tensor,
    Tensor,
  ]
  const linear = () => elementwise(tape, 'mul', x)
  const rising = add(tape, multiply(tape, multiply(tape, positive, x), x), linear())
  const least = elementwise(tape, 'minimum', x, { saves: [x] })
  const exponential = elementwise(tape, 'expm1', least, { savesOutput: true })
  const falling = add(tape, multiply(tape, difference(tape, exponential, x), negative), linear())
  const output = tape.tensor(x.shape, x.dtype, [rising, falling], x)
  const isPositive = tape.storage(elements(x), 'bool', x.batched)
  const parts = [rising, falling]
  tape.record('where', { reads: parts, outputs: [output], saved: [isPositive], gradients: parts.map(made) })
  return output
}

function rowMean(tape: Tape, x: Tensor): Tensor {
  const output = tape.tensor([...x.shape.slice(0, -1), 1], x.dtype, [x], x)
  tape.record('mean', { reads: [x], outputs: [output], gradients: [made(x)] })
  return output
}

/** torch: SubBackward0 hands the minuend its gradient on, and negates it for the subtrahend. */
function difference(tape: Tape, x: Tensor, y: Tensor): Tensor {
  const output = tape.tensor(x.shape, x.dtype, [x, y], x)
  tape.record('sub', { reads: [x, y], outputs: [output], gradients: [{ to: x, passes: true }, made(y)] })
  return output
}

/** `logits[..., :-1, :].contiguous()`, counted at its full length. */
export function shiftedCopy(tape: Tape, logits: Tensor): Tensor {
  const view = { ...logits, edge: tape.newEdge() }
  tape.record('slice', { reads: [logits], outputs: [view], gradients: [made(logits)] })
  const copy = tape.tensor(logits.shape, logits.dtype, [view])
  copy.storage.kind = 'logits'
  tape.record('clone', { reads: [view], outputs: [copy], gradients: [{ to: view, passes: true }] })
  return copy
}
