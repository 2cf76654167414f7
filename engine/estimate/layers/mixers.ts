/** Layers that mix the tokens of a sequence: attention with its positions and cache, convolutions, linear attention, Mamba. */
import type {
  AttentionShape,
  ChannelGates,
  DeltaGates,
  IndexerShape,
  Mamba2Shape,
  RotaryOptions,
  SelectiveScan,
} from '../../models/ops.ts'
import { made } from '../autograd.ts'
import { eagerAttention, fusedAttention } from '../kernels/attention.ts'
import { channelDecay, gatedDeltaRule, kimiDelta } from '../kernels/linear-attention.ts'
import { matrixProduct } from '../kernels/matrix-product.ts'
import { fusedConvolution, selectiveScan } from '../kernels/selective-scan.ts'
import { composedMamba2, fusedMamba2 } from '../kernels/state-space.ts'
import { bytesPerElement, type Dtype, lastSize, type Tensor } from '../storage.ts'
import { Experts } from './experts.ts'

export class Mixers extends Experts {
  rotaryTable(x: Tensor, size: number, positions = 0): readonly [Tensor, Tensor] {
    // torchtune models/llama4/_position_embeddings.py build_rope_cache: a float32 buffer for ten million positions.
    if (this.spec.expertStyle === 'torchtune' && this.wholeBuffers.length === 0) {
      this.wholeBuffers.push(this.persistent(positions * size * bytesPerElement.float32))
    }
    // transformers: cos and sin in the hidden states' type, one row a position, shared by every layer.
    const [tokens = 0] = x.shape
    const table = [0, 1].map(() => this.tensor([tokens, size], x.dtype, [], { batched: false })) as [Tensor, Tensor]
    this.record('rotary table', { reads: [], outputs: table })
    return table
  }

  rotary(
    x: Tensor,
    [cos, sin]: readonly [Tensor, Tensor],
    heads: number,
    { inFloat32 = false, isComplex = false, alwaysJoins = false }: RotaryOptions = {},
  ): Tensor {
    // transformers Llama4: view_as_complex(x.float()) * freqs_cis: a product that keeps neither factor.
    if (isComplex) return this.cast(this.scale(this.cast(x, 'float32')), x.dtype)
    // transformers apply_rotary_pos_emb: x * cos + rotate_half(x) * sin, on the first dimensions of each head.
    if (inFloat32) return this.cast(this.#rotated(this.cast(x, 'float32'), cos, sin), x.dtype)
    const rotated = lastSize(cos) * heads
    const isWhole = rotated === lastSize(x)
    if (isWhole && !alwaysJoins) return this.#rotated(x, cos, sin)
    const [turning, resting] = [this.slice(x, rotated), this.slice(x, lastSize(x) - rotated)]
    const output = this.concatenate([this.#rotated(turning, cos, sin), ...(isWhole ? [] : [resting])])
    this.headsFirst.add(output.storage)
    return output
  }

  cached(x: Tensor, window?: number): Tensor {
    const cache = this.pass?.sequences?.cache
    if (cache !== undefined) return cache.grown(this, x, window)
    // transformers cache_utils.py DynamicLayer.update: torch.cat of an empty tensor and the states, kept by the outputs.
    if (this.spec.loop === 'trainer' || (this.training && this.spec.gradientCheckpointing)) return x
    const output = this.concatenate([x])
    this.held.push(output.storage)
    return output
  }

  attention(q: Tensor, k: Tensor, v: Tensor, shape: AttentionShape, bias?: Tensor): Tensor {
    const sinks = shape.sinks === undefined ? undefined : this.weight(shape.sinks, [shape.heads])
    const options = { keyValueHeads: shape.heads, castsSoftmax: false, ...shape, bias, sinks }
    const kernel = this.pass?.sequences?.attention?.kernel ?? this.spec.attention
    if (kernel !== 'eager' && !shape.inFloat32) return fusedAttention(this, q, k, v, options)
    const { output, weights } = eagerAttention(this, q, k, v, options)
    this.locals.push(weights)
    return output
  }

  causalConvolution(name: string, x: Tensor, { kernel, bias = false }: { kernel: number; bias?: boolean }): Tensor {
    // transformers causal_conv1d_fn: a padded convolution of each channel, cut to the sequence's length.
    const [tokens = 0] = x.shape
    const weight = this.lowered(this.weight(`${name}.weight`, [lastSize(x), 1, kernel]))
    const added = bias ? [this.lowered(this.weight(`${name}.bias`, [lastSize(x)]))] : []
    const factor = this.lowered(x)
    const padded = this.tensor([tokens + kernel - 1, lastSize(x)], factor.dtype, [factor, weight, ...added])
    // torch: `convolution` saves both factors, whichever of them is trained.
    this.record(name, { ...matrixProduct(factor, weight, added, padded, kernel), saves: [factor, weight] })
    const output: Tensor = { ...padded, shape: x.shape, edge: this.newEdge() }
    this.record('slice', { reads: [padded], outputs: [output], gradients: [made(padded)] })
    return output
  }

  gatedDeltaRule(
    name: string,
    [query, key, value]: readonly [Tensor, Tensor, Tensor],
    { a, b, heads }: DeltaGates<Tensor>,
  ): Tensor {
    const [bias, rates] = ['dt_bias', 'A_log'].map(part => this.weight(`${name}.${part}`, [heads])) as [Tensor, Tensor]
    const shifted = this.add(this.cast(a, 'float32'), bias)
    const decay = this.multiply(
      this.elementwise('softplus', shifted, { saves: [shifted] }),
      this.cast(rates, 'float32'),
    )
    return gatedDeltaRule(this, { query, key, value, decay, beta: this.sigmoid(b), heads })
  }

  fusedConvolution(name: string, x: Tensor, kernel: number, { bias }: { readonly bias: boolean }): Tensor {
    const weight = this.weight(`${name}.weight`, [lastSize(x), 1, kernel])
    return fusedConvolution(this, name, x, [weight, ...(bias ? [this.weight(`${name}.bias`, [lastSize(x)])] : [])])
  }

  selectiveScan(name: string, scan: SelectiveScan<Tensor>): Tensor {
    const channels = lastSize(scan.states)
    return selectiveScan(this, scan, {
      rates: this.weight(`${name}.A_log`, [channels, lastSize(scan.input)]),
      skip: this.weight(`${name}.D`, [channels]),
      bias: this.weight(`${name}.dt_proj.bias`, [channels]),
    })
  }

  mamba2(name: string, projected: Tensor, shape: Mamba2Shape): Tensor {
    const weight = (part: string, sizes: readonly number[]) => this.weight(`${name}.${part}`, sizes)
    const isFused = this.training && (this.spec.loop === 'trainer' || this.spec.gradientCheckpointing)
    return isFused ? fusedMamba2(this, projected, shape, weight) : composedMamba2(this, name, projected, shape, weight)
  }

  chooseKeys(name: string, x: Tensor, { heads, size, queryRank }: IndexerShape): void {
    const linear = (part: string, states: Tensor, features: number) =>
      this.linear(`${name}.${part}`, states, features, { bias: false })
    this.idle(queryRank, narrow => linear('wq_b', narrow, heads * size))
    this.idle(lastSize(x), states => this.layerNorm(`${name}.k_norm`, linear('wk', states, size)))
    this.idle(lastSize(x), states => linear('weights_proj', states, heads))
    // transformers DeepseekV32Indexer: float32 scores of every pair and head; torch: matmul copies the one key head for every query. Those are there before and after
    // they are turned, and in float32.
    const [tokens = 0] = x.shape
    const scores = this.storage(tokens * tokens * (heads + size), 'float32', true, 'temporaries')
    const query = (dtype: Dtype) => this.storage(tokens * heads * size, dtype, true, 'temporaries')
    const queries = [query('float32'), query(x.dtype), query(x.dtype)]
    this.record(name, { reads: [x], outputs: [], scratch: [scores, ...queries] })
  }

  channelDecay(name: string, logits: Tensor, heads: number): Tensor {
    const bias = this.weight(`${name}.dt_bias`, [lastSize(logits)])
    return channelDecay(this, logits, { bias, rates: this.weight(`${name}.A_log`, [heads]) })
  }

  kimiDelta(
    [query, key, value]: readonly [Tensor, Tensor, Tensor],
    { decay, beta, heads }: ChannelGates<Tensor>,
  ): Tensor {
    return kimiDelta(this, { query, key, value, decay, beta, heads })
  }

  relativePositionBias(name: string, buckets: number, heads: number, tokens: number): Tensor {
    // transformers T5Attention.compute_bias: an embedding of the bucket of every pair's distance, seen as [heads, s, s].
    const pairs = this.tensor([tokens, tokens], 'int64', [], { batched: false })
    this.record('relative positions', { reads: [], outputs: [pairs] })
    const bias = this.embedding(name, pairs, buckets, heads)
    return { ...bias, shape: [heads, tokens, tokens] }
  }

  zeroPositionBias(heads: number, tokens: number, sourceTokens: number): Tensor {
    const dtype = this.autocastDtype ?? this.weightDtype
    const zeros = this.tensor([heads, tokens, sourceTokens], dtype, [], { batched: false })
    this.record('zeros', { reads: [], outputs: [zeros] })
    return zeros
  }

  #rotated(x: Tensor, cos: Tensor, sin: Tensor): Tensor {
    const [first, second] = [this.slice(x, lastSize(x) / 2), this.slice(x, lastSize(x) / 2)]
    const turned = this.concatenate([this.elementwise('neg', second), first])
    return this.add(this.multiply(x, cos), this.multiply(turned, sin))
  }
}
