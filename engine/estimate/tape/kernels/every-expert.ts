/**
 * Llama 4's experts: every token goes through all of them, multiplied by its score for each, which is zero except for the best.
 * transformers: Llama4TextMoe; Axolotl's llama4_linearized_experts turns them into separate linear layers.
 */

import { made } from '../autograd.ts'
import { cast, lowered } from '../ops/casts.ts'
import { elementwise, multiply } from '../ops/primitives.ts'
import { elements, lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { gatheredRows } from './experts.ts'

/** A copy of every token for each expert, and that multiplied by its scores: [experts · s, h]. `logits`: [s, experts]. */
export function scoredRows(tape: Tape, x: Tensor, logits: Tensor, perToken: number): Tensor {
  const [tokens = 0, count = 0] = logits.shape
  const chosen = tape.tensor([tokens, perToken], 'int64', [])
  const best = tape.tensor([tokens, perToken], logits.dtype, [logits])
  tape.record('topk', { reads: [logits], outputs: [best, chosen], saves: [chosen], gradients: [made(logits)] })
  const placed = tape.tensor(logits.shape, logits.dtype, [best])
  tape.record('scatter', {
    reads: [best, chosen, logits],
    outputs: [placed],
    saves: [chosen],
    gradients: [made(best)],
  })
  const wide = elementwise(tape, 'sigmoid', cast(tape, placed, 'float32'), { savesOutput: true })
  const scores = elementwise(tape, 'clone', cast(tape, wide, logits.dtype))
  const repeated = tape.tensor([count * tokens, lastSize(x)], x.dtype, [x])
  tape.record('repeat', { reads: [x], outputs: [repeated], gradients: [made(x)] })
  return multiply(tape, repeated, scores)
}

/** torch: `bmm` saves both factors. `weight`: [experts, in, out]. */
export function expertProduct(tape: Tape, rows: Tensor, weight: Tensor): Tensor {
  const [factor, matrix] = [lowered(tape, rows), lowered(tape, weight)]
  const output = tape.tensor([...rows.shape.slice(0, -1), lastSize(weight)], factor.dtype, [factor, matrix])
  tape.record('bmm', {
    reads: [factor, matrix],
    outputs: [output],
    saves: [...(matrix.requiresGrad ? [factor] : []), ...(factor.requiresGrad ? [matrix] : [])],
    gradients: [factor, matrix].map(made),
    flopsPerSample: 2 * elements(output) * lastSize(rows),
  })
  return output
}

/** Over the experts. torch: the gradient of a sum is an expanded view, which the reshape before it copies row by row. */
export function summed(tape: Tape, results: Tensor, x: Tensor): Tensor {
  const output = tape.tensor(x.shape, results.dtype, [results])
  tape.record('sum', { reads: [results], outputs: [output], gradients: [made(results)] })
  return output
}

/**
 * Each expert on its own rows, written into one tensor for all. torch: CopySlices copies the whole gradient before it passes parts
 * of it on; SelectBackward0 pads the gradient of its rows with zeros.
 */
export function oneByOne(
  tape: Tape,
  rows: Tensor,
  count: number,
  expert: (rows: Tensor, index: number) => Tensor,
): Tensor {
  const own = [elements(rows) / count / lastSize(rows), lastSize(rows)]
  let all = tape.tensor(rows.shape, rows.dtype, [])
  tape.record('zeros', { reads: [], outputs: [all] })
  for (let index = 0; index < count; index++) {
    const input: Tensor = { ...rows, shape: own, edge: tape.newEdge() }
    tape.record('select', { reads: [rows], outputs: [input], gradients: [made(rows)] })
    const result = expert(input, index)
    const joined: Tensor = { ...all, requiresGrad: all.requiresGrad || result.requiresGrad, edge: tape.newEdge() }
    tape.record('copy slices', { reads: [all, result], outputs: [joined], gradients: [all, result].map(made) })
    all = joined
  }
  return all
}

/** torchtune modules/moe/moe.py: the rows of the chosen experts, times their scores: [perToken · s, h]. */
export function chosenRows(tape: Tape, x: Tensor, logits: Tensor, perToken: number): Tensor {
  const [tokens = 0] = logits.shape
  const wide = elementwise(tape, 'sigmoid', cast(tape, logits, 'float32'), { savesOutput: true })
  const scores = cast(tape, wide, logits.dtype)
  const chosen = tape.tensor([tokens, perToken], 'int64', [])
  const best = tape.tensor([tokens, perToken], scores.dtype, [scores])
  tape.record('topk', { reads: [scores], outputs: [best, chosen], saves: [chosen], gradients: [made(scores)] })
  const order = tape.tensor([tokens * perToken], 'int64', [])
  tape.record('sort', { reads: [chosen], outputs: [order] })
  const rowScores = gatheredRows(tape, best, [tokens * perToken], order)
  return multiply(tape, gatheredRows(tape, x, [tokens * perToken, lastSize(x)], order), rowScores)
}
