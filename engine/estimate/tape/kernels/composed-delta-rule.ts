/**
 * Gated DeltaNet as transformers composes it of PyTorch's ops where flash-linear-attention is not installed: in float32, 64 tokens
 * at a time. transformers: torch_chunk_gated_delta_rule of models/qwen3_5.
 */
import { made } from '../autograd.ts'
import { cast } from '../ops/casts.ts'
import { batchMatmul, elementwise, multiply } from '../ops/primitives.ts'
import { elements, lastSize, type Storage, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { CHUNK_TOKENS, type DeltaRule } from './delta-rule.ts'

export function composedDeltaRule(tape: Tape, rule: DeltaRule): Tensor {
  const { heads } = rule
  const [tokens = 0] = rule.value.shape
  const chunks = Math.ceil(tokens / CHUNK_TOKENS)
  const inChunks = (x: Tensor) => paddedChunks(tape, x, chunks, heads)
  const [query, key, value, beta, decay] = (['query', 'key', 'value', 'beta', 'decay'] as const).map(part =>
    cast(tape, rule[part], 'float32'),
  ) as [Tensor, Tensor, Tensor, Tensor, Tensor]
  const queries = inChunks(elementwise(tape, 'mul', unitRows(tape, query, heads)))
  const [keys, values, rates] = [inChunks(unitRows(tape, key, heads)), inChunks(value), inChunks(beta)]
  const decays = elementwise(tape, 'cumsum', inChunks(decay))

  const [writtenValues, writtenKeys] = [multiply(tape, values, rates), multiply(tape, keys, rates)]
  const pairs = [chunks * heads, CHUNK_TOKENS, CHUNK_TOKENS]
  const between = pairwiseDecays(tape, decays, pairs)
  // Views of float32 stay transposed where nothing pads them, and matrix products copy them. What is cast or padded is laid out anew.
  const isTransposed = rule.query.dtype === 'float32' && tokens % CHUNK_TOKENS === 0
  const factor = (x: Tensor) => (isTransposed ? elementwise(tape, 'clone', x) : x)
  const scoresOf = (rows: Tensor) => multiply(tape, batchMatmul(tape, factor(rows), factor(keys), pairs), between)
  const [system, scores] = [scoresOf(writtenKeys), scoresOf(queries)]
  const faded = (x: Tensor, by: Tensor) => multiply(tape, x, elementwise(tape, 'exp', by, { savesOutput: true }))
  const fadedKeys = faded(writtenKeys, decays)
  const newValues = solvedTriangle(tape, system, writtenValues)
  const readKeys = solvedTriangle(tape, system, fadedKeys)
  const readers = faded(queries, decays)
  const keepers = faded(keys, elementwise(tape, 'sub', decays))
  const output = overChunks(tape, { newValues, readKeys, readers, keepers, scores }, { chunks, heads, isTransposed })
  // What the function's variables hold until it returns.
  const locals = [
    values,
    writtenValues,
    writtenKeys,
    system,
    between,
    fadedKeys,
    newValues,
    readKeys,
    readers,
    keepers,
    scores,
  ]
  const joined = tape.tensor([tokens, lastSize(value)], 'float32', [output])
  tape.record('clone', { reads: [output, ...locals], outputs: [joined], gradients: [made(output)] })
  const isWide = rule.query.dtype === 'float32'
  const result = isWide ? elementwise(tape, 'clone', joined) : cast(tape, joined, rule.query.dtype)
  tape.record('return', { reads: locals, outputs: [] })
  return result
}

/** A copy of [s, heads·size] in chunks: [chunks·heads, 64, size]. torch: `pad` copies even where it adds nothing. */
function paddedChunks(tape: Tape, x: Tensor, chunks: number, heads: number): Tensor {
  const output = tape.tensor([chunks * heads, CHUNK_TOKENS, lastSize(x) / heads], x.dtype, [x])
  tape.record('pad', { reads: [x], outputs: [output], gradients: [made(x)] })
  return output
}

/** x * rsqrt((x * x).sum(-1) + ε). torch: the gradient of a sum is an expanded view. */
function unitRows(tape: Tape, x: Tensor, heads: number): Tensor {
  const [tokens = 0] = x.shape
  const squares = multiply(tape, x, x)
  const sums = tape.tensor([tokens, heads], x.dtype, [squares])
  tape.record('sum', { reads: [squares], outputs: [sums], gradients: [{ to: squares, passes: true }] })
  return multiply(tape, x, elementwise(tape, 'rsqrt', elementwise(tape, 'add', sums), { savesOutput: true }))
}

/** How much of a token's state a later one of the chunk still sees. torch: `sub` negates the gradient for its second side. */
function pairwiseDecays(tape: Tape, decays: Tensor, pairs: readonly number[]): Tensor {
  const differences = tape.tensor(pairs, 'float32', [decays])
  const backwardScratch = [tape.like(differences, 'temporaries')]
  tape.record('sub', { reads: [decays], outputs: [differences], gradients: [made(decays)], backwardScratch })
  return elementwise(tape, 'exp', elementwise(tape, 'masked_fill', differences), { savesOutput: true })
}

/** torch: FunctionsManual.cpp linalg_solve_triangular_backward: the gradient of the system is the triangle of a product. */
function solvedTriangle(tape: Tape, system: Tensor, rows: Tensor): Tensor {
  const output = tape.tensor(rows.shape, rows.dtype, [system, rows])
  tape.record('solve_triangular', {
    reads: [system, rows],
    outputs: [output],
    saves: [system, output],
    gradients: [rows, system].map(made),
    backwardScratch: [tape.like(system, 'temporaries')],
    flopsPerSample: elements(rows) * CHUNK_TOKENS,
  })
  return output
}

interface Scanned {
  readonly newValues: Tensor
  readonly readKeys: Tensor
  readonly readers: Tensor
  readonly keepers: Tensor
  readonly scores: Tensor
}

/**
 * One chunk after the other, written into one tensor: values = newValues − readKeys · state, output = readers · state + scores ·
 * values, state = state · decay + keepersᵀ · values. torch: SelectBackward0 makes a gradient of all chunks for each of them, and
 * CopySlices copies that of the output.
 */
function overChunks(
  tape: Tape,
  { newValues, readKeys, readers, keepers, scores }: Scanned,
  { chunks, heads, isTransposed }: { chunks: number; heads: number; isTransposed: boolean },
): Tensor {
  const inputs = [newValues, readKeys, readers, keepers, scores]
  const output = tape.tensor(newValues.shape, 'float32', inputs)
  const [values, state] = [elements(newValues), heads * lastSize(readKeys) * lastSize(newValues)]
  const float32 = (count: number) => tape.storage(count, 'float32', true)
  // The first state takes no gradient to those that read it, and nothing comes of the last one.
  const allButOne = (x: Tensor) => (elements(x) / chunks) * (chunks - 1)
  const half = tape.autocastDtype
  const halved = [
    allButOne(readKeys),
    allButOne(readers),
    allButOne(keepers),
    elements(scores),
    2 * values + 2 * chunks * state,
  ]
  const [saves, saved]: readonly [Tensor[], Storage[]] =
    half !== undefined
      ? [[], [...halved.map(count => tape.storage(count, half, true)), float32((chunks - 1) * state)]]
      : isTransposed
        ? [[readKeys, scores], [allButOne(readers), allButOne(keepers), values, chunks * state].map(float32)]
        : [[readKeys, readers, keepers, scores], [values, chunks * state].map(float32)]
  tape.record('delta rule', {
    reads: inputs,
    outputs: [output],
    saves,
    saved,
    gradients: inputs.map(made),
    backwardScratch: [tape.like(output, 'temporaries'), tape.storage(state, 'float32', true, 'temporaries')],
    flopsPerSample: 2 * values * (3 * lastSize(readKeys) + CHUNK_TOKENS),
  })
  return output
}
