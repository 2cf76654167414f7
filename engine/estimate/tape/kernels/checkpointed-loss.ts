/**
 * TRL's `chunked_nll` (1.13 sft_trainer.py): the output layer and the loss on 256 tokens at a time, each chunk a checkpoint that is
 * computed again in the backward pass. All logits are never there at once.
 */
import type { LinearOptions } from '../../../program/ops/linears.ts'
import { made } from '../autograd.ts'
import { lowered } from '../ops/casts.ts'
import { bytesPerElement, elements, lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'

const CHUNK_TOKENS = 256

/** A chunk's own forward pass beside the two passes of a product of matrices. */
const RECOMPUTED = 4 / 3

export function checkpointedLoss(
  tape: Tape,
  name: string,
  states: Tensor,
  weight: Tensor,
  { capsResult = false }: Pick<LinearOptions, 'capsResult'>,
): Tensor {
  const [tokens = 1] = states.shape
  const [vocabulary = 1] = weight.shape
  const rows = ordered(tape, shifted(tape, states), tokens - 1)
  const chunkBytes = bytesPerElement.float32 * CHUNK_TOKENS * vocabulary
  // Logits, log-probabilities, probabilities, and their product for the entropy that is logged, all computed again; the tanh of a cap, too.
  const chunks = capsResult ? 5 : 4
  const ofChunk = () => Array.from({ length: chunks }, () => tape.fixed(chunkBytes, 'logits'))
  const loss = tape.tensor([], 'float32', [rows, weight], { batched: false })
  const factor = lowered(tape, weight)
  tape.record(name, {
    reads: [rows, factor],
    outputs: [loss],
    saves: [rows],
    saved: [tape.storage(tokens - 1, 'int64', true)],
    scratch: ofChunk(),
    backwardScratch: sumsLargely(weight, chunks * chunkBytes)
      ? [weight, weight].map(part => tape.like(part, 'gradients'))
      : ofChunk(),
    gradients: [rows, weight].map(made),
    flopsPerSample: RECOMPUTED * 2 * elements(rows) * vocabulary,
    computeDtype: rows.dtype,
  })
  tape.record('return', { reads: [states], outputs: [] })
  return loss
}

/** torch: the weight's gradients of the first two chunks are added in a third tensor, which may be more than a chunk takes. */
function sumsLargely(weight: Tensor, bytes: number): boolean {
  return weight.requiresGrad && 2 * bytesPerElement[weight.dtype] * elements(weight) > bytes
}

/** Every token but the last of each sample, in a copy. */
function shifted(tape: Tape, states: Tensor): Tensor {
  const [tokens = 1] = states.shape
  const output = tape.tensor([tokens - 1, lastSize(states)], states.dtype, [states])
  tape.record('reshape', { reads: [states], outputs: [output], gradients: [made(states)] })
  return output
}

/** Those with a label first, in another copy. */
function ordered(tape: Tape, rows: Tensor, tokens: number): Tensor {
  const output = tape.tensor(rows.shape, rows.dtype, [rows])
  const order = tape.storage(tokens, 'int64', true)
  tape.record('index', { reads: [rows], outputs: [output], saved: [order], gradients: [made(rows)] })
  return output
}
