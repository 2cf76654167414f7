/**
 * LLaMA-Factory's ASFT (train/sft/trainer.py compute_loss, train/trainer_utils.py asft_loss_func): a frozen copy processes the
 * batch first; then the policy, which also computes its own loss, unused; then come a weighted cross-entropy and the divergence
 * from the copy, both over full copies of the logits in float32.
 */

import type { ModelConfig } from '../../models/architecture.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { made } from '../tape/autograd.ts'
import { shiftedCopy } from '../tape/kernels/composed-ops.ts'
import { forward } from '../tape/lowering.ts'
import { cast } from '../tape/ops/casts.ts'
import { elementwise } from '../tape/ops/primitives.ts'
import type { Tensor } from '../tape/storage.ts'
import { markLogits } from '../tape/storage.ts'
import type { Tape } from '../tape/tape.ts'
import { summed } from './log-probabilities.ts'

export function asftLoss(tape: Tape, config: ModelConfig, spec: TrainingSpec): Tensor {
  const copy = tape.withoutGradients({ of: 'copy', dtype: tape.autocastDtype }, () => forward(tape, config, spec))
  // accelerate returns outputs in float32 under mixed precision.
  const reference = tape.autocastDtype === undefined ? markLogits(copy) : raised(tape, copy)
  const lowered = markLogits(tape.underAutocast(() => forward(tape, config, spec)))
  const unused = withoutGraph(tape, 'own loss', withoutGraph(tape, 'to', lowered))
  const logits = raised(tape, lowered)
  const shifted = shiftedCopy(tape, logits)
  const shiftedReference = withoutGraph(tape, 'clone', reference, reference.dtype)
  const crossEntropy = negativeLogLikelihood(tape, shifted)
  const divergence = divergenceFrom(tape, shifted, shiftedReference)
  const loss = summed(tape, [crossEntropy, divergence])
  tape.record('return', { reads: [unused, logits, reference, shifted, shiftedReference], outputs: [] })
  return loss
}

function raised(tape: Tape, logits: Tensor): Tensor {
  return markLogits(cast(tape, markLogits(logits), 'float32'))
}

function withoutGraph(tape: Tape, name: string, from: Tensor, dtype: Tensor['dtype'] = 'float32'): Tensor {
  const output = markLogits(tape.tensor(from.shape, dtype, []))
  tape.record(name, { reads: [from], outputs: [output] })
  return output
}

function negativeLogLikelihood(tape: Tape, logits: Tensor): Tensor {
  const kept = markLogits(elementwise(tape, 'log_softmax', logits, { savesOutput: true }))
  const loss = tape.tensor([], 'float32', [kept], { batched: false })
  tape.record('nll_loss', { reads: [kept], outputs: [loss], saves: [kept], gradients: [made(kept)] })
  return loss
}

/** torch: native/Loss.cpp kl_div: xlogy(target, target) − target · input, whose product keeps the target. */
function divergenceFrom(tape: Tape, logits: Tensor, reference: Tensor): Tensor {
  const input = markLogits(elementwise(tape, 'log_softmax', logits, { savesOutput: true }))
  const target = withoutGraph(tape, 'softmax', reference, reference.dtype)
  const whole = () => tape.like(input, 'logits')
  const loss = tape.tensor([], 'float32', [input], { batched: false })
  tape.record('kl_div', {
    reads: [input, target],
    outputs: [loss],
    saves: [target],
    scratch: [tape.like(target, 'logits'), whole(), whole()],
    backwardScratch: [whole()],
    gradients: [made(input)],
  })
  return loss
}
