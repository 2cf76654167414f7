/**
 * LitGPT 0.5.13 utils.py chunked_cross_entropy: 128 tokens at a time. Fabric hands logits on in float32
 * (plugins/precision: convert_output), and the training loop's variable holds them until the next forward pass has returned.
 */
import { made } from '../autograd.ts'
import { cast } from '../ops/casts.ts'
import { elementwise } from '../ops/primitives.ts'
import { lastSize, markLogits, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'

const CHUNK_TOKENS = 128

/** finetune/lora.py: the output layer runs in the same chunks, and all of its results are there before the first loss. */
export function lossOfChunks(tape: Tape, states: Tensor, outputLayer: (states: Tensor) => Tensor): Tensor {
  const [tokens = 0] = states.shape
  const lowered = inChunks(tape, states, tokens).map(part => markLogits(outputLayer(part)))
  const logits = lowered.map(chunk => cast(tape, chunk, 'float32'))
  tape.record('return', { reads: lowered, outputs: [] })
  hold(tape, logits)
  // The last chunk is cut by the token that has no next one, and no longer contiguous.
  const shifted = logits.map((chunk, index) => (index < logits.length - 1 ? chunk : withoutLastToken(tape, chunk)))
  return sumOfLosses(tape, shifted)
}

/** finetune/full.py: the loss runs in chunks of a copy of all logits. */
export function lossOfWhole(tape: Tape, lowered: Tensor): Tensor {
  const logits = cast(tape, markLogits(lowered), 'float32')
  hold(tape, [logits])
  const shifted = withoutLastToken(tape, logits)
  return sumOfLosses(tape, inChunks(tape, shifted, shifted.shape[0] ?? 0), [shifted])
}

function hold(tape: Tape, logits: readonly Tensor[]): void {
  tape.held.push(...logits.map(({ storage }) => storage))
  tape.outputsAfter = tape.nodes.at(-1)
}

function inChunks(tape: Tape, x: Tensor, tokens: number): Tensor[] {
  const parts: Tensor[] = []
  for (let from = 0; from < tokens; from += CHUNK_TOKENS) {
    const shape = [Math.min(CHUNK_TOKENS, tokens - from), lastSize(x)]
    parts.push({ ...x, shape, edge: tape.newEdge() })
  }
  tape.record('split', { reads: [x], outputs: parts, gradients: [made(x)] })
  return parts
}

/** A copy, as reshaping makes it of several samples. */
function withoutLastToken(tape: Tape, x: Tensor): Tensor {
  const [tokens = 1] = x.shape
  const view = { ...x, shape: [tokens - 1, lastSize(x)], edge: tape.newEdge() }
  tape.record('slice', { reads: [x], outputs: [view], gradients: [made(x)] })
  return markLogits(elementwise(tape, 'clone', view))
}

function sumOfLosses(tape: Tape, chunks: readonly Tensor[], referenced = chunks): Tensor {
  const losses = chunks.map(chunk => tokenLosses(tape, chunk))
  tape.record('return', { reads: referenced, outputs: [] })
  const loss = tape.tensor([], 'float32', losses, { batched: false })
  tape.record('sum', { reads: losses, outputs: [loss], gradients: losses.map(made) })
  return loss
}

/** torch: F.cross_entropy without a reduction. */
function tokenLosses(tape: Tape, logits: Tensor): Tensor {
  const [tokens = 0] = logits.shape
  const logProbabilities = markLogits(elementwise(tape, 'log_softmax', logits, { savesOutput: true }))
  const losses = tape.tensor([tokens], 'float32', [logProbabilities])
  tape.record('nll_loss', {
    reads: [logProbabilities],
    outputs: [losses],
    saves: [logProbabilities],
    saved: [tape.storage(tokens, 'int64', true)],
    gradients: [made(logProbabilities)],
  })
  return losses
}
