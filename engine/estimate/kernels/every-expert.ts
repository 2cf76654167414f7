/**
 * Llama 4's experts: every token goes through all of them, multiplied by its score for each, which is zero except for the best.
 * transformers: Llama4TextMoe; Axolotl's llama4_linearized_experts turns them into separate linear layers.
 */
import { type Autograd, made } from '../autograd.ts'
import { elements, lastSize, type Tensor } from '../storage.ts'
import { gathered } from './experts.ts'

/** A copy of every token for each expert, and that multiplied by its scores: [experts · s, h]. `logits`: [s, experts]. */
export function scoredRows(autograd: Autograd, x: Tensor, logits: Tensor, perToken: number): Tensor {
  const [tokens = 0, count = 0] = logits.shape
  const chosen = autograd.tensor([tokens, perToken], 'int64', [])
  const best = autograd.tensor([tokens, perToken], logits.dtype, [logits])
  autograd.record('topk', { reads: [logits], outputs: [best, chosen], saves: [chosen], gradients: [made(logits)] })
  const placed = autograd.tensor(logits.shape, logits.dtype, [best])
  autograd.record('scatter', {
    reads: [best, chosen, logits],
    outputs: [placed],
    saves: [chosen],
    gradients: [made(best)],
  })
  const wide = autograd.elementwise('sigmoid', autograd.cast(placed, 'float32'), { savesOutput: true })
  const scores = autograd.elementwise('clone', autograd.cast(wide, logits.dtype))
  const repeated = autograd.tensor([count * tokens, lastSize(x)], x.dtype, [x])
  autograd.record('repeat', { reads: [x], outputs: [repeated], gradients: [made(x)] })
  return autograd.multiply(repeated, scores)
}

/** torch: `bmm` saves both factors. `weight`: [experts, in, out]. */
export function expertProduct(autograd: Autograd, rows: Tensor, weight: Tensor): Tensor {
  const [factor, matrix] = [autograd.lowered(rows), autograd.lowered(weight)]
  const output = autograd.tensor([...rows.shape.slice(0, -1), lastSize(weight)], factor.dtype, [factor, matrix])
  autograd.record('bmm', {
    reads: [factor, matrix],
    outputs: [output],
    saves: [...(matrix.requiresGrad ? [factor] : []), ...(factor.requiresGrad ? [matrix] : [])],
    gradients: [factor, matrix].map(made),
    flopsPerSample: 2 * elements(output) * lastSize(rows),
  })
  return output
}

/** Over the experts. torch: the gradient of a sum is an expanded view, which the reshape before it copies row by row. */
export function summed(autograd: Autograd, results: Tensor, x: Tensor): Tensor {
  const output = autograd.tensor(x.shape, results.dtype, [results])
  autograd.record('sum', { reads: [results], outputs: [output], gradients: [made(results)] })
  return output
}

/**
 * Each expert on its own rows, written into one tensor for all. torch: CopySlices copies the whole gradient before it passes parts
 * of it on; SelectBackward0 pads the gradient of its rows with zeros.
 */
export function oneByOne(
  autograd: Autograd,
  rows: Tensor,
  count: number,
  expert: (rows: Tensor, index: number) => Tensor,
): Tensor {
  const own = [elements(rows) / count / lastSize(rows), lastSize(rows)]
  let all = autograd.tensor(rows.shape, rows.dtype, [])
  autograd.record('zeros', { reads: [], outputs: [all] })
  for (let index = 0; index < count; index++) {
    const input: Tensor = { ...rows, shape: own, edge: autograd.newEdge() }
    autograd.record('select', { reads: [rows], outputs: [input], gradients: [made(rows)] })
    const result = expert(input, index)
    const joined: Tensor = { ...all, requiresGrad: all.requiresGrad || result.requiresGrad, edge: autograd.newEdge() }
    autograd.record('copy slices', { reads: [all, result], outputs: [joined], gradients: [all, result].map(made) })
    all = joined
  }
  return all
}

/** torchtune modules/moe/moe.py: the rows of the chosen experts, times their scores: [perToken · s, h]. */
export function chosenRows(autograd: Autograd, x: Tensor, logits: Tensor, perToken: number): Tensor {
  const [tokens = 0] = logits.shape
  const wide = autograd.elementwise('sigmoid', autograd.cast(logits, 'float32'), { savesOutput: true })
  const scores = autograd.cast(wide, logits.dtype)
  const chosen = autograd.tensor([tokens, perToken], 'int64', [])
  const best = autograd.tensor([tokens, perToken], scores.dtype, [scores])
  autograd.record('topk', { reads: [scores], outputs: [best, chosen], saves: [chosen], gradients: [made(scores)] })
  const order = autograd.tensor([tokens * perToken], 'int64', [])
  autograd.record('sort', { reads: [chosen], outputs: [order] })
  const rowScores = gathered(autograd, best, [tokens * perToken], order)
  return autograd.multiply(gathered(autograd, x, [tokens * perToken, lastSize(x)], order), rowScores)
}
