/** DeBERTa's attention as transformers composes it (models/deberta_v2 DisentangledSelfAttention). */

import type { DisentangledShape } from '../../../program/ops/mixers.ts'
import { made } from '../autograd.ts'
import { dropout } from '../ops/dropout.ts'
import { frame } from '../ops/frames.ts'
import { add, batchMatmul, elementwise } from '../ops/primitives.ts'
import { raisedSoftmax } from '../ops/softmax.ts'
import type { Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'

export function pairsOfTokens(tape: Tape, x: Tensor): readonly [Tensor, Tensor] {
  const [tokens = 0] = x.shape
  // transformers get_attention_mask: a product of the batch's mask, or of ones in float32 where it has none.
  const mask = tape.tensor([tokens, tokens], tape.isPadded ? 'int64' : 'float32', [])
  const distances = tape.tensor([tokens, tokens], 'int64', [], { batched: false })
  const pairs = [mask, distances] as const
  tape.record('pairs of tokens', { reads: [], outputs: pairs })
  return pairs
}

export function disentangledAttention(
  tape: Tape,
  states: readonly [Tensor, Tensor, Tensor],
  [mask, distances]: readonly [Tensor, Tensor],
  ofDistances: readonly Tensor[],
  { heads, dropout: probability, comparedWith }: DisentangledShape,
): Tensor {
  const [tokens = 0] = mask.shape
  const [q, k, v] = states.map(part => elementwise(tape, 'clone', part)) as [Tensor, Tensor, Tensor]
  return frame(tape, q, query => {
    tape.locals.push(k, v)
    const contents = batchMatmul(tape, query, elementwise(tape, 'div', k), [heads, tokens, tokens])
    const compared = comparedWith.map(which => (which === 'query' ? query : k))
    const added = distanceScores(tape, compared, distances, ofDistances, heads)
    if (added !== undefined) tape.locals.push(added)
    const masked = maskedFill(tape, added === undefined ? contents : add(tape, contents, added), mask)
    tape.locals.push(masked)
    const weights = dropout(tape, raisedSoftmax(tape, masked), probability)
    tape.locals.push(weights)
    const context = batchMatmul(tape, weights, v, query.shape)
    return elementwise(tape, 'clone', context)
  })
}

/** What its local variables reference lives until all of it is added up. */
function distanceScores(
  tape: Tape,
  compared: readonly Tensor[],
  distances: Tensor,
  ofDistances: readonly Tensor[],
  heads: number,
): Tensor | undefined {
  const caller = tape.locals
  tape.locals = []
  const repeated = ofDistances.map(part => forEachSample(tape, part))
  tape.locals.push(...repeated)
  let score: Tensor | undefined
  for (const [index, own] of compared.entries()) {
    const part = repeated[index]
    if (part === undefined) continue
    const products = batchMatmul(tape, own, part, [heads, distances.shape[0] ?? 0, part.shape[0] ?? 0])
    const gathered = atDistances(tape, products, distances)
    tape.locals.push(gathered)
    const scaled = elementwise(tape, 'div', gathered)
    score = score === undefined ? elementwise(tape, 'add', scaled) : add(tape, score, scaled, { inPlace: true })
  }
  tape.record('return', { reads: tape.locals, outputs: [] })
  tape.locals = caller
  return score
}

/** Laid out head by head, and repeated for the batch. */
function forEachSample(tape: Tape, part: Tensor): Tensor {
  const contiguous = elementwise(tape, 'clone', part)
  const output = tape.tensor(part.shape, part.dtype, [contiguous])
  tape.record('repeat', { reads: [contiguous], outputs: [output], gradients: [made(contiguous)] })
  return output
}

/** torch: derivatives.yaml `gather` saves its input and its index, here a view for all samples and heads of one [s, s]. */
function atDistances(tape: Tape, products: Tensor, distances: Tensor): Tensor {
  const [heads = 0] = products.shape
  const shifted = elementwise(tape, 'add', distances)
  const index = elementwise(tape, 'clamp', shifted)
  tape.locals.push(index)
  const output = tape.tensor([heads, ...distances.shape], products.dtype, [products])
  tape.record('gather', {
    reads: [products, index],
    outputs: [output],
    saves: [products, index],
    gradients: [made(products)],
  })
  return output
}

/** The mask as booleans is a local variable; its complement is what masked_fill saves. */
function maskedFill(tape: Tape, scores: Tensor, mask: Tensor): Tensor {
  const seen = tape.tensor(mask.shape, 'bool', [])
  tape.record('to', { reads: [mask], outputs: [seen] })
  tape.locals.push(seen)
  const hidden = elementwise(tape, 'bitwise_not', seen)
  const output = tape.tensor(scores.shape, scores.dtype, [scores])
  tape.record('masked_fill', {
    reads: [scores, hidden],
    outputs: [output],
    saves: [hidden],
    gradients: [made(scores)],
  })
  return output
}
