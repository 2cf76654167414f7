/**
 * Liger's loss of GRPO, as of 0.8 (chunked_loss/fused_linear_ppo.py): logits of 2,048 tokens and 4,096 words at a time, sequence by
 * sequence, forward and backward while the loss is computed. It keeps the gradients of its input and of the weight, that of a frozen
 * weight too. Before 0.8 it held the logits of a whole sequence.
 */
import { made } from '../autograd.ts'
import { bytesPerElement, elements, lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'

const ROWS = 2_048
const WORDS = 4_096
/** Logits, what becomes of them and their gradient, at the same time. */
const PIECES = 3
/** The pass that computes a piece of the logits again, beside the two of a product of matrices and its first. */
const RECOMPUTED = 4 / 3

export function streamedLoss(tape: Tape, name: string, states: Tensor, weight: Tensor): Tensor {
  const [tokens = 1] = states.shape
  const [vocabulary = 1] = weight.shape
  const features = lastSize(states)
  const wide = bytesPerElement.float32
  const words = Math.min(WORDS, vocabulary)
  const piece = wide * (PIECES * Math.min(ROWS, tokens) * words + words * features)
  const lowered = weight.dtype === 'float32' ? 0 : elements(weight) * bytesPerElement[weight.dtype]
  const ofSequence = tokens * features * (wide + bytesPerElement[states.dtype])
  const loss = tape.tensor([], 'float32', [states, weight], { batched: false })
  tape.record(name, {
    reads: [states, weight],
    outputs: [loss],
    saved: [tape.like(states, 'logits'), tape.like(weight, 'logits')],
    // The weight's gradient of one sequence in float32, and either a piece of the logits or that gradient in the weight's type.
    scratch: [
      tape.fixed(elements(weight) * wide, 'gradients'),
      tape.fixed(Math.max(piece, lowered), 'logits'),
      tape.fixed(ofSequence, 'logits'),
    ],
    gradients: [states, weight].map(made),
    flopsPerSample: RECOMPUTED * 2 * elements(states) * vocabulary,
    computeDtype: states.dtype,
  })
  return loss
}
