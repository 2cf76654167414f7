/**
 * Sparse experts as transformers 5 runs them on CUDA: integrations/moe.py grouped_mm_experts_forward, its default. Every token
 * goes through `perToken` experts, one row each, so no size depends on how evenly the router chooses.
 */
import type { RouterOptions } from '../../../program/ops/linears.ts'
import { made } from '../autograd.ts'
import { cast, lowered } from '../ops/casts.ts'
import { add, elementwise, multiply } from '../ops/primitives.ts'
import { elements, lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'

/** The matrices of all experts; biases where they have some. */
export interface ExpertParameters {
  readonly up: Tensor
  readonly upBias?: Tensor
  readonly down: Tensor
  readonly downBias?: Tensor
  readonly upFactors?: ExpertFactors | undefined
  readonly downFactors?: ExpertFactors | undefined
}

/** Of low-rank adapters: [experts, rank, in] and [experts, out, rank]. */
export interface ExpertFactors {
  readonly inner: Tensor
  readonly outer: Tensor
}

export interface Routed {
  /** Each token's expert indices: [s, perToken] int64. */
  readonly chosen: Tensor
  /** [s, perToken]. */
  readonly weights: Tensor
}

export interface RouterParameters {
  readonly weight: Tensor
  readonly bias?: Tensor
}

/** The router's logits: transformers' TopKRouter classes. */
export function routerLogits(
  tape: Tape,
  x: Tensor,
  { weight, bias }: RouterParameters,
  { count, inFloat32 = false }: RouterOptions,
): Tensor {
  const [tokens = 0] = x.shape
  const raise = (tensor: Tensor) => (inFloat32 ? cast(tape, tensor, 'float32') : tensor)
  const parts = [raise(x), raise(weight), ...(bias === undefined ? [] : [raise(bias)])]
  const [rows = x, matrix = weight] = parts.map(part => lowered(tape, part))
  const logits = tape.tensor([tokens, count], rows.dtype, [rows, matrix])
  tape.record('router', {
    reads: [rows, matrix],
    outputs: [logits],
    saves: [...(matrix.requiresGrad ? [rows] : []), ...(rows.requiresGrad ? [matrix] : [])],
    gradients: [rows, matrix].map(made),
    flopsPerSample: 2 * elements(logits) * lastSize(x),
  })
  return logits
}

/** The `perToken` best experts. `expertScale`: a factor for the weights of each. */
export function bestExperts(
  tape: Tape,
  logits: Tensor,
  { perToken, scoring, scoresChosenOnly = false, weightsInFloat32 = false }: RouterOptions,
  expertScale?: Tensor,
): readonly [weights: Tensor, chosen: Tensor] {
  const [tokens = 0] = logits.shape
  const score = (tensor: Tensor) => elementwise(tape, scoring, tensor, { savesOutput: true })
  const scores = scoresChosenOnly ? logits : score(cast(tape, logits, 'float32'))
  const chosen = tape.tensor([tokens, perToken], 'int64', [])
  const best = tape.tensor([tokens, perToken], scores.dtype, [scores])
  tape.record('topk', { reads: [scores], outputs: [best, chosen], saves: [chosen], gradients: [made(scores)] })
  const weights = scoresChosenOnly ? score(best) : best
  const scaled =
    expertScale === undefined
      ? weights
      : multiply(tape, weights, gatheredRows(tape, expertScale, weights.shape, chosen))
  return [weightsInFloat32 ? scaled : cast(tape, scaled, logits.dtype), chosen]
}

/** `locals`: what the function's variables hold until it returns. */
export function groupedExperts(
  tape: Tape,
  x: Tensor,
  { chosen, weights }: Routed,
  parameters: ExpertParameters,
  gate: (joined: Tensor) => Tensor,
): { output: Tensor; locals: Tensor[] } {
  const rowCount = elements(chosen)
  const order = tape.tensor([rowCount], 'int64', [])
  const sorted = tape.tensor([rowCount], 'int64', [])
  tape.record('sort', { reads: [chosen], outputs: [sorted, order] })
  const rows = gatheredRows(tape, x, [rowCount, lastSize(x)], order)
  const rowWeights = gatheredRows(tape, weights, [rowCount], order)
  const { up, upBias, upFactors, down, downBias, downFactors } = parameters
  const joined = adaptedProduct(tape, rows, groupedProduct(tape, rows, up, sorted, upBias), upFactors)
  const gated = gate(joined)
  const results = adaptedProduct(tape, gated, groupedProduct(tape, gated, down, sorted, downBias), downFactors)
  const weighted = multiply(tape, results, rowWeights)
  const restored = gatheredRows(tape, weighted, weighted.shape, order)
  const output = tape.tensor(x.shape, restored.dtype, [restored])
  // torch: the gradient of a sum is an expanded view, which the reshape before it copies row by row.
  tape.record('sum', { reads: [restored], outputs: [output], gradients: [made(restored)] })
  return {
    output: cast(tape, output, x.dtype),
    locals: [x, chosen, weights, sorted, order, rows, rowWeights, results, restored],
  }
}

/** torch: `index` saves its indices; its gradient is a zeroed tensor of the whole that rows are put into. */
export function gatheredRows(tape: Tape, x: Tensor, shape: readonly number[], order: Tensor): Tensor {
  const output = tape.tensor(shape, x.dtype, [x])
  const indices = tape.tensor(order.shape, 'int64', [])
  tape.record('positions', { reads: [order], outputs: [indices] })
  tape.record('index', { reads: [x, indices], outputs: [output], saves: [indices], gradients: [made(x)] })
  return output
}

/** Axolotl integrations/kernels/libs/scattermoe_lora: an adapter's products beside the experts' own, over the same rows. */
function adaptedProduct(tape: Tape, x: Tensor, own: Tensor, factors: ExpertFactors | undefined): Tensor {
  if (factors === undefined) return own
  const inner = groupedProduct(tape, x, factors.inner, x)
  return add(tape, own, elementwise(tape, 'mul', groupedProduct(tape, inner, factors.outer, x)))
}

/** torch: `_grouped_mm` saves both factors. Autocast leaves it alone: its input takes the weights' type. */
function groupedProduct(tape: Tape, x: Tensor, weight: Tensor, experts: Tensor, bias?: Tensor): Tensor {
  const outFeatures = elements(weight) / ((weight.shape[0] ?? 1) * lastSize(x))
  const rows = cast(tape, x, weight.dtype)
  const output = tape.tensor([...x.shape.slice(0, -1), outFeatures], weight.dtype, [rows, weight])
  tape.record('grouped_mm', {
    reads: [rows, weight],
    outputs: [output],
    saves: [...(weight.requiresGrad ? [rows] : []), ...(rows.requiresGrad ? [weight] : [])],
    gradients: [rows, weight].map(made),
    flopsPerSample: 2 * elements(output) * lastSize(x),
  })
  return bias === undefined
    ? output
    : add(tape, output, gatheredRows(tape, bias, output.shape, experts), { inPlace: true })
}
