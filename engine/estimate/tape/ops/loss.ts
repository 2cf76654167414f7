/** Losses on logits. */

import { copiesLogits, softmaxSaves } from '../../library-rules.ts'
import { made } from '../autograd.ts'
import { shiftedCopy } from '../kernels/composed-ops.ts'
import { type Dtype, elements, markLogits, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { cast, raised } from './casts.ts'

export function crossEntropy(tape: Tape, logits: Tensor): Tensor {
  const compiled = tape.spec.compiled && !tape.spec.uncompiledLoss
  if (computesOwnLoss(tape)) return logits
  // torch: `_log_softmax` saves its output; `nll_loss` saves it too and writes a zeroed gradient of the same size.
  // transformers loss_utils.py ForCausalLMLoss works on `logits.float()`; the other heads hand their logits on as they are.
  markLogits(logits)
  if (tape.spec.modelCode === 'torchtitan' && compiled) return compiledCrossEntropy(tape, logits)
  if (tape.spec.tensorParallel?.dividesLoss) return dividedCrossEntropy(tape, logits)
  const perToken = tape.labels.shape.length > 0
  // torch: of float16, CUDA's log_softmax makes float32 by itself (native/SoftMax.cpp), as autocast asks of it.
  const raisesInKernel = tape.autocastDtype !== undefined && logits.dtype === 'float16' && !compiled
  const isOfDecoder = tape.spec.task === 'causal-lm'
  const wide = isOfDecoder ? cast(tape, logits, 'float32') : raisesInKernel ? logits : raised(tape, logits)
  if (compiled) return compiledCrossEntropy(tape, wide)
  const copied = isOfDecoder && copiesLogits(tape.spec) ? [wide, shiftedCopy(tape, wide)] : []
  const input = copied[1] ?? wide
  const logProbabilities = logSoftmax(tape, input, raisesInKernel ? 'float32' : input.dtype)
  const loss = tape.tensor([], logProbabilities.dtype, [logProbabilities], { batched: false })
  tape.record('nll_loss', {
    reads: [logProbabilities],
    outputs: [loss],
    saves: [logProbabilities],
    saved: perToken ? [tape.storage(elements(tape.labels), 'int64', true)] : [],
    gradients: [made(logProbabilities)],
  })
  tape.record('return', { reads: copied, outputs: [] })
  return loss
}

export function logSoftmax(tape: Tape, x: Tensor, dtype: Dtype): Tensor {
  const output = markLogits(tape.tensor(x.shape, dtype, [x], x))
  const saves = [...softmaxSaves(tape.spec, x).saves, output]
  tape.record('log_softmax', { reads: [x], outputs: [output], saves, gradients: [made(x)] })
  return output
}

/** Whether the output layer has computed the loss already. */
function computesOwnLoss({ spec }: Tape): boolean {
  const { fusedLoss, chunkedLoss, checkpointedLoss, modelCode, task } = spec
  return task === 'causal-lm' && Boolean(fusedLoss || chunkedLoss || checkpointedLoss || modelCode === 'litgpt')
}

/** torch: Inductor fuses the softmax with the loss, and its backward pass computes the gradient from the logits. */
function compiledCrossEntropy(tape: Tape, logits: Tensor): Tensor {
  const loss = tape.tensor([], logits.dtype, [logits], { batched: false })
  tape.record('cross_entropy', { reads: [logits], outputs: [loss], saves: [logits], gradients: [made(logits)] })
  return loss
}

/**
 * torch: distributed/tensor/parallel/loss.py, on this GPU's part of the vocabulary. The softmax is composed of operations, and its
 * backward pass runs within the loss's.
 */
function dividedCrossEntropy(tape: Tape, logits: Tensor): Tensor {
  const wide = cast(tape, logits, 'float32')
  const whole = () => tape.like(wide, 'logits')
  const shifted = markLogits(tape.tensor(wide.shape, 'float32', [wide]))
  tape.record('shift', { reads: [wide], outputs: [shifted], gradients: [{ to: wide, passes: true }] })
  const logProbabilities = markLogits(tape.tensor(wide.shape, 'float32', [shifted]))
  // The float32 logits are still an argument; the exponentials beside them are gone before there are results.
  const gradients = [{ to: shifted, passes: true }]
  tape.record('log_softmax', { reads: [shifted, wide], outputs: [logProbabilities], gradients })
  const loss = tape.tensor([], 'float32', [logProbabilities], { batched: false })
  tape.record('nll_loss', {
    reads: [logProbabilities],
    outputs: [loss],
    saves: [logProbabilities],
    saved: [tape.storage(elements(tape.labels), 'int64', true)],
    backwardScratch: [whole(), whole()],
    gradients: [made(logProbabilities)],
  })
  return loss
}

/** The earlier tool's loss: the mean of the logits. */
export function mean(tape: Tape, logits: Tensor): Tensor {
  markLogits(logits)
  const loss = tape.tensor([], logits.dtype, [logits], { batched: false })
  tape.record('mean', { reads: [logits], outputs: [loss], gradients: [made(logits)] })
  return loss
}
