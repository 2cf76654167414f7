/** Casts between types: as autocast makes them, and as models ask for them. */
import { made } from '../autograd.ts'
import type { Dtype, Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'

export function float32(tape: Tape, x: Tensor): Tensor {
  return cast(tape, x, 'float32')
}

/** Under autocast, the inputs of matrix products: weights are cast once per forward pass, activations each time. */
export function lowered(tape: Tape, x: Tensor, { cache = true } = {}): Tensor {
  if (tape.autocastDtype === undefined || x.dtype !== 'float32') return x
  // torch: autocast_mode.cpp cached_cast keeps casts of leaves that require gradients only.
  const isCached = cache && x.storage.persistent && x.requiresGrad
  const known = isCached ? tape.castWeights.get(x) : undefined
  if (known !== undefined) return known
  const narrow = cast(tape, x, tape.autocastDtype)
  if (x.storage.persistent) narrow.storage.kind = 'weights'
  if (isCached) {
    tape.castWeights.set(x, narrow)
    tape.cachedCasts.push(narrow)
  }
  return narrow
}

export function cast(tape: Tape, x: Tensor, dtype: Dtype): Tensor {
  if (x.dtype === dtype) return x
  const output = tape.tensor(x.shape, dtype, [x], x)
  if (x.storage.kind === 'logits') output.storage.kind = 'logits'
  if (tape.headsFirst.has(x.storage)) tape.headsFirst.add(output.storage)
  tape.record('to', { reads: [x], outputs: [output], gradients: [made(x)] })
  return output
}

/** Ops that autocast runs in float32: norms, powers, softmax. */
export function raised(tape: Tape, x: Tensor): Tensor {
  return tape.autocastDtype === undefined ? x : cast(tape, x, 'float32')
}
