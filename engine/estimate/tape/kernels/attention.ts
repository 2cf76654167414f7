/** Attention as PyTorch runs it: which kernel serves a call, and what that kernel saves. */

import { addsEveryMask, clampsScores, composesGroupedHeads, groupsLargeHeads } from '../../library-rules.ts'
import { made, widest } from '../autograd.ts'
import { bounded } from '../ops/activations.ts'
import { cast, lowered } from '../ops/casts.ts'
import { dropout } from '../ops/dropout.ts'
import { add, batchMatmul, elementwise, slice } from '../ops/primitives.ts'
import { raisedSoftmax, softmax, wideSoftmax } from '../ops/softmax.ts'
import { alignedColumns, type Dtype, elements, lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { eagerMask, fusedMask, type MaskKind } from './masks.ts'

export interface AttentionOptions {
  readonly heads: number
  readonly keyValueHeads: number
  readonly causal: boolean
  readonly dropout: number
  /** The window of a sliding-window layer, in tokens; absent for full attention. */
  readonly window?: number | undefined
  /** Whether transformers computes the softmax in float32 and casts the result back (decoders) or in the scores' type (BERT). */
  readonly castsSoftmax: boolean
  readonly capsScores?: boolean
  readonly clampsScores?: boolean
  readonly inFloat32?: boolean
  readonly composesInPlace?: boolean
  readonly isAlwaysMasked?: boolean
  readonly broadcastsHeads?: boolean
  readonly isUnpadded?: boolean
  /** The flash-attn package's kernels: windows and lengths are arguments, and nothing is passed a mask. */
  readonly isMaskless?: boolean
  /** [heads, s, t], or [s, t] for all heads, added to the scores. */
  readonly bias?: Tensor | undefined
  /** A learned score per head that takes part in the softmax. */
  readonly sinks?: Tensor | undefined
}

/** torch: transformers/cuda/sdp_utils.cpp use_flash_attention: heads of more dimensions go elsewhere. */
const FLASH_MAX_HEAD_SIZE = 256

/**
 * scaled_dot_product_attention, through transformers' integrations/sdpa_attention.py. Code that pins it to the memory-efficient kernel
 * has to repeat grouped keys and values for every query head: the kernel refuses them (torch: transformers/cuda/sdp_utils.cpp
 * can_use_mem_efficient_attention), and none stands in for it.
 */
export function fusedAttention(
  tape: Tape,
  query: Tensor,
  key: Tensor,
  value: Tensor,
  options: AttentionOptions,
): Tensor {
  const [tokens = 0] = query.shape
  const isPinned = !options.isMaskless && tape.spec.sdpaKernel === 'efficient'
  const composes = composesGroupedHeads(tape.spec)
  if (!options.isMaskless && !isPinned && composes && leavesBroadcast(options))
    return broadcastAttention(tape, query, key, value, options)
  if (options.sinks !== undefined) return sinkAttention(tape, query, key, value, options)
  if (options.bias?.storage.maskOfBatch !== undefined) return attentionAcrossBatch(tape, query, key, value, options)
  if (options.bias !== undefined) return biasedAttention(tape, query, key, value, options, options.bias)
  const isPadded = tape.isPadded && !options.isUnpadded
  const isWindowed = options.window !== undefined && tokens >= options.window
  const isMasked = !options.isMaskless && (options.isAlwaysMasked || isPadded || isWindowed)
  const groups = options.heads / options.keyValueHeads
  const headSize = elements(query) / (tokens * options.heads)
  const valueHeadSize = lastSize(value) / options.keyValueHeads
  const isFlashShape = headSize <= FLASH_MAX_HEAD_SIZE && headSize === valueHeadSize
  // unsloth models/llama.py: without flash attention, xformers' kernel on as many keys and values as queries.
  const isXformers = tape.spec.unslothKernels && !tape.hasFlash
  const repeats = isMasked || isXformers || isPinned || !(isFlashShape || groupsLargeHeads(tape.spec))
  const native = groups > 1 && !repeats
  const repeat = (x: Tensor) => {
    if (native) return lowered(tape, x)
    return isPinned && groups > 1 ? lowered(tape, expandedHeads(tape, x, options)) : repeatedLowered(tape, x, options)
  }
  const [q, k, v] = [lowered(tape, query), repeat(key), repeat(value)]
  const isFlash = tape.hasFlash && !isPinned && q.dtype !== 'float32' && !isMasked && isFlashShape
  const isPaddedValue = options.isMaskless && valueHeadSize < headSize
  if (isPaddedValue) return widenedAttention(tape, q, k, v, { ...options, headSize, valueHeadSize })
  // Before torch 2.14 only the flash kernel supports grouped heads; the memory-efficient one refuses them, and the composed one takes over.
  return native && !isFlash && composes
    ? composedAttention(tape, q, k, v, options)
    : kernelAttention(tape, q, k, v, { ...options, isFlash, isMasked, valueHeadSize })
}

/** transformers integrations/flash_attention.py: values as wide as queries, and the output cut to what they were. */
function widenedAttention(
  tape: Tape,
  q: Tensor,
  k: Tensor,
  v: Tensor,
  options: AttentionOptions & { headSize: number; valueHeadSize: number },
): Tensor {
  const { headSize, heads, keyValueHeads, valueHeadSize } = options
  const [sourceTokens = 0] = v.shape
  const wide = tape.tensor([sourceTokens, keyValueHeads * headSize], v.dtype, [v])
  tape.record('pad', { reads: [v], outputs: [wide], gradients: [made(v)] })
  const isFlash = tape.hasFlash && q.dtype !== 'float32' && headSize <= FLASH_MAX_HEAD_SIZE
  const output = kernelAttention(tape, q, k, wide, { ...options, isFlash, isMasked: false, valueHeadSize: headSize })
  return elementwise(tape, 'clone', slice(tape, output, heads * valueHeadSize))
}

/**
 * Attention with sinks runs in flash attention's own kernels (kernels-community/vllm-flash-attn3), which see windows without a
 * mask; derived from their sources, as they do not run on the meta device.
 */
function sinkAttention(tape: Tape, query: Tensor, key: Tensor, value: Tensor, options: AttentionOptions): Tensor {
  const [q, k, v] = [query, key, value].map(x => lowered(tape, x)) as [Tensor, Tensor, Tensor]
  const valueHeadSize = lastSize(value) / options.keyValueHeads
  return kernelAttention(tape, q, k, v, { ...options, isFlash: true, isMasked: false, valueHeadSize })
}

/** torch: transformers/cuda/attention.cu: q, k, v, the output, a log-sum-exp per row and a seed are saved; never s². */
function kernelAttention(
  tape: Tape,
  q: Tensor,
  k: Tensor,
  v: Tensor,
  options: AttentionOptions & { isFlash: boolean; isMasked: boolean; valueHeadSize: number },
): Tensor {
  const [tokens = 0] = q.shape
  const [sourceTokens = 0] = k.shape
  const output = tape.tensor([tokens, options.heads * options.valueHeadSize], q.dtype, [q, k, v])
  // The memory-efficient kernel pads its log-sum-exp to 32 rows.
  const rows = options.isFlash ? tokens : Math.ceil(tokens / 32) * 32
  const logSumExp = tape.storage(options.heads * rows, 'float32', true)
  const masks = options.isMasked ? [fusedMask(tape, tokens, sourceTokens, options)] : []
  // Every call casts it, and makes its rows a multiple of eight elements.
  const mask = masks.map(() => tape.storage(tokens * alignedColumns(sourceTokens), q.dtype, true))
  // The memory-efficient kernel makes gradients of grouped keys and values for every query head, and sums them with a second one.
  const isGrouped = !options.isFlash && !composesGroupedHeads(tape.spec) && lastSize(k) < lastSize(q)
  const ofHeads = [lastSize(q), options.heads * options.valueHeadSize]
  tape.record('attention', {
    reads: [q, k, v, ...masks],
    outputs: [output],
    saves: [q, k, v, output],
    saved: [logSumExp, ...mask],
    gradients: [q, k, v].map(made),
    backwardScratch: isGrouped ? ofHeads.map(size => tape.storage(sourceTokens * size, q.dtype, true)) : [],
    // With a mask, what a causal model may not see is computed like the rest.
    flopsPerSample: (options.causal && !options.isMasked ? 2 : 4) * elements(q) * sourceTokens,
    kernel: options.isFlash ? 'flash-attention' : 'efficient-attention',
    attendedTokens: sourceTokens,
  })
  // torch: flash_api.cpp lays its output out like the query; transformers copies it back to token by token.
  return options.isFlash && tape.headsFirst.has(q.storage) ? elementwise(tape, 'clone', output) : output
}

/**
 * transformers create_position_bias_mask: the bias itself is the mask, or `where(seen, bias, min)` of it in each layer. With a mask
 * only the memory-efficient kernel remains, which gives the mask a gradient for every sample.
 */
function biasedAttention(
  tape: Tape,
  query: Tensor,
  key: Tensor,
  value: Tensor,
  options: AttentionOptions,
  bias: Tensor,
): Tensor {
  const [tokens = 0] = query.shape
  const [sourceTokens = 0] = key.shape
  const [q, k, v] = [query, key, value].map(x => lowered(tape, x)) as [Tensor, Tensor, Tensor]
  const mask = paddedMask(tape, lowered(tape, seenBias(tape, bias, options)))
  const forSamples: Tensor = { ...mask, batched: true, edge: tape.newEdge() }
  tape.record('expand', { reads: [mask], outputs: [forSamples], gradients: [made(mask)] })
  const output = tape.tensor(q.shape, q.dtype, [q, k, v])
  const logSumExp = tape.storage(options.heads * Math.ceil(tokens / 32) * 32, 'float32', true)
  tape.record('attention', {
    reads: [q, k, v, forSamples],
    outputs: [output],
    saves: [q, k, v, output, forSamples],
    saved: [logSumExp],
    gradients: [q, k, v, forSamples].map(made),
    flopsPerSample: 4 * elements(q) * sourceTokens,
    kernel: 'efficient-attention',
    attendedTokens: sourceTokens,
  })
  return output
}

/**
 * The batch as one sequence, in which a mask keeps samples apart. Its rows are padded in every call where their number wants that;
 * under autocast every call casts it.
 */
function attentionAcrossBatch(
  tape: Tape,
  query: Tensor,
  key: Tensor,
  value: Tensor,
  { heads, bias: written = query }: AttentionOptions,
): Tensor {
  const [tokens = 0] = query.shape
  const [q, k, v] = [query, key, value].map(x => lowered(tape, x)) as [Tensor, Tensor, Tensor]
  const mask = written.dtype === q.dtype ? written : castMask(tape, written, q.dtype)
  const output = tape.tensor(q.shape, q.dtype, [q, k, v])
  const logSumExp = tape.storage(heads * tokens, 'float32', true)
  const paddedCopy = tape.maskOfBatch(tokens, q.dtype, { isPaddedCopy: true })
  tape.record('attention', {
    reads: [q, k, v, mask],
    outputs: [output],
    saves: [q, k, v, output, mask],
    saved: [logSumExp, paddedCopy],
    gradients: [q, k, v].map(made),
    flopsPerSample: 4 * elements(q) * tokens,
    kernel: 'efficient-attention',
    attendedTokens: tokens,
    attendsAcrossBatch: true,
  })
  return output
}

function castMask(tape: Tape, mask: Tensor, dtype: Dtype): Tensor {
  const output: Tensor = { ...mask, dtype, storage: tape.maskOfBatch(mask.shape[0] ?? 0, dtype), edge: tape.newEdge() }
  tape.record('to', { reads: [mask], outputs: [output] })
  return output
}

function seenBias(tape: Tape, bias: Tensor, { causal, isUnpadded }: AttentionOptions): Tensor {
  if (bias.shape.length === 2) return bias
  const isPadded = tape.isPadded && !isUnpadded
  if (!causal && !isPadded) return bias
  const [, tokens = 0, sourceTokens = 0] = bias.shape
  const output = tape.tensor(bias.shape, bias.dtype, [bias], { batched: isPadded })
  const masks = isPadded ? [fusedMask(tape, tokens, sourceTokens, { causal })] : []
  tape.record('where', {
    reads: [bias, ...masks],
    outputs: [output],
    saves: masks,
    saved: isPadded ? [] : [tape.storage(tokens * sourceTokens, 'bool', false)],
    gradients: [made(bias)],
    // torch: derivatives.yaml `where`: its gradient is as large as its result, and then summed over what was broadcast.
    backwardScratch: isPadded ? [tape.like(output, 'temporaries')] : [],
  })
  return output
}

/** torch: transformers/attention.cpp preprocess_mask: rows of a multiple of eight elements. */
function paddedMask(tape: Tape, mask: Tensor): Tensor {
  const columns = alignedColumns(lastSize(mask))
  if (columns === lastSize(mask)) return mask
  const padded = tape.tensor([...mask.shape.slice(0, -1), columns], mask.dtype, [mask], mask)
  tape.record('pad', { reads: [mask], outputs: [padded], gradients: [made(mask)] })
  return padded
}

/**
 * torch: transformers/attention.cpp _scaled_dot_product_attention_math with `enable_gqa`: in float32, with a copy of its group's keys
 * and values for every query head.
 */
function composedAttention(tape: Tape, query: Tensor, key: Tensor, value: Tensor, options: AttentionOptions): Tensor {
  tape.composesGroupedHeads = true
  const [q, k, v] = [query, key, value].map(x => cast(tape, x, 'float32')) as [Tensor, Tensor, Tensor]
  const scaled = elementwise(tape, 'mul', q)
  const [keys, values] = [k, v].map(x => expanded(tape, x, query.shape)) as [Tensor, Tensor]
  const weights = composedWeights(tape, scaled, elementwise(tape, 'mul', keys), options, options.causal)
  return cast(tape, batchMatmul(tape, weights, values, query.shape, { autocasts: false }), query.dtype)
}

/**
 * The same for a single head of keys and values without `enable_gqa`: no fused kernel broadcasts it (torch: sdp_utils_cpp.h
 * check_batch_size_and_num_heads_dense), and each product expands it to all heads. (For a single sample the expansion stays a view,
 * which a size that is affine in the batch cannot express.)
 */
function broadcastAttention(tape: Tape, query: Tensor, key: Tensor, value: Tensor, options: AttentionOptions): Tensor {
  tape.composesGroupedHeads = true
  const narrow = [query, key, value].map(x => lowered(tape, x))
  const [q, k, v] = narrow.map(x => cast(tape, x, 'float32')) as [Tensor, Tensor, Tensor]
  const [scaled, keys] = [q, k].map(x => elementwise(tape, 'mul', x)) as [Tensor, Tensor]
  const weights = composedWeights(tape, scaled, expanded(tape, keys, q.shape), options, true)
  const output = batchMatmul(tape, weights, expanded(tape, v, q.shape), q.shape, { autocasts: false })
  return cast(tape, output, narrow[0]?.dtype ?? query.dtype)
}

function composedWeights(tape: Tape, q: Tensor, k: Tensor, options: AttentionOptions, isMasked: boolean): Tensor {
  const [tokens = 0] = q.shape
  const scores = batchMatmul(tape, q, k, [options.heads, tokens, tokens], { autocasts: false })
  const seen = isMasked ? elementwise(tape, 'add', scores) : scores
  return dropout(tape, softmax(tape, seen), options.dropout)
}

/** Eager attention (`attn_implementation: eager`). Also returns the attention weights: callers keep them in a variable. */
export function eagerAttention(
  tape: Tape,
  query: Tensor,
  key: Tensor,
  value: Tensor,
  options: AttentionOptions,
): { output: Tensor; weights: Tensor } {
  const [tokens = 0] = query.shape
  const groups = options.heads / options.keyValueHeads
  const [k, v] = [key, value].map(x => (groups > 1 ? expanded(tape, x, query.shape) : x)) as [Tensor, Tensor]
  const isContiguous = (x: Tensor) => groups > 1 || tape.held.includes(x.storage)
  // torch: matmul of 4-d views copies its factors into contiguous 3-d ones (native/LinearAlgebra.cpp) and saves the copies.
  const factor = (x: Tensor, from = x) => (from !== query && isContiguous(from) ? x : elementwise(tape, 'clone', x))
  const [sourceTokens = 0] = k.shape
  const [left, right] = [query, k].map(x => (options.inFloat32 ? cast(tape, x, 'float32') : x)) as [Tensor, Tensor]
  const scores = batchMatmul(tape, factor(left, query), factor(right, k), [options.heads, tokens, sourceTokens])
  const unbounded = elementwise(tape, 'mul', scores)
  const scaled = options.capsScores ? bounded(tape, unbounded) : unbounded
  const biased =
    options.bias === undefined ? scaled : add(tape, scaled, options.bias, { inPlace: options.composesInPlace === true })
  const isMasked = options.causal || (tape.isPadded && !options.isUnpadded)
  const masked = isMasked || addsEveryMask(tape.spec) ? withMask(tape, biased, options) : biased
  if (options.composesInPlace) tape.locals.push(masked)
  const isClamped = options.clampsScores === true && clampsScores(tape.spec)
  const seen = isClamped ? elementwise(tape, 'maximum', masked, { saves: [masked] }) : masked
  const ofScores = options.castsSoftmax ? wideSoftmax : raisedSoftmax
  const probabilities = options.sinks === undefined ? ofScores(tape, seen) : sinkSoftmax(tape, masked, options.sinks)
  const castsBack = options.castsSoftmax || (options.bias === undefined && options.causal)
  const lowered = castsBack ? cast(tape, probabilities, tape.autocastDtype ?? query.dtype) : probabilities
  const weights = dropout(tape, lowered, options.dropout)
  const output = elementwise(tape, 'clone', batchMatmul(tape, weights, factor(v), query.shape))
  return { output, weights }
}

/** transformers masking_utils.py: the mask has the type of the embeddings, float32 under autocast, and the sum the wider of both. */
function withMask(tape: Tape, scores: Tensor, kind: MaskKind): Tensor {
  const [, tokens = 0, sourceTokens = 0] = scores.shape
  const mask = eagerMask(tape, tokens, sourceTokens, kind)
  const output = tape.tensor(scores.shape, widest(scores.dtype, mask.dtype), [scores])
  tape.record('add', { reads: [scores, mask], outputs: [output], gradients: [made(scores)] })
  return output
}

/** transformers GptOssAttention: softmax(combined - max) of the scores and the sinks, in the scores' type, without the last column. */
function sinkSoftmax(tape: Tape, scores: Tensor, sinks: Tensor): Tensor {
  const [heads = 0, tokens = 0, sourceTokens = 0] = scores.shape
  const combined = tape.tensor([heads, tokens, sourceTokens + 1], scores.dtype, [scores, sinks])
  tape.record('cat', {
    reads: [scores, sinks],
    outputs: [combined],
    gradients: [{ to: scores, passes: true }, made(sinks)],
  })
  const shifted = tape.tensor(combined.shape, combined.dtype, [combined])
  tape.record('sub', { reads: [combined, scores], outputs: [shifted], gradients: [made(combined)] })
  const probabilities = softmax(tape, shifted)
  // The scores stay referenced until their variable is reassigned to the probabilities.
  tape.record('return', { reads: [scores], outputs: [] })
  return slice(tape, probabilities, sourceTokens)
}

function leavesBroadcast({ broadcastsHeads, keyValueHeads, heads }: AttentionOptions): boolean {
  return broadcastsHeads === true && keyValueHeads < heads
}

/** transformers' repeat_kv: every query head gets a copy of its group's keys or values; for a single head, a view is enough. */
function repeated(tape: Tape, x: Tensor, { heads, keyValueHeads }: AttentionOptions): Tensor {
  return heads === keyValueHeads || keyValueHeads === 1 ? x : expandedHeads(tape, x, { heads, keyValueHeads })
}

function expandedHeads(
  tape: Tape,
  x: Tensor,
  { heads, keyValueHeads }: Pick<AttentionOptions, 'heads' | 'keyValueHeads'>,
): Tensor {
  const [tokens = 0, features = 0] = x.shape
  return expanded(tape, x, [tokens, (features * heads) / keyValueHeads])
}

/** The same for the kernel under autocast, where casting the expanded view writes every head. */
function repeatedLowered(tape: Tape, x: Tensor, options: AttentionOptions): Tensor {
  const { heads, keyValueHeads } = options
  const { autocastDtype: dtype } = tape
  const isCastView = keyValueHeads === 1 && heads > 1 && dtype !== undefined && x.dtype === 'float32'
  if (!isCastView) return lowered(tape, repeated(tape, x, options))
  const [tokens = 0, features = 0] = x.shape
  const output = tape.tensor([tokens, features * heads], dtype, [x])
  const wide = tape.storage(elements(output), 'float32', true, 'temporaries')
  tape.record('to', { reads: [x], outputs: [output], gradients: [made(x)], backwardScratch: [wide] })
  return output
}

/** A copy of `x` for every head; its gradient is the sum over them. */
function expanded(tape: Tape, x: Tensor, shape: readonly number[]): Tensor {
  const output = tape.tensor(shape, x.dtype, [x])
  tape.record('expand', { reads: [x], outputs: [output], gradients: [made(x)] })
  return output
}
