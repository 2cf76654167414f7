/**
 * Layers that mix the tokens of a sequence: attention with its positions and cache, convolutions, linear attention,
 * Mamba.
 */

import type { AttentionShape, IndexerShape, Mamba2Shape, RotaryOptions } from '../../../program/ops/mixers.ts'
import { keepsNoCache } from '../../../training/choices.ts'
import { made, widest } from '../autograd.ts'
import { eagerAttention, fusedAttention } from '../kernels/attention.ts'
import { convolution } from '../kernels/matrix-product.ts'
import { composedMamba2, fusedMamba2 } from '../kernels/state-space.ts'
import type { KeyValueCache } from '../key-value-cache.ts'
import { bytesPerElement, type Dtype, lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { scale } from './activations.ts'
import { cast, lowered } from './casts.ts'
import { embedding, linear } from './linears.ts'
import { layerNorm } from './norms.ts'
import { add, concatenate, elementwise, multiply, slice } from './primitives.ts'
import { idle, weightNamed } from './weights.ts'

export function rotaryTable(tape: Tape, x: Tensor, size: number, positions = 0): readonly [Tensor, Tensor] {
  // torchtune models/llama4/_position_embeddings.py build_rope_cache: a float32 buffer for ten million positions.
  if (tape.spec.expertStyle === 'torchtune' && tape.wholeBuffers.length === 0) {
    tape.wholeBuffers.push(tape.persistent(positions * size * bytesPerElement.float32))
  }
  // transformers: cos and sin in the hidden states' type, one row a position, shared by every layer.
  const [tokens = 0] = x.shape
  const table = [0, 1].map(() => tape.tensor([tokens, size], x.dtype, [], { batched: false })) as [Tensor, Tensor]
  tape.record('rotary table', { reads: [], outputs: table })
  // torchtune indexes a buffer in every layer.
  if (!tape.spec.rotatesPairs) for (const { storage } of table) tape.passedToBlocks.add(storage)
  return table
}

export function keptRotaryTable(tape: Tape, x: Tensor, size: number): readonly [Tensor, Tensor] {
  const [tokens = 0] = x.shape
  const buffer = (name: string): Tensor => ({
    storage: tape.buffer(name, tokens * size * bytesPerElement.float32, tape.wholeBuffers),
    shape: [tokens, size],
    batched: false,
    dtype: 'float32',
    requiresGrad: false,
    edge: tape.newEdge(),
  })
  return [buffer('cos'), buffer('sin')]
}

export function rotary(
  tape: Tape,
  x: Tensor,
  [cos, sin]: readonly [Tensor, Tensor],
  heads: number,
  { inFloat32 = false, castsBack = false, isComplex = false, alwaysJoins = false }: RotaryOptions = {},
): Tensor {
  // transformers Llama4: view_as_complex(x.float()) * freqs_cis: a product that keeps neither factor.
  if (isComplex) return cast(tape, scale(tape, cast(tape, x, 'float32')), x.dtype)
  if (tape.spec.rotatesPairs) return rotatedPairs(tape, x, cos, sin)
  // transformers apply_rotary_pos_emb: x * cos + rotate_half(x) * sin, on the first dimensions of each head.
  if (inFloat32) return cast(tape, rotatedHalves(tape, cast(tape, x, 'float32'), cos, sin), x.dtype)
  const rotated = lastSize(cos) * heads
  const isWhole = rotated === lastSize(x)
  if (isWhole && !alwaysJoins) {
    const halves = rotatedHalves(tape, x, cos, sin)
    return castsBack ? cast(tape, halves, x.dtype) : halves
  }
  const [turning, resting] = [slice(tape, x, rotated), slice(tape, x, lastSize(x) - rotated)]
  const halves = rotatedHalves(tape, turning, cos, sin)
  // LitGPT's apply_rope casts back to the type of `x`; transformers leaves what float32 tables make of it under autocast.
  const turned = tape.spec.modelCode === 'litgpt' ? cast(tape, halves, x.dtype) : halves
  const output = concatenate(tape, [turned, ...(isWhole ? [] : [resting])])
  tape.headsFirst.add(output.storage)
  return output
}

export function headsFirst(tape: Tape, x: Tensor): Tensor {
  const output = elementwise(tape, 'clone', x)
  tape.headsFirst.add(output.storage)
  return output
}

function grown(tape: Tape, cache: KeyValueCache, x: Tensor, keys: Tensor, window: number | undefined): Tensor {
  const { earlier, tokens } = cache.next(window)
  const output = tape.tensor([tokens, ...x.shape.slice(1)], widest(x.dtype, keys.dtype), [x])
  tape.record('cat', { reads: [x, ...(earlier === undefined ? [] : [earlier])], outputs: [output] })
  cache.keep(output)
  return output
}

export function cached(tape: Tape, x: Tensor, keys = x, window?: number): Tensor {
  const cache = tape.pass?.sequences?.cache
  if (cache !== undefined) return grown(tape, cache, x, keys, window)
  // transformers cache_utils.py DynamicLayer.update: torch.cat of an empty tensor and the states, kept by the outputs. The empty one
  // has the keys' type for values too, which autocast would leave in 16 bits.
  const isOff = keepsNoCache(tape.spec.loop) && !tape.cachesForOutputs
  if (isOff || (tape.inTrainMode && tape.spec.gradientCheckpointing)) return x
  const output = concatenate(tape, [x], keys.dtype)
  tape.held.push(output.storage)
  return output
}

export function attention(
  tape: Tape,
  q: Tensor,
  k: Tensor,
  v: Tensor,
  shape: AttentionShape,
  bias?: Tensor,
  sinkName?: string,
): Tensor {
  const sinks = sinkName === undefined ? undefined : weightNamed(tape, sinkName, [shape.heads])
  const kernel = tape.spec.attention
  const isMaskless = kernel === 'flash'
  // Samples that a mask keeps apart are sequences of their own to it.
  const added = isMaskless && bias?.storage.maskOfBatch !== undefined ? undefined : bias
  const options = { keyValueHeads: shape.heads, castsSoftmax: false, ...shape, bias: added, sinks, isMaskless }
  if (kernel !== 'eager' && !shape.inFloat32 && !shape.composesInPlace) return fusedAttention(tape, q, k, v, options)
  const { output, weights } = eagerAttention(tape, q, k, v, options)
  tape.locals.push(weights)
  return output
}

export function causalConvolution(
  tape: Tape,
  name: string,
  x: Tensor,
  { kernel, bias = false }: { kernel: number; bias?: boolean },
): Tensor {
  // transformers causal_conv1d_fn: a padded convolution of each channel, cut to the sequence's length.
  const [tokens = 0] = x.shape
  const weight = lowered(tape, weightNamed(tape, `${name}.weight`, [lastSize(x), 1, kernel]))
  const added = bias ? [lowered(tape, weightNamed(tape, `${name}.bias`, [lastSize(x)]))] : []
  const factor = lowered(tape, x)
  const padded = tape.tensor([tokens + kernel - 1, lastSize(x)], factor.dtype, [factor, weight, ...added])
  tape.record(name, convolution(factor, weight, added, padded, kernel))
  const output: Tensor = { ...padded, shape: x.shape, edge: tape.newEdge() }
  tape.record('slice', { reads: [padded], outputs: [output], gradients: [made(padded)] })
  return output
}

export function mamba2(tape: Tape, name: string, projected: Tensor, shape: Mamba2Shape): Tensor {
  const weight = (part: string, sizes: readonly number[]) => weightNamed(tape, `${name}.${part}`, sizes)
  const isFused = tape.inTrainMode && (keepsNoCache(tape.spec.loop) || tape.spec.gradientCheckpointing)
  return isFused ? fusedMamba2(tape, projected, shape, weight) : composedMamba2(tape, name, projected, shape, weight)
}

export function chooseKeys(tape: Tape, name: string, x: Tensor, { heads, size, queryRank }: IndexerShape): void {
  const project = (part: string, states: Tensor, features: number) =>
    linear(tape, `${name}.${part}`, states, features, { bias: false })
  idle(tape, queryRank, narrow => project('wq_b', narrow, heads * size))
  idle(tape, lastSize(x), states => layerNorm(tape, `${name}.k_norm`, project('wk', states, size)))
  idle(tape, lastSize(x), states => project('weights_proj', states, heads))
  // transformers DeepseekV32Indexer: float32 scores of every pair and head; torch: matmul copies the one key head for every query. Those are there before and after
  // they are turned, and in float32.
  const [tokens = 0] = x.shape
  const scores = tape.storage(tokens * tokens * (heads + size), 'float32', true, 'temporaries')
  const query = (dtype: Dtype) => tape.storage(tokens * heads * size, dtype, true, 'temporaries')
  const queries = [query('float32'), query(x.dtype), query(x.dtype)]
  tape.record(name, { reads: [x], outputs: [], scratch: [scores, ...queries] })
}

export function relativePositionBias(
  tape: Tape,
  name: string,
  buckets: number,
  heads: number,
  tokens: number,
  { perSample = false }: { readonly perSample?: boolean } = {},
): Tensor {
  // transformers T5Attention.compute_bias: an embedding of the bucket of every pair's distance, seen as [heads, s, s].
  const pairs = tape.tensor([tokens, tokens], 'int64', [], { batched: false })
  tape.record('relative positions', { reads: [], outputs: [pairs] })
  const bias = embedding(tape, name, pairs, buckets, heads)
  if (!perSample) return { ...bias, shape: [heads, tokens, tokens] }
  const copies = tape.tensor([heads, tokens, tokens], bias.dtype, [bias])
  tape.record('expand', { reads: [bias], outputs: [copies], gradients: [made(bias)] })
  return copies
}

export function zeroPositionBias(tape: Tape, heads: number, tokens: number, sourceTokens: number): Tensor {
  const dtype = tape.autocastDtype ?? tape.weightDtype
  const zeros = tape.tensor([heads, tokens, sourceTokens], dtype, [], { batched: false })
  // Where blocks are checkpointed it is a leaf with a gradient, which the graph refers to.
  const requiresGrad = tape.spec.gradientCheckpointing && tape.inTrainMode && tape.pass === undefined
  const leaf = { ...zeros, requiresGrad }
  tape.record('zeros', { reads: [], outputs: [leaf], keeps: requiresGrad ? [leaf] : [] })
  return leaf
}

export function windowMask(tape: Tape, x: Tensor): Tensor {
  const [tokens = 0] = x.shape
  const mask = tape.tensor([tokens, tokens], x.dtype, [], { batched: false })
  tape.record('mask', { reads: [], outputs: [mask] })
  return mask
}

/** torchtune modules/position_embeddings.py: four products of every second feature in float32, stacked and cast back. */
function rotatedPairs(tape: Tape, x: Tensor, cos: Tensor, sin: Tensor): Tensor {
  const wide = cast(tape, x, 'float32')
  const [turned, across] = [cos, sin].map(table => slice(tape, table, lastSize(table) / 2)) as [Tensor, Tensor]
  const feature = () => slice(tape, wide, lastSize(x) / 2)
  const pair = () => add(tape, multiply(tape, feature(), turned), multiply(tape, feature(), across))
  return cast(tape, concatenate(tape, [pair(), pair()]), x.dtype)
}

function rotatedHalves(tape: Tape, x: Tensor, cos: Tensor, sin: Tensor): Tensor {
  const [first, second] = [slice(tape, x, lastSize(x) / 2), slice(tape, x, lastSize(x) / 2)]
  const turned = concatenate(tape, [elementwise(tape, 'neg', second), first])
  return add(tape, multiply(tape, x, cos), multiply(tape, turned, sin))
}
