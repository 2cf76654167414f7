/**
 * Axolotl core/trainers/ebft/strided.py: the number of tokens in a sequence with its completions, and their log-probabilities,
 * which are computed from the last hidden states in chunks, each of which is kept.
 */

import type { TrainingSpec } from '../../config/spec.ts'
import type { TrainingMethod } from '../../config/training-method.ts'
import { made } from '../tape/autograd.ts'
import { bytesPerElement, lastSize, type Tensor } from '../tape/storage.ts'
import type { Tape } from '../tape/tape.ts'

type Strided = Extract<TrainingMethod, { kind: 'strided-ebft' }>

/** Positions of a chunk. */
const CHUNK_ROWS = 256

/** Positions from which completions start; full-length documents are counted. */
export function places({ context, stride, completionLength }: Strided, tokens: number): number {
  return Math.max(1, Math.floor((tokens - completionLength - context) / stride) + 1)
}

/** For a sequence with all its completions; undefined for any other method. */
export function stridedTokens({ method, sequenceLength = 0 }: TrainingSpec): number | undefined {
  if (method?.kind !== 'strided-ebft') return undefined
  return sequenceLength + places(method, sequenceLength) * method.completionLength
}

/** The output layer and log_softmax in float32 over the positions that count for the loss; torch: log_softmax saves its output. */
export function chunkedLogProbabilities(tape: Tape, name: string, states: Tensor, weight: Tensor): Tensor {
  const { method, sequenceLength = 0 } = tape.spec
  const [tokens = 0] = states.shape
  const [vocabulary = 0] = weight.shape
  const isWhole = method?.kind === 'strided-ebft' && method.withCrossEntropy
  const positions = isWhole ? tokens - 1 : tokens - sequenceLength
  const rows = Math.min(CHUNK_ROWS, positions)
  const chunk = (bytes: number) => tape.storage(rows * vocabulary * bytes, 'bool', true, 'logits')
  const { float32, bfloat16 } = bytesPerElement
  const output = tape.tensor([tokens - 1], 'float32', [states, weight])
  tape.record(name, {
    reads: [states, weight],
    outputs: [output],
    saves: weight.requiresGrad ? [states] : [],
    saved: [tape.storage(positions * vocabulary, 'float32', true, 'logits')],
    scratch: [chunk(bfloat16), chunk(float32)],
    // Gradients of log_softmax and of what it read, in float32 and cast back.
    backwardScratch: [chunk(float32), chunk(float32), chunk(bfloat16)],
    gradients: [states, weight].map(made),
    flopsPerSample: 2 * positions * vocabulary * lastSize(states),
  })
  return output
}
