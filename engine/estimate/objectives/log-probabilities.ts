/**
 * Log-probabilities of a batch's tokens, as the preference-training tools compute them: what each keeps of the logits, which
 * outweigh everything else. Compared with PyTorch's trace of the same computations (probes/worker).
 */

import type { LogProbabilityStyle } from '../../training/training-method.ts'
import { made } from '../tape/autograd.ts'
import { cast } from '../tape/ops/casts.ts'
import { add, elementwise } from '../tape/ops/primitives.ts'
import { bytesPerElement, elements, lastSize, markLogits, type Tensor } from '../tape/storage.ts'
import type { Tape } from '../tape/tape.ts'

/** Rows for which TRL computes entropy at a time. */
export const ENTROPY_ROWS = 128

export interface LogProbabilities {
  /** One number per token. */
  readonly perToken: Tensor
  /** The logits that the caller still holds. */
  readonly logits: Tensor
  /** A copy of them that it holds as well. */
  readonly copy?: Tensor
}

export function logProbabilities(tape: Tape, raw: Tensor, style: LogProbabilityStyle): LogProbabilities {
  markLogits(raw)
  switch (style) {
    case 'trl':
      return bySequence(tape, raw)
    case 'trl-copied':
      return bySequenceOfCopy(tape, raw)
    case 'llamafactory': {
      // train/dpo/trainer.py concatenated_forward: the logits in float32; trainer_utils.py get_batch_logps.
      const logits = cast(tape, raw, 'float32')
      return { perToken: whole(tape, shifted(tape, logits)), logits }
    }
    case 'openrlhf': {
      // models/actor.py forward: the logits in float32; models/utils.py log_probs_from_logits.
      const logits = cast(tape, raw, 'float32')
      return { perToken: throughCrossEntropy(tape, logits), logits }
    }
    case 'torchtune': {
      // modules/transformer.py unembed: float32; rlhf/sequence_processing.py logits_to_logprobs: over the temperature.
      const logits = cast(tape, raw, 'float32')
      const tempered = markLogits(elementwise(tape, 'div', shifted(tape, logits)))
      return { perToken: whole(tape, tempered), logits }
    }
  }
}

/**
 * TRL trainer/grpo_trainer.py _get_per_token_logps_and_entropies: for the completions' positions only, divided by the temperature.
 * The model's output stays referenced until the end; the entropies are computed meanwhile, from a flat copy if the logits are a view.
 */
export function answerLogProbabilities(tape: Tape, raw: Tensor, { inPlace }: { readonly inPlace: boolean }): Tensor {
  const logits = inMixedPrecision(tape, markLogits(raw))
  const view = (from: Tensor) => lastPositions(tape, shifted(tape, from))
  const tempered = inPlace ? view(dividedInPlace(tape, logits)) : markLogits(elementwise(tape, 'div', view(logits)))
  const perToken = throughOwnType(tape, tempered)
  const [, vocabulary = 0] = logits.shape
  const chunk = () => tape.fixed(ENTROPY_ROWS * vocabulary * bytesPerElement[tempered.dtype], 'logits')
  const scratch = [...(inPlace ? [tape.like(tempered, 'logits')] : []), chunk(), chunk(), chunk()]
  tape.record('entropy', { reads: [logits, tempered], outputs: [], scratch })
  return perToken
}

/** torch: autograd's CopySlices, for a view changed in place: copies of the whole gradient and of the view's, and its result. */
function dividedInPlace(tape: Tape, logits: Tensor): Tensor {
  const output = { ...logits, edge: tape.newEdge() }
  const [positions = 0, vocabulary = 0] = logits.shape
  const view = () => tape.storage((positions - 1) * vocabulary, logits.dtype, true, 'logits')
  tape.record('div_', {
    reads: [logits],
    outputs: [output],
    gradients: [made(logits)],
    backwardScratch: [view(), view()],
  })
  return output
}

/**
 * torchtune: float32 logits of every position (modules/transformer.py unembed), sliced to the completions'. PPO processes them all at
 * once, in a copy divided by the temperature; GRPO sequence by sequence (rlhf batched_logits_to_logprobs), where each brings a
 * full-size gradient.
 */
export function rolloutLogProbabilities(tape: Tape, raw: Tensor, completionLength: number, isWhole: boolean): Tensor {
  const logits = cast(tape, markLogits(raw), 'float32')
  const [, vocabulary = 0] = logits.shape
  const cut: Tensor = { ...logits, shape: [completionLength, vocabulary], edge: tape.newEdge() }
  tape.record('slice', { reads: [logits], outputs: [cut], gradients: [made(logits)] })
  if (isWhole) return whole(tape, markLogits(elementwise(tape, 'div', cut)))
  const sequence = () => tape.fixed(elements(cut) * bytesPerElement.float32, 'logits')
  const output = tape.tensor([completionLength], 'float32', [cut])
  tape.record('log_softmax', {
    reads: [cut],
    outputs: [output],
    saved: [tape.storage(elements(cut), 'float32', true, 'logits')],
    scratch: [sequence()],
    gradients: [made(cut)],
    backwardScratch: [tape.like(cut, 'logits'), sequence(), sequence()],
  })
  return output
}

/** A view of all positions, whose gradient is padded to all of them again. */
function lastPositions(tape: Tape, logits: Tensor): Tensor {
  const output = { ...logits, edge: tape.newEdge() }
  tape.record('slice', { reads: [logits], outputs: [output], gradients: [made(logits)] })
  return output
}

/** A loss over a few numbers per token. */
export function summed(tape: Tape, numbers: readonly Tensor[]): Tensor {
  const loss = tape.tensor([], 'float32', numbers, { batched: false })
  tape.record('sum', { reads: numbers, outputs: [loss], gradients: numbers.map(made) })
  return loss
}

/** All but the last position, a view. */
function shifted(tape: Tape, logits: Tensor): Tensor {
  const [tokens = 1, vocabulary = 0] = logits.shape
  const output = { ...logits, shape: [tokens - 1, vocabulary], edge: tape.newEdge() }
  tape.record('slice', { reads: [logits], outputs: [output], gradients: [made(logits)] })
  return output
}

function whole(tape: Tape, logits: Tensor): Tensor {
  return gathered(tape, markLogits(elementwise(tape, 'log_softmax', logits, { savesOutput: true })))
}

/** torch: derivatives.yaml `gather`: saves what it reads, and writes a zeroed gradient of the same size. */
function gathered(tape: Tape, x: Tensor): Tensor {
  const output = tape.tensor(x.shape.slice(0, -1), x.dtype, [x])
  tape.record('gather', { reads: [x], outputs: [output], saves: [x], gradients: [made(x)] })
  return output
}

/** flash-attn ops/triton/cross_entropy.py: it saves the logits and a sum for each row, and writes a gradient of the same size. */
function throughCrossEntropy(tape: Tape, logits: Tensor): Tensor {
  const rows = logits.shape.slice(0, -1)
  const output = tape.tensor(rows, 'float32', [logits])
  const saved = [tape.storage(elements({ shape: rows }), 'float32', true)]
  tape.record('cross_entropy', {
    reads: [logits],
    outputs: [output],
    saves: [logits],
    saved,
    gradients: [made(logits)],
  })
  return output
}

/**
 * TRL trainer/utils.py selective_log_softmax, over logits that accelerate has made float32 where mixed precision is its own
 * (convert_outputs_to_fp32), not DeepSpeed's. Either way a loop over the sequences.
 */
function bySequence(tape: Tape, raw: Tensor): LogProbabilities {
  const logits = inMixedPrecision(tape, raw)
  return { perToken: throughOwnType(tape, shifted(tape, logits)), logits }
}

/** TRL trainer/dpo_trainer.py _compute_loss from 0.29 to 1.5: `outputs.logits[..., :-1, :].contiguous()`, beside `outputs`. */
function bySequenceOfCopy(tape: Tape, raw: Tensor): LogProbabilities {
  const logits = inMixedPrecision(tape, raw)
  const copy = markLogits(elementwise(tape, 'clone', shifted(tape, logits)))
  return { perToken: throughOwnType(tape, copy), logits, copy }
}

function inMixedPrecision(tape: Tape, raw: Tensor): Tensor {
  return tape.spec.precision === 'bf16-master' ? raw : cast(tape, raw, 'float32')
}

function throughOwnType(tape: Tape, logits: Tensor): Tensor {
  return logits.dtype === 'float32' ? throughLogSumExp(tape, logits) : throughLogSoftmax(tape, logits)
}

/** gather − logsumexp. */
function throughLogSumExp(tape: Tape, logits: Tensor): Tensor {
  const selected = gathered(tape, logits)
  const sequences = unbound(tape, logits)
  const sum = tape.tensor(logits.shape.slice(0, -1), logits.dtype, [sequences])
  // torch: FunctionsManual.cpp logsumexp_backward: grad * (self - result).exp(), a sequence at a time.
  tape.record('logsumexp', {
    reads: [sequences],
    outputs: [sum],
    saves: [sequences],
    gradients: [made(sequences)],
    backwardScratch: [0, 1].map(() => oneSequence(tape, logits)),
  })
  return add(tape, selected, sum)
}

/** Without float32 logits: a log_softmax of every sequence, saved. */
function throughLogSoftmax(tape: Tape, logits: Tensor): Tensor {
  const sequences = unbound(tape, logits)
  const kept = tape.storage(lastSize(logits) * (logits.shape[0] ?? 0), logits.dtype, true, 'logits')
  const output = tape.tensor(logits.shape.slice(0, -1), logits.dtype, [sequences])
  tape.record('log_softmax', {
    reads: [sequences],
    outputs: [output],
    saved: [kept],
    gradients: [made(sequences)],
    backwardScratch: [oneSequence(tape, logits)],
  })
  return output
}

/** torch: iterating a tensor unbinds it; UnbindBackward0 stacks the gradients of the parts into one tensor. */
function unbound(tape: Tape, logits: Tensor): Tensor {
  const output = { ...logits, edge: tape.newEdge() }
  tape.record('unbind', { reads: [logits], outputs: [output], gradients: [made(logits)] })
  return output
}

function oneSequence(tape: Tape, logits: Tensor) {
  const count = lastSize(logits) * (logits.shape[0] ?? 0)
  return tape.fixed(count * bytesPerElement[logits.dtype], 'logits')
}
