/**
 * Gated DeltaNet and Kimi Delta Attention in flash-linear-attention's kernels, which transformers uses if they are installed;
 * derived from their sources (fla/ops/gated_delta_rule/chunk.py, fla/ops/kda), as they do not run on the meta device.
 */

import { hasLinearAttentionKernels } from '../../library-rules.ts'
import { made, type Recorded } from '../autograd.ts'
import { sigmoid } from '../ops/activations.ts'
import { cast } from '../ops/casts.ts'
import { add, elementwise, multiply } from '../ops/primitives.ts'
import { weightNamed } from '../ops/weights.ts'
import { bytesPerElement, elements, lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { composedDeltaRule } from './composed-delta-rule.ts'
import { CHUNK_TOKENS, type DeltaRule } from './delta-rule.ts'

export function gatedDeltaRule(
  tape: Tape,
  name: string,
  [query, key, value]: readonly [Tensor, Tensor, Tensor],
  [a, b]: readonly [Tensor, Tensor],
  heads: number,
): Tensor {
  const bias = weightNamed(tape, `${name}.dt_bias`, [heads])
  const rates = weightNamed(tape, `${name}.A_log`, [heads])
  const shifted = add(tape, cast(tape, a, 'float32'), bias)
  const softplus = elementwise(tape, 'softplus', shifted, { saves: [shifted] })
  const decay = multiply(tape, softplus, cast(tape, rates, 'float32'))
  const rule = { query, key, value, decay, beta: sigmoid(tape, b), heads }
  return hasLinearAttentionKernels(tape.spec) ? chunkedDeltaRule(tape, rule) : composedDeltaRule(tape, rule)
}

function chunkedDeltaRule(tape: Tape, rule: DeltaRule): Tensor {
  const { like, within, keyBytes, valueBytes, stateBytes, pairs } = sizesOf(tape, rule)
  const { query, key, value, decay, beta } = rule
  // Normalised query and key with one number per row, the contiguous value, the cumulative decay and the chunks' own scores.
  const saved = [
    like(query),
    like(key),
    like(value),
    tape.storage(3 * elements(beta), 'float32', true),
    tape.storage(pairs, query.dtype, true),
  ]
  return deltaKernel(tape, 'gated delta rule', rule, {
    saves: [beta],
    saved,
    gradients: [query, key, value, decay, beta].map(made),
    scratch: [within(pairs * bytesPerElement.float32), within(keyBytes + 2 * valueBytes + stateBytes)],
    backwardScratch: [within(3 * keyBytes + 3 * valueBytes + 2 * stateBytes)],
  })
}

/** transformers KimiLinearForgetGate: -exp(A_log) · softplus(logits + dt_bias), where softplus is composed of primitive ops. */
export function channelDecay(tape: Tape, name: string, logits: Tensor, heads: number): Tensor {
  const bias = weightNamed(tape, `${name}.dt_bias`, [lastSize(logits)])
  const rates = weightNamed(tape, `${name}.A_log`, [heads])
  const shifted = add(tape, cast(tape, logits, 'float32'), cast(tape, bias, 'float32'))
  const rate = elementwise(tape, 'exp', cast(tape, rates, 'float32'), { savesOutput: true })
  const powers = elementwise(tape, 'add', elementwise(tape, 'exp', shifted, { savesOutput: true }))
  const logarithms = elementwise(tape, 'log', powers, { saves: [powers] })
  const softplus = tape.tensor(shifted.shape, 'float32', [shifted], shifted)
  tape.record('where', {
    reads: [shifted, logarithms],
    outputs: [softplus],
    saved: [tape.storage(elements(shifted), 'bool', shifted.batched)],
    gradients: [shifted, logarithms].map(made),
  })
  return multiply(tape, elementwise(tape, 'neg', rate), softplus)
}

export function kimiDelta(
  tape: Tape,
  [query, key, value]: readonly [Tensor, Tensor, Tensor],
  [decay, beta]: readonly [Tensor, Tensor],
  heads: number,
): Tensor {
  const rule = { query, key, value, decay, beta, heads }
  const { like, within, keyBytes, valueBytes, stateBytes, pairs } = sizesOf(tape, rule)
  // Normalised query and key with one number per row, the contiguous value, the cumulative decay and two score tables per chunk.
  const saved = [
    like(query),
    like(key),
    like(value),
    tape.storage(elements(decay) + 2 * elements(beta), 'float32', true),
    tape.storage(2 * pairs, query.dtype, true),
  ]
  // The backward pass recomputes the factors; gradients of query, key and decay are float32, held twice while chunks are combined.
  const factors = 3 * keyBytes + 3 * valueBytes + 2 * stateBytes
  const gradients = (4 * elements(key) + 2 * elements(decay) + 2 * pairs) * bytesPerElement.float32
  return deltaKernel(tape, 'kimi delta attention', rule, {
    saves: [decay, beta],
    saved,
    gradients: [query, key, value, decay, beta].map(made),
    scratch: [within(2 * keyBytes + 2 * valueBytes + stateBytes)],
    backwardScratch: [within(factors + gradients)],
  })
}

/** Bytes per sample of keys, values and the states between chunks; `pairs`: token pairs within a chunk, over all heads. */
function sizesOf(tape: Tape, { query, key, value, heads }: DeltaRule) {
  const [tokens = 0] = query.shape
  const element = bytesPerElement[query.dtype]
  const keySize = lastSize(key) / heads
  return {
    like: (tensor: Tensor) => tape.storage(elements(tensor), query.dtype, true),
    within: (bytes: number) => tape.storage(bytes, 'bool', true, 'temporaries'),
    keyBytes: elements(key) * element,
    valueBytes: elements(value) * element,
    stateBytes: Math.ceil(tokens / CHUNK_TOKENS) * keySize * lastSize(value) * element,
    pairs: tokens * heads * CHUNK_TOKENS,
  }
}

function deltaKernel(
  tape: Tape,
  name: string,
  { query, key, value, decay, beta, heads }: DeltaRule,
  parts: Pick<Recorded, 'saves' | 'saved' | 'gradients' | 'scratch' | 'backwardScratch'>,
): Tensor {
  const [tokens = 0] = query.shape
  const inputs = [query, key, value, decay, beta]
  const output = tape.tensor(value.shape, query.dtype, inputs)
  const perHead = CHUNK_TOKENS + lastSize(key) / heads
  tape.record(name, {
    reads: inputs,
    outputs: [output],
    ...parts,
    flopsPerSample: 4 * tokens * heads * perHead * (lastSize(value) / heads),
  })
  return output
}
