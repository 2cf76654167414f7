/** What BLOOM composes in its own way (transformers models/bloom). */

import { made, widest } from '../autograd.ts'
import { cast, lowered } from '../ops/casts.ts'
import { dropout } from '../ops/dropout.ts'
import { batchMatmul, elementwise } from '../ops/primitives.ts'
import { wideSoftmax } from '../ops/softmax.ts'
import { elements, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'

interface Shape {
  readonly heads: number
  readonly dropout: number
}

/**
 * BloomAttention: `alibi.baddbmm(query, key)`, whose result, like the masked one, is a local variable. The block keeps the weights that
 * it returns.
 */
export function alibiAttention(
  tape: Tape,
  query: Tensor,
  key: Tensor,
  value: Tensor,
  { heads, dropout: probability }: Shape,
): Tensor {
  const [tokens = 0] = query.shape
  // torch: `reshape` of a transposed view copies it; the cache is laid out as the product wants it.
  const contiguous = (x: Tensor) => (tape.held.includes(x.storage) ? x : elementwise(tape, 'clone', x))
  const [q, k, v] = [query, key, value].map(x => lowered(tape, contiguous(x))) as [Tensor, Tensor, Tensor]
  const scores = batchMatmul(tape, q, k, [heads, tokens, tokens])
  // The mask is in the embeddings' type, which under autocast is wider than that of the scores.
  const masked = tape.tensor(scores.shape, widest(scores.dtype, tape.weightDtype), [scores], scores)
  tape.record('add', { reads: [scores], outputs: [masked], gradients: [made(scores)] })
  const probabilities = wideSoftmax(tape, masked)
  const weights = dropout(tape, cast(tape, probabilities, q.dtype), probability)
  tape.locals.push(weights)
  const output = elementwise(tape, 'clone', batchMatmul(tape, weights, v, q.shape))
  tape.record('return', { reads: [query, k, v, scores, masked], outputs: [] })
  return output
}

/** BloomGelu, GeLUFunction: bloom_gelu_forward and bloom_gelu_back, by their temporaries. */
export function geluRecomputed(tape: Tape, x: Tensor): Tensor {
  const output = tape.tensor(x.shape, x.dtype, [x], x)
  const temporaries = (count: number) =>
    Array.from({ length: count }, () => tape.storage(elements(x), x.dtype, x.batched, 'temporaries'))
  tape.record('gelu', {
    reads: [x],
    outputs: [output],
    saves: [x],
    gradients: [made(x)],
    scratch: temporaries(3),
    backwardScratch: temporaries(4),
  })
  return output
}
