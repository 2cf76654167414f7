/** Norms and activations that transformers composes from primitive ops, each of which saves what its own gradient needs. */
import { type Autograd, made } from '../autograd.ts'
import { elements, type Tensor } from '../storage.ts'

/**
 * transformers CohereLayerNorm: (h - mean) * rsqrt(mean((h - mean)²) + ε) in float32, the difference computed twice, times the weight.
 */
export function composedLayerNorm(autograd: Autograd, x: Tensor, weight: Tensor): Tensor {
  const wide = autograd.cast(x, 'float32')
  const mean = rowMean(autograd, wide)
  const variance = rowMean(autograd, autograd.power(difference(autograd, wide, mean)))
  const scale = autograd.elementwise('rsqrt', variance, { savesOutput: true })
  const normalised = autograd.multiply(difference(autograd, wide, mean), scale)
  return autograd.cast(autograd.multiply(autograd.cast(weight, 'float32'), normalised), x.dtype)
}

/**
 * transformers XIELUActivation._xielu_python: where(x > 0, αp * x * x + β * x, (expm1(min(x, ε)) - x) * αn + β * x), αp and αn the
 * softplus of parameters of one element. (Its CUDA kernel comes with a package of its own, which few install.)
 */
export function xielu(autograd: Autograd, x: Tensor, slopes: readonly [positive: Tensor, negative: Tensor]): Tensor {
  const [positive, negative] = slopes.map(slope => autograd.elementwise('softplus', slope, { saves: [slope] })) as [
    Tensor,
    Tensor,
  ]
  const linear = () => autograd.elementwise('mul', x)
  const rising = autograd.add(autograd.multiply(autograd.multiply(positive, x), x), linear())
  const least = autograd.elementwise('minimum', x, { saves: [x] })
  const exponential = autograd.elementwise('expm1', least, { savesOutput: true })
  const falling = autograd.add(autograd.multiply(difference(autograd, exponential, x), negative), linear())
  const output = autograd.tensor(x.shape, x.dtype, [rising, falling], x)
  const isPositive = autograd.storage(elements(x), 'bool', x.batched)
  const parts = [rising, falling]
  autograd.record('where', { reads: parts, outputs: [output], saved: [isPositive], gradients: parts.map(made) })
  return output
}

function rowMean(autograd: Autograd, x: Tensor): Tensor {
  const output = autograd.tensor([...x.shape.slice(0, -1), 1], x.dtype, [x], x)
  autograd.record('mean', { reads: [x], outputs: [output], gradients: [made(x)] })
  return output
}

/** torch: SubBackward0 hands the minuend its gradient on, and negates it for the subtrahend. */
function difference(autograd: Autograd, x: Tensor, y: Tensor): Tensor {
  const output = autograd.tensor(x.shape, x.dtype, [x, y], x)
  autograd.record('sub', { reads: [x, y], outputs: [output], gradients: [{ to: x, passes: true }, made(y)] })
  return output
}

/** `logits[..., :-1, :].contiguous()`, counted at its full length. */
export function shiftedCopy(autograd: Autograd, logits: Tensor): Tensor {
  const view = { ...logits, edge: autograd.newEdge() }
  autograd.record('slice', { reads: [logits], outputs: [view], gradients: [made(logits)] })
  const copy = autograd.tensor(logits.shape, logits.dtype, [view])
  copy.storage.kind = 'logits'
  autograd.record('clone', { reads: [view], outputs: [copy], gradients: [{ to: view, passes: true }] })
  return copy
}
