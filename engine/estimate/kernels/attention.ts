/** Attention as PyTorch runs it: which kernel serves a call, and what that kernel saves. */
import { type Autograd, made } from '../autograd.ts'
import { softmaxSaves } from '../library-rules.ts'
import { elements, lastSize, type Tensor } from '../storage.ts'

export interface AttentionOptions {
  readonly heads: number
  readonly keyValueHeads: number
  readonly causal: boolean
  readonly dropout: number
  /** The window of a sliding-window layer, in tokens; absent for full attention. */
  readonly window?: number | undefined
  /** Whether transformers computes the softmax in float32 and casts the result back (decoders) or in the scores' type (BERT). */
  readonly castsSoftmax: boolean
  readonly inFloat32?: boolean
  readonly isAlwaysMasked?: boolean
  readonly broadcastsHeads?: boolean
  /** [heads, s, t], or [s, t] for all heads, added to the scores. */
  readonly bias?: Tensor | undefined
  /** A learned score per head that takes part in the softmax. */
  readonly sinks?: Tensor | undefined
}

/** torch: transformers/cuda/sdp_utils.cpp use_flash_attention: heads of more dimensions go elsewhere. */
const FLASH_MAX_HEAD_SIZE = 256

/** scaled_dot_product_attention, through transformers' integrations/sdpa_attention.py. */
export function fusedAttention(
  autograd: Autograd,
  query: Tensor,
  key: Tensor,
  value: Tensor,
  options: AttentionOptions,
): Tensor {
  const [tokens = 0] = query.shape
  if (leavesBroadcast(options)) return broadcastAttention(autograd, query, key, value, options)
  if (options.sinks !== undefined) return sinkAttention(autograd, query, key, value, options)
  if (options.bias !== undefined) return biasedAttention(autograd, query, key, value, options, options.bias)
  const isMasked =
    options.isAlwaysMasked || autograd.isPadded || (options.window !== undefined && tokens >= options.window)
  const groups = options.heads / options.keyValueHeads
  const headSize = elements(query) / (tokens * options.heads)
  const native = groups > 1 && !isMasked && headSize <= FLASH_MAX_HEAD_SIZE
  const repeat = (x: Tensor) => (native ? autograd.lowered(x) : repeatedLowered(autograd, x, options))
  const [q, k, v] = [autograd.lowered(query), repeat(key), repeat(value)]
  const valueHeadSize = lastSize(value) / options.keyValueHeads
  const isFlash =
    autograd.hasFlash &&
    q.dtype !== 'float32' &&
    !isMasked &&
    headSize <= FLASH_MAX_HEAD_SIZE &&
    headSize === valueHeadSize
  // Only the flash kernel supports grouped heads; the memory-efficient one refuses them, and the composed one takes over.
  return native && !isFlash
    ? composedAttention(autograd, q, expanded(autograd, k, q.shape), expanded(autograd, v, q.shape), options)
    : kernelAttention(autograd, q, k, v, { ...options, isFlash, isMasked, valueHeadSize })
}

/**
 * Attention with sinks runs in flash attention's own kernels (kernels-community/vllm-flash-attn3), which see windows without a
 * mask; derived from their sources, as they do not run on the meta device.
 */
function sinkAttention(
  autograd: Autograd,
  query: Tensor,
  key: Tensor,
  value: Tensor,
  options: AttentionOptions,
): Tensor {
  const [q, k, v] = [query, key, value].map(x => autograd.lowered(x)) as [Tensor, Tensor, Tensor]
  const valueHeadSize = lastSize(value) / options.keyValueHeads
  return kernelAttention(autograd, q, k, v, { ...options, isFlash: true, isMasked: false, valueHeadSize })
}

/** torch: transformers/cuda/attention.cu: q, k, v, the output, a log-sum-exp per row and a seed are saved; never s². */
function kernelAttention(
  autograd: Autograd,
  q: Tensor,
  k: Tensor,
  v: Tensor,
  options: AttentionOptions & { isFlash: boolean; isMasked: boolean; valueHeadSize: number },
): Tensor {
  const [tokens = 0] = q.shape
  const output = autograd.tensor([tokens, options.heads * options.valueHeadSize], q.dtype, [q, k, v])
  // The memory-efficient kernel pads its log-sum-exp to 32 rows, and an additive mask's rows to 8 elements.
  const rows = options.isFlash ? tokens : Math.ceil(tokens / 32) * 32
  const logSumExp = autograd.storage(options.heads * rows, 'float32', true)
  const mask = options.isMasked ? [autograd.storage(tokens * Math.ceil(tokens / 8) * 8, q.dtype, true)] : []
  autograd.record('attention', {
    reads: [q, k, v],
    outputs: [output],
    saves: [q, k, v, output],
    saved: [logSumExp, ...mask],
    gradients: [q, k, v].map(made),
    // With a mask, what a causal model may not see is computed like the rest.
    flopsPerSample: (options.causal && !options.isMasked ? 2 : 4) * elements(q) * tokens,
    kernel: options.isFlash ? 'flash-attention' : 'efficient-attention',
    attendedTokens: tokens,
  })
  // torch: flash_api.cpp lays its output out like the query; transformers copies it back to token by token.
  return options.isFlash && autograd.headsFirst.has(q.storage) ? autograd.elementwise('clone', output) : output
}

/**
 * transformers create_position_bias_mask: the bias itself is the mask, or `where(seen, bias, min)` of it in each layer. With a mask
 * only the memory-efficient kernel remains, which gives the mask a gradient for every sample.
 */
function biasedAttention(
  autograd: Autograd,
  query: Tensor,
  key: Tensor,
  value: Tensor,
  options: AttentionOptions,
  bias: Tensor,
): Tensor {
  const [tokens = 0] = query.shape
  const [sourceTokens = 0] = key.shape
  const [q, k, v] = [query, key, value].map(x => autograd.lowered(x)) as [Tensor, Tensor, Tensor]
  const mask = autograd.lowered(seenBias(autograd, bias, options))
  const forSamples: Tensor = { ...mask, batched: true, edge: autograd.newEdge() }
  autograd.record('expand', { reads: [mask], outputs: [forSamples], gradients: [made(mask)] })
  const output = autograd.tensor(q.shape, q.dtype, [q, k, v])
  const logSumExp = autograd.storage(options.heads * Math.ceil(tokens / 32) * 32, 'float32', true)
  autograd.record('attention', {
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

function seenBias(autograd: Autograd, bias: Tensor, { causal }: AttentionOptions): Tensor {
  if (bias.shape.length === 2) return paddedMask(autograd, bias)
  const { isPadded } = autograd
  if (!causal && !isPadded) return bias
  const [, tokens = 0, sourceTokens = 0] = bias.shape
  const output = autograd.tensor(bias.shape, bias.dtype, [bias], { batched: isPadded })
  const seen = isPadded ? [] : [autograd.storage(tokens * sourceTokens, 'bool', false)]
  autograd.record('where', { reads: [bias], outputs: [output], saved: seen, gradients: [made(bias)] })
  return output
}

/** torch: transformers/attention.cpp pad_bias: the memory-efficient kernel wants rows of a multiple of 8 elements. */
function paddedMask(autograd: Autograd, mask: Tensor): Tensor {
  const columns = Math.ceil(lastSize(mask) / 8) * 8
  if (columns === lastSize(mask)) return mask
  const padded = autograd.tensor([...mask.shape.slice(0, -1), columns], mask.dtype, [mask])
  autograd.record('pad', { reads: [mask], outputs: [padded] })
  return padded
}

/** torch: transformers/attention.cpp _scaled_dot_product_attention_math. */
function composedAttention(autograd: Autograd, q: Tensor, k: Tensor, v: Tensor, options: AttentionOptions): Tensor {
  const [tokens = 0] = q.shape
  const scoreShape = [options.heads, tokens, tokens]
  const scaled = [q, k].map(x => autograd.elementwise('mul', x)) as [Tensor, Tensor]
  const scores = autograd.batchMatmul(scaled[0], scaled[1], scoreShape)
  const weights = autograd.elementwise('softmax', scores, { savesOutput: true })
  return autograd.batchMatmul(autograd.dropout(weights, options.dropout), v, q.shape)
}

/**
 * torch: sdp_utils_cpp.h check_batch_size_and_num_heads_dense: no fused kernel broadcasts heads. The composed one then works in
 * float32, expands the single key and value head to all heads and adds a mask. (For a single sample the expansion stays a view,
 * which a size that is affine in the batch cannot express.)
 */
function broadcastAttention(autograd: Autograd, q: Tensor, k: Tensor, v: Tensor, options: AttentionOptions): Tensor {
  const [tokens = 0] = q.shape
  const inside = { autocasts: false }
  const lowered = [q, k, v].map(x => autograd.lowered(x))
  const [wideQ, wideK, wideV] = lowered.map(x => autograd.cast(x, 'float32')) as [Tensor, Tensor, Tensor]
  const scaled = [wideQ, wideK].map(x => autograd.elementwise('mul', x)) as [Tensor, Tensor]
  const scores = autograd.batchMatmul(
    scaled[0],
    expanded(autograd, scaled[1], q.shape),
    [options.heads, tokens, tokens],
    inside,
  )
  const weights = autograd.elementwise('softmax', autograd.elementwise('add', scores), { savesOutput: true })
  const output = autograd.batchMatmul(
    autograd.dropout(weights, options.dropout),
    expanded(autograd, wideV, q.shape),
    q.shape,
    inside,
  )
  return autograd.cast(output, lowered[0]?.dtype ?? q.dtype)
}

/** Eager attention (`attn_implementation: eager`). Also returns the attention weights: callers keep them in a variable. */
export function eagerAttention(
  autograd: Autograd,
  query: Tensor,
  key: Tensor,
  value: Tensor,
  options: AttentionOptions,
): { output: Tensor; weights: Tensor } {
  const [tokens = 0] = query.shape
  const groups = options.heads / options.keyValueHeads
  const [k, v] = [key, value].map(x => (groups > 1 ? expanded(autograd, x, query.shape) : x)) as [Tensor, Tensor]
  const isContiguous = (x: Tensor) => groups > 1 || autograd.held.includes(x.storage)
  // torch: matmul of 4-d views copies its factors into contiguous 3-d ones (native/LinearAlgebra.cpp) and saves the copies.
  const factor = (x: Tensor, from = x) => (from !== query && isContiguous(from) ? x : autograd.elementwise('clone', x))
  const [sourceTokens = 0] = k.shape
  const [left, right] = [query, k].map(x => (options.inFloat32 ? autograd.cast(x, 'float32') : x)) as [Tensor, Tensor]
  const scores = autograd.batchMatmul(factor(left, query), factor(right, k), [options.heads, tokens, sourceTokens])
  const scaled = autograd.elementwise('mul', scores)
  const biased = options.bias === undefined ? scaled : autograd.add(scaled, options.bias)
  const masked = options.causal || autograd.isPadded ? autograd.elementwise('add', biased) : biased
  const wide =
    options.castsSoftmax && options.sinks === undefined ? autograd.cast(masked, 'float32') : autograd.raised(masked)
  const softmax =
    options.sinks === undefined
      ? autograd.elementwise('softmax', wide, softmaxSaves(autograd.spec, wide))
      : sinkSoftmax(autograd, masked, options.sinks)
  const castsBack = options.castsSoftmax || (options.bias === undefined && options.causal)
  const lowered = castsBack ? autograd.cast(softmax, autograd.autocastDtype ?? query.dtype) : softmax
  const weights = autograd.dropout(lowered, options.dropout)
  const output = autograd.elementwise('clone', autograd.batchMatmul(weights, factor(v), query.shape))
  return { output, weights }
}

/** transformers GptOssAttention: softmax(combined - max) of the scores and the sinks, in the scores' type, without the last column. */
function sinkSoftmax(autograd: Autograd, scores: Tensor, sinks: Tensor): Tensor {
  const [heads = 0, tokens = 0, sourceTokens = 0] = scores.shape
  const combined = autograd.tensor([heads, tokens, sourceTokens + 1], scores.dtype, [scores, sinks])
  autograd.record('cat', {
    reads: [scores, sinks],
    outputs: [combined],
    gradients: [{ to: scores, passes: true }, made(sinks)],
  })
  // The scores stay referenced until their variable is reassigned to the probabilities.
  const derived = (name: string, from: Tensor, isSaved: boolean) => {
    const output = autograd.tensor(from.shape, from.dtype, [from])
    const saves = isSaved ? [output] : []
    autograd.record(name, { reads: [from, scores], outputs: [output], saves, gradients: [made(from)] })
    return output
  }
  const probabilities = derived('softmax', derived('sub', combined, false), true)
  return autograd.slice(probabilities, sourceTokens)
}

function leavesBroadcast({ broadcastsHeads, keyValueHeads, heads }: AttentionOptions): boolean {
  return broadcastsHeads === true && keyValueHeads < heads
}

/** transformers' repeat_kv: every query head gets a copy of its group's keys or values; for a single head, a view is enough. */
function repeated(autograd: Autograd, x: Tensor, { heads, keyValueHeads }: AttentionOptions): Tensor {
  if (heads === keyValueHeads || keyValueHeads === 1) return x
  const [tokens = 0, features = 0] = x.shape
  return expanded(autograd, x, [tokens, (features * heads) / keyValueHeads])
}

/** The same for the kernel under autocast, where casting the expanded view writes every head. */
function repeatedLowered(autograd: Autograd, x: Tensor, options: AttentionOptions): Tensor {
  const { heads, keyValueHeads } = options
  const { autocastDtype: dtype } = autograd
  const isCastView = keyValueHeads === 1 && heads > 1 && dtype !== undefined && x.dtype === 'float32'
  if (!isCastView) return autograd.lowered(repeated(autograd, x, options))
  const [tokens = 0, features = 0] = x.shape
  const output = autograd.tensor([tokens, features * heads], dtype, [x])
  const wide = autograd.storage(elements(output), 'float32', true, 'temporaries')
  autograd.record('to', { reads: [x], outputs: [output], gradients: [made(x)], backwardScratch: [wide] })
  return output
}

/** A copy of `x` for every head; its gradient is the sum over them. */
function expanded(autograd: Autograd, x: Tensor, shape: readonly number[]): Tensor {
  const output = autograd.tensor(shape, x.dtype, [x])
  autograd.record('expand', { reads: [x], outputs: [output], gradients: [made(x)] })
  return output
}
