/** Tokens divided among the GPUs of a tensor-parallel group: what is gathered before a layer and scattered after it. */
import { made } from '../autograd.ts'
import { elements, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { input } from './batch.ts'

/** Tokens whose residuals this GPU holds. */
function heldTokens(tape: Tape): number {
  const [tokens = 1] = input(tape).shape
  const { gpus = 1, dividesTokens = false } = tape.spec.tensorParallel ?? {}
  return dividesTokens ? Math.ceil(tokens / gpus) : tokens
}

/** torch: distributed/tensor/parallel/style.py PrepareModuleInput: a module's layers share the gathered input. */
export function allTokens(tape: Tape, x: Tensor): Tensor {
  const [tokens = 1] = input(tape).shape
  if (x.shape[0] === tokens || x.shape[0] !== heldTokens(tape)) return x
  const known = tape.gatheredTokens
  const whole = known?.of === x ? known.whole : exchanged(tape, 'all_gather', x, [tokens, ...x.shape.slice(1)])
  tape.gatheredTokens = { of: x, whole }
  return whole
}

export function ownTokens(tape: Tape, x: Tensor): Tensor {
  const [tokens = 1] = input(tape).shape
  if (x.shape[0] !== tokens || heldTokens(tape) === tokens) return x
  return exchanged(tape, 'reduce_scatter', x, [heldTokens(tape), ...x.shape.slice(1)])
}

/**
 * All-gather or reduce-scatter into a new tensor; its gradient goes through the opposite operation. torch:
 * distributed/_functional_collectives.py: collectives join whole tensors one after the other, so that tokens or features are copied
 * behind a gather, and before a scatter.
 */
export function exchanged(tape: Tape, name: string, x: Tensor, shape: readonly number[]): Tensor {
  const grows = elements({ shape }) > elements(x)
  return grows ? copied(tape, collected(tape, name, x, shape)) : collected(tape, name, copied(tape, x), shape)
}

function copied(tape: Tape, x: Tensor): Tensor {
  return collected(tape, 'cat', x, x.shape)
}

function collected(tape: Tape, name: string, x: Tensor, shape: readonly number[]): Tensor {
  const output = tape.tensor(shape, x.dtype, [x])
  tape.record(name, { reads: [x], outputs: [output], gradients: [made(x)] })
  return output
}
