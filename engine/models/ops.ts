/**
 * The layers that models are written in. One model definition, several readers: the tape (T = sizes) replays what PyTorch
 * would hold in memory; other implementations may really run the step.
 *
 * Names are PyTorch's, and so is the state dict: a layer's `name` is the module path, its parameters are `name.weight`
 * and `name.bias`. Asking for a parameter name twice shares it (tied weights).
 * Shapes: b batch, s tokens, h hidden, a heads, c channels, y×x pixels.
 */
export interface Ops<T> {
  /** Token ids or pixels of the batch: [b, s] int64, or [b, c, y, x] in the step's input type. */
  readonly input: T
  /** Class ids: [b], or [b, s] for language models; int64. */
  readonly labels: T
  /** What a sample's text refers to, beside the tokens: [b, 3, y, x] in the weights' type. */
  pixels(y: number, x: number): T

  /** [b, s] → [b, s, features]. */
  embedding(name: string, ids: T, count: number, features: number): T
  /** A learned table that is looked up by position or constant type, the same for every sample: → [1, s, features]. */
  constantEmbedding(name: string, count: number, features: number, rows: number): T
  /** [..., in] → [..., out]. */
  linear(name: string, x: T, outFeatures: number, options?: LinearOptions): T
  /** `isLowered`: in the type that autocast lowers to, where it would raise to float32. `bias` is true by default. */
  layerNorm(name: string, x: T, options?: { readonly isLowered?: boolean; readonly bias?: boolean }): T
  /** The same op by op in float32 and back, without a bias, as Cohere does. */
  composedLayerNorm(name: string, x: T): T
  rmsNorm(name: string, x: T, options: RmsNormOptions): T
  add(x: T, y: T): T
  /** The sum of a block's result and its input, both of which stay referenced until the block returns. */
  residual(x: T, skip: T, options?: { inPlace?: boolean }): T
  gelu(x: T): T
  /** The tanh approximation as transformers composes it from primitive ops (`NewGELUActivation`). */
  geluNew(x: T): T
  tanh(x: T): T
  relu(x: T): T
  silu(x: T): T
  square(x: T): T
  /** The activation of arXiv 2411.13010, whose two factors are parameters of `name`. */
  xielu(name: string, x: T): T
  sigmoid(x: T): T
  clamp(x: T): T
  multiply(x: T, y: T): T
  /** Times a constant. */
  scale(x: T, options?: { inPlace?: boolean }): T
  /** Times the tanh of a learned number, the parameter `name` of [1]. */
  tanhGate(name: string, x: T): T
  /** A table of constants for each sample, [b, rows, columns], which is added to scores. */
  mask(rows: number, columns: number): T
  /** Rows of zeros at the end: [b, s, h] → [b, rows, h]. */
  padded(x: T, rows: number): T
  /** The first `rows` rows of all parts side by side: [b, s, h] each → [b, rows, parts·h]. */
  joined(parts: readonly T[], rows: number): T
  float32(x: T): T
  /** cap · tanh(logits / cap). */
  softcap(logits: T): T
  /** The identity in eval mode or at probability 0. */
  dropout(x: T, probability: number): T
  /** Stochastic depth: a whole sample of a residual branch dropped at once; the identity in eval mode or at probability 0. */
  dropPath(x: T, probability: number): T
  /** Times a learned factor a feature, the parameter `name` of [h]: [..., h] → [..., h]. */
  layerScale(name: string, x: T): T
  /** Splits the last dimension into views, by one op (torch.split, chunk) or by a slice each. */
  split(x: T, sizes: readonly number[]): T[]
  slices(x: T, sizes: readonly number[]): T[]
  /** A new tensor of the parts, side by side in the last dimension. */
  concatenate(parts: readonly T[]): T
  /** A contiguous copy of a view, as indexing or reshaping makes it. */
  gathered(x: T): T
  /** [b, s, heads·size] → [b, s, times·heads·size]: every head `times` times. */
  repeatHeads(x: T, times: number, heads: number): T
  /** Each head of `own`, and after it its part of `other` or, where `other` is one head for all, that: as one tensor. */
  headsJoined(own: T, other: T, sharedBy?: number): T
  /** cos and sin of every position, for heads of which the first `size` dimensions turn. `positions`: that the model is made for. */
  rotaryTable(x: T, size: number, positions?: number): readonly [T, T]
  rotary(x: T, table: readonly [T, T], heads: number, options?: RotaryOptions): T
  /** Keys or values that a decoder puts into its cache, as it does in training too by default; of the last `window` tokens. */
  cached(x: T, window?: number): T
  /**
   * q [b, s, heads·size], k and v [b, t, keyValueHeads·size] → [b, s, heads·size]. `bias` is added to the scores: [heads, s, t], or
   * the model's own mask for all heads, [s, t].
   */
  attention(q: T, k: T, v: T, shape: AttentionShape, bias?: T): T
  /** The best experts of every token and their weights: [b, s, h] → twice [b, s, perToken]. */
  routed(name: string, x: T, options: RouterOptions): readonly [weights: T, chosen: T]
  /**
   * Every token through the experts chosen for it, and the weighted sum of their results: [b, s, h] → [b, s, h]. `gate` turns
   * rows of [2·inner], or of [inner] without a gate, into rows of [inner].
   */
  experts(
    name: string,
    x: T,
    routed: readonly [weights: T, chosen: T],
    options: ExpertOptions,
    gate: (joined: T) => T,
  ): T
  /** Every token, times its score for each expert, through all of them; the sum of their results is added to what `shared` gives. */
  everyExpert(name: string, x: T, options: EveryExpertOptions, gate: (joined: T) => T, shared: () => T): T
  /** Each channel convolved with the tokens before it: [b, s, c] → [b, s, c]. Without a bias by default. */
  causalConvolution(name: string, x: T, options: { readonly kernel: number; readonly bias?: boolean }): T
  /** Linear attention with a decaying state; `a` and `b` [b, s, heads] set how much is forgotten and written. */
  gatedDeltaRule(
    name: string,
    states: readonly [query: T, key: T, value: T],
    gates: readonly [a: T, b: T],
    heads: number,
  ): T
  /**
   * Mamba 2 between its projections and the second of them, one kernel: gate, states, their input and output matrices and steps,
   * [b, s, 2·inner + 2·groups·state + heads] → [b, s, out].
   */
  mamba2(name: string, projected: T, shape: Mamba2Shape): T
  /** Each channel convolved with the tokens before it, and SiLU, in one kernel: [b, s, c] → [b, s, c]. */
  fusedConvolution(name: string, x: T, kernel: number, options: { readonly bias: boolean }): T
  /** Mamba's states, a row a channel, and the gate on what is read from them: → [b, s, c]. */
  selectiveScan(name: string, scan: readonly [states: T, steps: T, input: T, output: T, gate: T]): T
  /** Which keys every query of [b, s, h] sees, found without gradients. */
  chooseKeys(name: string, x: T, shape: IndexerShape): void
  /** A rate of forgetting for each channel, from its logits [b, s, heads·size], in float32. */
  channelDecay(name: string, logits: T, heads: number): T
  /** Linear attention whose state every channel forgets at its own rate. */
  kimiDelta(states: readonly [query: T, key: T, value: T], gates: readonly [decay: T, beta: T], heads: number): T
  /** Root mean squares of `size` features, times the sigmoid of `gate`, all in float32 and back. */
  gatedNorm(name: string, x: T, gate: T, size: number): T
  /** x · SiLU(gate), in float32 and back. */
  gatedInFloat32(x: T, gate: T): T
  /** T5's learned bias of a head for every distance, in a table of [buckets, heads]: → [heads, s, s]. */
  relativePositionBias(name: string, buckets: number, heads: number, tokens: number): T
  /** The zeros that T5 adds where it has learned no bias: → [heads, s, t]. */
  zeroPositionBias(heads: number, tokens: number, sourceTokens: number): T
  /** The labels a step later, which a decoder reads: [b, s]. */
  shiftedLabels(): T
  /** The first token: [b, s, h] → [b, h], a view. */
  firstToken(x: T): T
  /** The mean of the tokens that are not padding: [b, s, h] → [b, h]. */
  meanOfTokens(x: T): T
  /** The last token that is not padding: [b, s, n] → [b, n], gathered. */
  lastToken(x: T): T
  /** [b, c, y, x] → [b, outChannels, y', x']. */
  conv2d(name: string, x: T, outChannels: number, options: Convolution): T
  batchNorm(name: string, x: T): T
  maxPool(x: T, options: { kernel: number; stride: number; padding: number }): T
  /** Every pixel four times: [b, c, y, x] → [b, c, 2·y, 2·x]. */
  upsampleNearest(x: T): T
  /** The same, out of which no gradient comes back. */
  detached(x: T): T
  /** The pixels of several images of as many channels, one after the other: [b, c, y, x] each → [b, c, pixels]. */
  joinPixels(parts: readonly T[]): T
  /**
   * Every pixel's attention to all others, from queries, keys and values of each head in [b, heads·(2·key + value), y, x]: what it
   * comes to, and a copy of the values, [b, heads·value, y, x] each.
   */
  pixelAttention(joined: T, shape: PixelAttentionShape): readonly [mixed: T, values: T]
  /** [b, c, y, x] → [b, c]. */
  globalAveragePool(x: T): T
  /** [b, c, y, x] → [b, y, x, c] and back, views. */
  channelsLast(x: T): T
  channelsFirst(x: T): T
  /** [b, c, y, x] → [b, y·x, c], a view. */
  flattenPixels(x: T): T
  /** Learned tokens, a parameter of [1, 1, h] for each name, before every sample's own: [b, s, h] → [b, names + s, h]. */
  prependTokens(names: readonly string[], x: T): T
  /** Adds the learned table [1, count, h] to [b, s, h]; for images of another size it is resampled to s positions, for several tiles it is repeated. */
  addPositions(name: string, x: T, count: number): T
  /** Mean cross-entropy of `logits` against the labels; over every token for language models. */
  crossEntropy(logits: T): T
  /** Layers that the step never runs, on inputs of `features`: their weights are there, and get no gradient. */
  idle(features: number, body: (x: T) => T): void
  /** Constants that PyTorch's module registers as int64 buffers beside its parameters. */
  positionIds(count: number): void
  /** Factors of [features] that the module registers as a buffer beside its parameters. */
  constant(name: string, features: number): T
  /** One [b, s, h] a stream → [streams, b, s, h]. */
  stackedStreams(parts: readonly T[]): T
  /** One of the streams, a view: [b, s, h]. */
  firstStream(streams: T): T
  /** Over the streams: [b, s, h]. */
  meanOfStreams(streams: T): T
  /** The root mean square of every token: [b, s, 1]. */
  magnitude(x: T): T
  /** `x` at the magnitude of another. */
  scaledTo(magnitude: T, x: T): T
  /** Every stream and a sum of all, weighted by the token's `coefficients` [b, s, streams²]. */
  predictedStreams(streams: T, coefficients: T): T
  /** Every prediction and the error of the first, weighted by the token's `coefficients` [b, s, streams]. */
  correctedStreams(predictions: T, result: T, coefficients: T): T
  /** `x` [b, s, h] added to all streams but the first, in place. */
  addedToOtherStreams(streams: T, x: T): T
  /** What of a token's features exceeds most of them; the rest is zero. */
  sparsified(x: T): T
  /** Token by token one of the two, by a mask of the batch. */
  either(x: T, y: T): T
  /**
   * Embedded tokens, where more than the blocks reads them: peft lets them require gradients so that blocks over frozen weights can be
   * recomputed.
   */
  withInputGradients(x: T): T
  /**
   * What a block leaves in a dictionary for later ones: the dictionary is kept through the backward pass, and with what is in it, how
   * it came about.
   */
  handOn(states: readonly T[]): void
  /** A local variable of the running block: it stays referenced until the block returns. */
  local(x: T): T
  /** A module's call: its input stays referenced until it returns, as the arguments of Python functions do. */
  frame(x: T, body: (x: T) => T): T
  /**
   * One of the repeated blocks: a frame that is recomputed in the backward pass when the step checkpoints gradients.
   * `shared`: what the body reads besides `x`.
   */
  block(x: T, body: (x: T) => T, shared?: readonly T[]): T
  /**
   * Layers one after the other, of which all of one kind are alike but for their names: an interpreter may record some of them and
   * count the others. `kinds`: of each layer, or how many there are of one kind.
   */
  layers<State>(x: State, kinds: readonly string[] | number, layer: (x: State, index: number) => State): State
}

export interface RmsNormOptions {
  /** Features of a group. */
  readonly size: number
  /** Weighted in float32, as Gemma and OLMo do; otherwise after casting back, as Llama does. */
  readonly scalesInFloat32: boolean
  /** Weighted by 1 + weight, as Gemma does. */
  readonly aroundOne?: boolean
  /** Scales its input instead of the float32 copy of it, as T5 does. */
  readonly scalesInput?: boolean
  readonly isUnweighted?: boolean
}

export interface RotaryOptions {
  /** Turned in float32 and cast back, as ERNIE does. */
  readonly inFloat32?: boolean
  /** As products of complex numbers in float32, as Llama 4 does. */
  readonly isComplex?: boolean
  /** Joined with what does not turn even where all of a head turns, as Phi 3 does. */
  readonly alwaysJoins?: boolean
}

export interface RouterOptions {
  /** Experts. */
  readonly count: number
  readonly perToken: number
  readonly scoring: 'softmax' | 'sigmoid'
  readonly hasBias?: boolean
  /** The scores are a product in float32. */
  readonly inFloat32?: boolean
  /** Experts are chosen by their logits, and only the chosen ones scored. */
  readonly scoresChosenOnly?: boolean
  /** The weights stay float32 instead of taking the logits' type. */
  readonly weightsInFloat32?: boolean
  /** The linear module within that scores: one that is quantised and adapted as others are. */
  readonly linear?: string
  /** The parameter that holds a factor for the weights of each expert. */
  readonly expertScale?: string
}

export interface Mamba2Shape {
  readonly heads: number
  readonly headSize: number
  readonly stateSize: number
  /** Heads of a group share the states' input and output matrices. */
  readonly groups: number
  readonly chunkTokens: number
  /** Tokens that the convolution before the scan spans. */
  readonly kernel: number
  readonly convolutionBias: boolean
  /** A norm of the gated result, weighted before or after it is cast back; without one it is only gated. */
  readonly norm?: 'weighted-in-float32' | 'weighted-after'
  readonly outFeatures: number
  readonly outputBias: boolean
}

/** DeepSeek's lightning indexer. */
export interface IndexerShape {
  readonly heads: number
  readonly size: number
  /** Features of the narrow query that it reads. */
  readonly queryRank: number
}

export interface ExpertOptions {
  readonly count: number
  readonly inner: number
  readonly hasBias?: boolean
  /** True by default: gate and up are one matrix. */
  readonly isGated?: boolean
}

export interface EveryExpertOptions {
  readonly count: number
  /** Experts whose score is not zero. */
  readonly perToken: number
  readonly inner: number
}

export interface LinearOptions {
  /** True by default. */
  readonly bias?: boolean
  /** The parameter used as weight instead of `name.weight`. */
  readonly tiedTo?: string
  /** As `x @ weight.T + bias` instead of one op. */
  readonly composed?: boolean
  /** Casts its input to the weight's type first. */
  readonly castsInput?: boolean
  /** An output layer that is quantised like the rest. */
  readonly isQuantizable?: boolean
}

export interface Convolution {
  readonly kernel: number
  readonly stride: number
  /** Pixels of zeros around the image; half the kernel by default. */
  readonly padding?: number
  /** False by default: a batch norm follows. */
  readonly bias?: boolean
  /** Channels are convolved within this many groups, one by default; as many as channels make it depthwise. */
  readonly groups?: number
}

export interface PixelAttentionShape {
  readonly heads: number
  readonly keySize: number
  readonly valueSize: number
}

export interface AttentionShape {
  readonly heads: number
  /** Groups of query heads share one key and value head; as many as `heads` by default. */
  readonly keyValueHeads?: number
  readonly causal: boolean
  readonly dropout: number
  /** Tokens that a sliding-window layer looks back. */
  readonly window?: number | undefined
  /** transformers' decoders compute the eager softmax in float32 whatever the scores' type. */
  readonly castsSoftmax?: boolean
  /** The model composes its attention of primitive ops itself, with query and key in float32. */
  readonly inFloat32?: boolean
  /** The model hands a mask to the kernel even where `causal` would do. */
  readonly isAlwaysMasked?: boolean
  /** A single key and value head is left to the kernel to broadcast. */
  readonly broadcastsHeads?: boolean
  /** The parameter of a learned score a head, beside the others in the softmax. */
  readonly sinks?: string
}
