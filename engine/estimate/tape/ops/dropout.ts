/** Dropout, of single numbers and of whole samples. */
import { made } from '../autograd.ts'
import { elements, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { elementwise, multiply } from './primitives.ts'

export function dropPath(tape: Tape, x: Tensor, probability: number): Tensor {
  // transformers ConvNextDropPath: hidden_states.div(keep_prob) * random_tensor, a number a sample.
  if (!tape.inTrainMode || probability === 0) return x
  const kept = tape.tensor([], x.dtype, [])
  tape.record('floor', { reads: [], outputs: [kept] })
  return multiply(tape, elementwise(tape, 'div', x), kept)
}

export function dropout(tape: Tape, x: Tensor, probability: number, { isFunctional = false } = {}): Tensor {
  // trl: trainer/utils.py disable_dropout_in_model sets `p` of every nn.Dropout to zero.
  if ((tape.spec.dropout === false && !isFunctional) || probability === 0 || !isInTrainMode(tape)) return x
  // torch: native/Dropout.cpp: on CUDA `native_dropout`, which saves a one-byte mask.
  const mask = tape.storage(elements(x), 'bool', x.batched)
  const output = tape.tensor(x.shape, x.dtype, [x], x)
  tape.record('dropout', { reads: [x], outputs: [output], saved: [mask], gradients: [made(x)] })
  return output
}

/**
 * Whether the running modules are in train mode. Running without gradients does not imply eval mode; frozen copies are in eval mode, and
 * disabled adapters have no dropout.
 */
export function isInTrainMode({ inTrainMode, pass }: Tape): boolean {
  return inTrainMode && (pass === undefined || pass.of === 'policy')
}
