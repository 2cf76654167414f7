/**
 * The tape: the layers that models are written in, as PyTorch composes them from autograd's primitives. Each layer states
 * its rule and where PyTorch or transformers decides it.
 */
import { parameterPattern } from '../config/parameter-pattern.ts'
import type { TrainingSpec } from '../config/spec.ts'
import type { ExpertNames } from '../models/expert-names.ts'
import type {
  AttentionShape,
  ChannelGates,
  Convolution,
  DeltaGates,
  EveryExpertOptions,
  ExpertOptions,
  IndexerShape,
  LinearOptions,
  Mamba2Shape,
  Ops,
  RmsNormOptions,
  RotaryOptions,
  RouterOptions,
  SelectiveScan,
} from '../models/ops.ts'
import {
  type Adapters,
  lowRankFactors,
  turnedInput,
  withLowRank,
  withLowRankMatrices,
  withMagnitude,
} from './adapters.ts'
import { eagerAttention, fusedAttention } from './attention.ts'
import { Autograd, made, type Node, widest } from './autograd.ts'
import { composedLayerNorm, xielu } from './composed-ops.ts'
import { chosenRows, expertProduct, oneByOne, scoredRows, summed } from './every-expert.ts'
import { bestExperts, type ExpertFactors, groupedExperts, type RouterParameters, routerLogits } from './experts.ts'
import { fakeQuantized, fourBitProduct } from './fake-quantization.ts'
import { Gemma3nTape } from './gemma3n.ts'
import { channelDecay, gatedDeltaRule, kimiDelta } from './linear-attention.ts'
import { matrixProduct } from './matrix-product.ts'
import { quantizedBytes } from './quantization.ts'
import { fusedConvolution, selectiveScan } from './selective-scan.ts'
import { composedMamba2, fusedMamba2 } from './state-space.ts'
import { bytesPerElement, type Dtype, elements, lastSize, type Storage, type Tensor } from './storage.ts'
import { chunkedLogProbabilities, stridedTokens } from './strided-log-probabilities.ts'

/** The product of two int8 matrices. */
const INT32_BYTES = 4

export class Tape extends Autograd implements Ops<Tensor> {
  readonly #input: Tensor
  readonly labels: Tensor
  /** Last names of the linear modules met so far: what adapters can target. */
  readonly linearNames = new Set<string>()
  readonly #expertNames: ExpertNames | undefined
  /** The last hidden states, once a decoder has asked for its logits. */
  outputLayerInput: Tensor | undefined
  /** What went into each block: the hidden states that `output_hidden_states` would hand out. */
  readonly blockInputs: Tensor[] = []
  readonly gemma3n = new Gemma3nTape(this)
  #pixels: Tensor | undefined
  /** Weights that train on what stands among the words. */
  #towers: Tensor[] = []
  /** Tensors that local variables of the running block reference. */
  #locals: Tensor[] = []
  /** What the running block hands on. */
  #handedOn: Tensor[] = []
  readonly #trainedNames: readonly RegExp[]
  #gatheredTokens: { readonly of: Tensor; readonly whole: Tensor } | undefined

  /** `expertNames`: what puts adapters on the experts of the model. */
  constructor(spec: TrainingSpec, device: { hasFlash: boolean }, expertNames?: ExpertNames) {
    super(spec, device)
    this.#expertNames = expertNames
    this.#trainedNames = (spec.trainable?.names ?? []).flatMap(name => parameterPattern(name) ?? [])
    const isImage = spec.task === 'image-classification'
    const imageSize = spec.imageSize ?? 0
    const inputShape = isImage ? [3, imageSize, imageSize] : [spec.sequenceLength ?? 0]
    const labelShape = spec.task === 'seq2seq-lm' ? [spec.targetLength ?? spec.sequenceLength ?? 0] : inputShape
    const perToken = ['causal-lm', 'masked-lm', 'seq2seq-lm'].includes(spec.task)
    this.#input = this.#batchTensor(inputShape, isImage ? this.weightDtype : 'int64')
    this.labels = this.#batchTensor(perToken ? labelShape : [], 'int64')
    if (this.isPadded) this.#batchTensor(inputShape, 'int64')
  }

  pixels(y: number, x: number): Tensor {
    if (this.spec.images === undefined) return this.tensor([3, y, x], this.weightDtype, [])
    this.#pixels ??= this.#batchTensor([3, y, x], this.weightDtype)
    // transformers enable_input_require_grads: of every part that embeds an input, what comes of it requires gradients.
    const { lora, gradientCheckpointing } = this.spec
    return { ...this.#pixels, requiresGrad: lora !== undefined && gradientCheckpointing && this.training }
  }

  get input(): Tensor {
    const tokens = this.pass?.sequences?.tokens ?? stridedTokens(this.spec)
    return tokens === undefined ? this.#input : this.tensor([tokens], 'int64', [])
  }

  embedding(name: string, ids: Tensor, count: number, features: number): Tensor {
    // torch: derivatives.yaml `embedding`: saves the indices; embedding_dense_backward writes a gradient of the whole table.
    const { gpus = 1, dividesTokens = false } = this.spec.tensorParallel ?? {}
    const shape = [dividesTokens ? count / gpus : count, features]
    const table = this.#savedWhole(name, shape) ?? this.#weight(`${name}.weight`, shape)
    const output = this.tensor([...ids.shape, features], table.dtype, [table], ids)
    this.record(name, { reads: [ids], outputs: [output], saves: [ids], gradients: [made(table)] })
    return ids === this.#input ? this.#ownTokens(this.#amongWords(output)) : output
  }

  /** transformers: `masked_scatter` of what towers saw or heard, through which their weights' gradients come back. */
  #amongWords(words: Tensor): Tensor {
    const towers = this.#towers
    if (towers.length === 0) return words
    this.#towers = []
    const output = this.tensor(words.shape, words.dtype, [words, ...towers])
    this.record('masked_scatter', { reads: [words], outputs: [output], gradients: [words, ...towers].map(made) })
    return output
  }

  constantEmbedding(name: string, count: number, features: number, rows: number): Tensor {
    const ids = this.tensor([rows], 'int64', [], { batched: false })
    this.record(name, { reads: [], outputs: [ids] })
    return this.embedding(name, ids, count, features)
  }

  linear(name: string, states: Tensor, features: number, options: LinearOptions = {}): Tensor {
    // transformers' _tp_plan: the output layer's rows are divided among GPUs, and its results put together again.
    const isDivided = this.#isOutputLayer(name) && options.tiedTo === undefined
    const outFeatures = features / (isDivided ? (this.spec.tensorParallel?.gpus ?? 1) : 1)
    const isSum = /(?:o_proj|down_proj)$/.test(name)
    const output = this.#linearPart(name, isSum ? states : this.#allTokens(states), outFeatures, options)
    if (isSum) return this.#ownTokens(output)
    return outFeatures === features || this.spec.fusedLoss
      ? output
      : this.#exchanged('all_gather', output, [...output.shape.slice(0, -1), features])
  }

  /** Tokens of which this GPU holds the residuals. */
  get #heldTokens(): number {
    const [tokens = 1] = this.input.shape
    const { gpus = 1, dividesTokens = false } = this.spec.tensorParallel ?? {}
    return dividesTokens ? Math.ceil(tokens / gpus) : tokens
  }

  /** torch: distributed/tensor/parallel/style.py PrepareModuleInput: a module's layers share what it gathers. */
  #allTokens(x: Tensor): Tensor {
    const [tokens = 1] = this.input.shape
    if (x.shape[0] === tokens || x.shape[0] !== this.#heldTokens) return x
    const known = this.#gatheredTokens
    const whole = known?.of === x ? known.whole : this.#exchanged('all_gather', x, [tokens, ...x.shape.slice(1)])
    this.#gatheredTokens = { of: x, whole }
    return whole
  }

  #ownTokens(x: Tensor): Tensor {
    const [tokens = 1] = this.input.shape
    if (x.shape[0] !== tokens || this.#heldTokens === tokens) return x
    return this.#exchanged('reduce_scatter', x, [this.#heldTokens, ...x.shape.slice(1)])
  }

  /** A new tensor of what all GPUs hold, or a part of their sum; its gradient goes the other way. */
  #exchanged(name: string, x: Tensor, shape: readonly number[]): Tensor {
    const output = this.tensor(shape, x.dtype, [x])
    this.record(name, { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  #linearPart(name: string, states: Tensor, outFeatures: number, options: LinearOptions): Tensor {
    const x = this.#isOutputLayer(name) ? this.#asked(states) : states
    if (this.#isOutputLayer(name)) this.outputLayerInput = x
    if (this.spec.method?.kind === 'strided' && this.pass === undefined && this.#isOutputLayer(name)) {
      return chunkedLogProbabilities(
        this,
        name,
        x,
        this.#weight(options.tiedTo ?? `${name}.weight`, [outFeatures, lastSize(x)]),
      )
    }
    if (this.spec.fusedLoss && this.#isOutputLayer(name)) return this.#fusedLoss(name, x, outFeatures, options.tiedTo)
    const { lora } = this.spec
    return lora !== undefined && this.#isAdapted(name)
      ? this.#adapted(name, x, outFeatures, options, lora)
      : this.#ownLinear(name, x, outFeatures, options)
  }

  layerNorm(name: string, x: Tensor, { isLowered = false, bias = true } = {}): Tensor {
    // torch: `native_layer_norm`: saves its input and a mean and a reciprocal deviation per row, in float32.
    const parts = bias ? ['weight', 'bias'] : ['weight']
    const parameters = parts.map(part => this.#weight(`${name}.${part}`, [lastSize(x)]))
    const wide = isLowered ? this.lowered(x) : this.raised(x)
    const output = this.tensor(wide.shape, wide.dtype, [wide, ...parameters], wide)
    const rows = elements(wide) / lastSize(wide)
    const statistics = [this.storage(rows, 'float32', wide.batched), this.storage(rows, 'float32', wide.batched)]
    this.record(name, {
      reads: [wide, ...parameters],
      outputs: [output],
      saves: [wide],
      saved: statistics,
      gradients: [wide, ...parameters].map(made),
    })
    return output
  }

  rmsNorm(name: string, x: Tensor, options: RmsNormOptions): Tensor {
    // transformers: LlamaRMSNorm weights the result after casting it back; GemmaRMSNorm multiplies by 1 + weight in float32.
    const normalised = this.#unitRows(x, options.size, options.scalesInput ?? false)
    if (options.isUnweighted) return this.cast(normalised, x.dtype)
    const weight = this.#weight(`${name}.weight`, [options.size])
    if (!options.scalesInFloat32) return this.multiply(weight, this.cast(normalised, x.dtype))
    const factor = options.aroundOne ? this.elementwise('add', this.cast(weight, 'float32')) : weight
    return this.cast(this.multiply(normalised, factor), x.dtype)
  }

  composedLayerNorm(name: string, x: Tensor): Tensor {
    return composedLayerNorm(this, x, this.#weight(`${name}.weight`, [lastSize(x)]))
  }

  residual(x: Tensor, skip: Tensor, options: { inPlace?: boolean } = {}): Tensor {
    this.#locals.push(x, skip)
    return this.add(x, skip, options)
  }

  gelu(x: Tensor): Tensor {
    return this.elementwise('gelu', x, { saves: [x] })
  }

  geluNew(x: Tensor): Tensor {
    // transformers activations.py NewGELUActivation: 0.5 * x * (1 + tanh(√(2/π) * (x + 0.044715 * pow(x, 3))))
    const half = this.elementwise('mul', x)
    const cubed = this.power(this.raised(x))
    const inner = this.elementwise('mul', this.add(x, this.elementwise('mul', cubed)))
    return this.multiply(half, this.elementwise('add', this.tanh(inner)))
  }

  silu(x: Tensor): Tensor {
    return this.elementwise('silu', x, { saves: [x] })
  }

  tanh(x: Tensor): Tensor {
    return this.elementwise('tanh', x, { savesOutput: true })
  }

  relu(x: Tensor): Tensor {
    return this.elementwise('relu', x, { savesOutput: true })
  }

  sigmoid(x: Tensor): Tensor {
    return this.elementwise('sigmoid', x, { savesOutput: true })
  }

  clamp(x: Tensor): Tensor {
    return this.elementwise('clamp', x, { saves: [x] })
  }

  square(x: Tensor): Tensor {
    return this.power(x)
  }

  xielu(name: string, x: Tensor): Tensor {
    const slopes = ['alpha_p', 'alpha_n'].map(part => this.#weight(`${name}.${part}`, [1])) as [Tensor, Tensor]
    return xielu(this, x, slopes)
  }

  scale(x: Tensor, { inPlace = false } = {}): Tensor {
    if (inPlace) return this.#scaledInPlace(x)
    const output = this.elementwise('mul', x)
    if (this.headsFirst.has(x.storage)) this.headsFirst.add(output.storage)
    return output
  }

  tanhGate(name: string, x: Tensor): Tensor {
    return this.multiply(this.tanh(this.#weight(name, [1])), x)
  }

  mask(rows: number, columns: number): Tensor {
    const mask = this.tensor([rows, columns], this.autocastDtype ?? this.weightDtype, [])
    this.record('mask', { reads: [], outputs: [mask] })
    return mask
  }

  padded(x: Tensor, rows: number): Tensor {
    const output = this.tensor([rows, ...x.shape.slice(1)], x.dtype, [x])
    this.record('pad', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  joined(parts: readonly Tensor[], rows: number): Tensor {
    const [first, ...others] = parts.map(part => this.#firstRows(part, rows))
    if (first === undefined) throw new Error('nothing to join')
    // transformers MllamaVisionModel: torch.stack of the layers between, and torch.cat of the last with those.
    return this.concatenate([first, this.concatenate(others)])
  }

  float32(x: Tensor): Tensor {
    return this.cast(x, 'float32')
  }

  softcap(logits: Tensor): Tensor {
    // transformers Gemma2ForCausalLM: logits / cap, tanh, * cap
    return [this.scale, this.tanh, this.scale].reduce((x, op) => this.markLogits(op.call(this, x)), logits)
  }

  dropPath(x: Tensor, probability: number): Tensor {
    // transformers ConvNextDropPath: hidden_states.div(keep_prob) * random_tensor, a number a sample.
    if (!this.training || probability === 0) return x
    const kept = this.tensor([], x.dtype, [])
    this.record('floor', { reads: [], outputs: [kept] })
    return this.multiply(this.elementwise('div', x), kept)
  }

  layerScale(name: string, x: Tensor): Tensor {
    return this.multiply(this.#weight(name, [lastSize(x)]), x)
  }

  split(x: Tensor, sizes: readonly number[]): Tensor[] {
    // torch: `split` gives views; SplitBackward0 concatenates their gradients into one tensor.
    const outputs = sizes.map(size => ({ ...x, shape: [...x.shape.slice(0, -1), size], edge: this.newEdge() }))
    this.record('split', { reads: [x], outputs, gradients: [made(x)] })
    return outputs
  }

  slices(x: Tensor, sizes: readonly number[]): Tensor[] {
    return sizes.map(size => this.slice(x, size))
  }

  gathered(x: Tensor): Tensor {
    return this.elementwise('clone', x)
  }

  repeatHeads(x: Tensor, times: number): Tensor {
    const output = this.tensor([...x.shape.slice(0, -1), lastSize(x) * times], x.dtype, [x])
    this.record('expand', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  headsJoined(own: Tensor, other: Tensor, sharedBy = 1): Tensor {
    const features = lastSize(own) + lastSize(other) * sharedBy
    const output = this.tensor([...own.shape.slice(0, -1), features], own.dtype, [own, other])
    // torch: CopySlices copies the gradient of the whole before it hands parts of it on.
    const backwardScratch = sharedBy > 1 ? [this.like(output, 'temporaries')] : []
    this.record('cat', { reads: [own, other], outputs: [output], gradients: [own, other].map(made), backwardScratch })
    this.headsFirst.add(output.storage)
    return output
  }

  rotaryTable(x: Tensor, size: number, positions = 0): readonly [Tensor, Tensor] {
    // torchtune models/llama4/_position_embeddings.py build_rope_cache: a float32 buffer for ten million positions.
    if (this.spec.chosenExperts && this.wholeBuffers.length === 0) {
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
    const sinks = shape.sinks === undefined ? undefined : this.#weight(shape.sinks, [shape.heads])
    const options = { keyValueHeads: shape.heads, castsSoftmax: false, ...shape, bias, sinks }
    const kernel = this.pass?.sequences?.attention?.kernel ?? this.spec.attention
    if (kernel !== 'eager' && !shape.inFloat32) return fusedAttention(this, q, k, v, options)
    const { output, weights } = eagerAttention(this, q, k, v, options)
    this.#locals.push(weights)
    return output
  }

  routed(name: string, states: Tensor, options: RouterOptions): readonly [weights: Tensor, chosen: Tensor] {
    // kt-kernel sft/layer.py _compute_routing: without gradients.
    const x = this.spec.expertsOnHost ? { ...states, requiresGrad: false } : states
    const { linear, expertScale, count } = options
    const logits =
      linear === undefined
        ? routerLogits(this, x, this.#routerParameters(name, x, options), options)
        : this.linear(`${name}.${linear}`, x, count, { bias: false })
    const scale = expertScale === undefined ? undefined : this.#weight(`${name}.${expertScale}`, [count])
    return bestExperts(this, logits, options, scale)
  }

  experts(
    name: string,
    x: Tensor,
    [weights, chosen]: readonly [weights: Tensor, chosen: Tensor],
    { count, inner, hasBias = false, isGated = true }: ExpertOptions,
    gate: (joined: Tensor) => Tensor,
  ): Tensor {
    if (this.spec.expertsOnHost) return this.#onHost(name, x)
    const held = count / (this.spec.expertParallel ?? 1)
    const hidden = lastSize(x)
    const joined = isGated ? 2 * inner : inner
    const up = isGated ? 'gate_up_proj' : 'up_proj'
    const bias = (part: string, features: number) => this.#weight(`${name}.${part}_bias`, [count, features])
    const names = this.#expertNames
    const matrices = {
      up: this.#expertMatrix(`${name}.${up}`, [held, joined, hidden], names?.up),
      down: this.#expertMatrix(`${name}.down_proj`, [held, hidden, inner], names && [names.down]),
    }
    const { output, locals } = groupedExperts(
      this,
      x,
      { weights, chosen },
      {
        ...matrices,
        upFactors: this.#expertFactors(`${name}.${up}`, matrices.up),
        downFactors: this.#expertFactors(`${name}.down_proj`, matrices.down),
        ...(hasBias && { upBias: bias(up, joined), downBias: bias('down_proj', hidden) }),
      },
      gate,
    )
    this.#locals.push(...locals, matrices.up, matrices.down)
    return output
  }

  /** `names`: those that put adapters on it when all of them are targets, the rank of each added up. */
  #expertMatrix(name: string, shape: readonly number[], names: readonly string[] = []): Tensor {
    const matrix = this.#expertWeight(name, shape)
    const { rank = 0, targets = [] } = this.spec.lora ?? {}
    for (const adapted of names) this.linearNames.add(adapted)
    const isAdapted = names.length > 0 && this.#isPolicy() && names.every(adapted => targets.includes(adapted))
    if (isAdapted) return withLowRankMatrices(this, name, matrix, rank * names.length)
    const isMerged = this.#hasParameterAdapter(name) && !this.spec.lora?.inExpertKernels
    return isMerged ? withLowRankMatrices(this, name, matrix, rank) : matrix
  }

  /** Adapters of experts' matrices that stay products of their own. */
  #expertFactors(name: string, matrix: Tensor): ExpertFactors | undefined {
    const { rank = 0, inExpertKernels } = this.spec.lora ?? {}
    return inExpertKernels && this.#hasParameterAdapter(name) ? lowRankFactors(this, name, matrix, rank) : undefined
  }

  #hasParameterAdapter(name: string): boolean {
    const part = name.slice(name.lastIndexOf('.') + 1)
    const { parameters } = this.spec.lora ?? {}
    if (parameters !== undefined) this.linearNames.add(part)
    return this.#isPolicy() && (parameters?.includes(part) ?? false)
  }

  /** kt-kernel sft/autograd.py KTMoEFunction: nothing is kept on the GPU; what comes back is as large as what went. */
  #onHost(name: string, x: Tensor): Tensor {
    const output = this.tensor(x.shape, x.dtype, [x])
    this.record(name, { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  everyExpert(
    name: string,
    x: Tensor,
    { count, perToken, inner }: EveryExpertOptions,
    gate: (joined: Tensor) => Tensor,
    shared: () => Tensor,
  ): Tensor {
    const router = { count, perToken, scoring: 'sigmoid' } as const
    const logits = routerLogits(this, x, this.#routerParameters(`${name}.router`, x, router), router)
    if (this.spec.chosenExperts) {
      const rows = chosenRows(this, x, logits, perToken)
      const results = this.frame(rows, input => this.#chosenExperts(`${name}.experts`, input, count, inner))
      return this.residual(shared(), results)
    }
    const rows = scoredRows(this, x, logits, perToken)
    const results = this.frame(rows, scored => {
      if (this.spec.linearExperts) {
        const project = (part: string, index: number, input: Tensor, to: number) =>
          this.linear(`${name}.experts.${part}.${index}`, input, to, { bias: false })
        return oneByOne(this, scored, count, (input, index) => {
          const activated = this.silu(project('gate_projs', index, input, inner))
          const product = this.multiply(project('up_projs', index, input, inner), activated)
          return project('down_projs', index, product, lastSize(x))
        })
      }
      const weight = (part: string, from: number, to: number) =>
        this.#weight(`${name}.experts.${part}`, [count, from, to])
      const joined = expertProduct(this, scored, weight('gate_up_proj', lastSize(x), 2 * inner))
      const output = expertProduct(this, gate(joined), weight('down_proj', inner, lastSize(x)))
      this.record('return', { reads: [joined], outputs: [] })
      return output
    })
    this.#locals.push(logits, rows, results)
    return this.residual(shared(), summed(this, results, x), { inPlace: true })
  }

  causalConvolution(name: string, x: Tensor, { kernel, bias = false }: { kernel: number; bias?: boolean }): Tensor {
    // transformers causal_conv1d_fn: a padded convolution of each channel, cut to the sequence's length.
    const [tokens = 0] = x.shape
    const weight = this.lowered(this.#weight(`${name}.weight`, [lastSize(x), 1, kernel]))
    const added = bias ? [this.lowered(this.#weight(`${name}.bias`, [lastSize(x)]))] : []
    const factor = this.lowered(x)
    const padded = this.tensor([tokens + kernel - 1, lastSize(x)], factor.dtype, [factor, weight, ...added])
    // torch: `convolution` keeps both factors, whichever of them is trained.
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
    const [bias, rates] = ['dt_bias', 'A_log'].map(part => this.#weight(`${name}.${part}`, [heads])) as [Tensor, Tensor]
    const shifted = this.add(this.cast(a, 'float32'), bias)
    const decay = this.multiply(
      this.elementwise('softplus', shifted, { saves: [shifted] }),
      this.cast(rates, 'float32'),
    )
    return gatedDeltaRule(this, { query, key, value, decay, beta: this.sigmoid(b), heads })
  }

  fusedConvolution(name: string, x: Tensor, kernel: number, { bias }: { readonly bias: boolean }): Tensor {
    const weight = this.#weight(`${name}.weight`, [lastSize(x), 1, kernel])
    return fusedConvolution(this, name, x, [weight, ...(bias ? [this.#weight(`${name}.bias`, [lastSize(x)])] : [])])
  }

  selectiveScan(name: string, scan: SelectiveScan<Tensor>): Tensor {
    const channels = lastSize(scan.states)
    return selectiveScan(this, scan, {
      rates: this.#weight(`${name}.A_log`, [channels, lastSize(scan.input)]),
      skip: this.#weight(`${name}.D`, [channels]),
      bias: this.#weight(`${name}.dt_proj.bias`, [channels]),
    })
  }

  mamba2(name: string, projected: Tensor, shape: Mamba2Shape): Tensor {
    const weight = (part: string, sizes: readonly number[]) => this.#weight(`${name}.${part}`, sizes)
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
    const bias = this.#weight(`${name}.dt_bias`, [lastSize(logits)])
    return channelDecay(this, logits, { bias, rates: this.#weight(`${name}.A_log`, [heads]) })
  }

  kimiDelta(
    [query, key, value]: readonly [Tensor, Tensor, Tensor],
    { decay, beta, heads }: ChannelGates<Tensor>,
  ): Tensor {
    return kimiDelta(this, { query, key, value, decay, beta, heads })
  }

  gatedNorm(name: string, x: Tensor, gate: Tensor, size: number): Tensor {
    // transformers KimiLinearRMSNormGated: weighted and gated before it is cast back.
    const weight = this.cast(this.#weight(`${name}.weight`, [size]), 'float32')
    const weighted = this.multiply(weight, this.#unitRows(x, size, false))
    return this.cast(this.multiply(weighted, this.sigmoid(this.cast(gate, 'float32'))), x.dtype)
  }

  gatedInFloat32(x: Tensor, gate: Tensor): Tensor {
    return this.cast(this.multiply(x, this.silu(this.cast(gate, 'float32'))), x.dtype)
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

  shiftedLabels(): Tensor {
    if (!this.training) return this.labels
    const shifted = this.tensor(this.labels.shape, 'int64', [])
    this.record('shift', { reads: [this.labels], outputs: [shifted] })
    return shifted
  }

  firstToken(x: Tensor): Tensor {
    // torch: a select is a view; SelectBackward0 writes a zeroed gradient of the whole.
    const output = { ...x, shape: x.shape.slice(1), edge: this.newEdge() }
    this.record('select', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  meanOfTokens(x: Tensor): Tensor {
    // transformers ModernBertForSequenceClassification: (hidden * mask).sum(1) / mask.sum(1); the product saves the mask alone.
    const masked = this.elementwise('mul', x)
    const output = this.tensor(x.shape.slice(1), x.dtype, [masked])
    this.record('sum', { reads: [masked], outputs: [output], gradients: [{ to: masked, passes: true }] })
    return this.elementwise('div', output)
  }

  lastToken(x: Tensor): Tensor {
    const output = this.tensor(x.shape.slice(1), x.dtype, [x])
    this.record('index', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  conv2d(name: string, x: Tensor, outChannels: number, options: Convolution): Tensor {
    // torch: `convolution`: saves input and weight. cuDNN's workspace depends on the algorithm it picks and is not known here.
    const [inChannels, ...size] = image(x)
    const { kernel, stride, padding = Math.floor(kernel / 2), groups = 1 } = options
    const filter = [inChannels / groups, kernel, kernel]
    const weight = this.lowered(this.#weight(`${name}.weight`, [outChannels, ...filter]))
    const bias = options.bias ? [this.lowered(this.#weight(`${name}.bias`, [outChannels]))] : []
    const factor = this.lowered(x)
    const outputSize = size.map(pixels => Math.floor((pixels + 2 * padding - kernel) / stride) + 1)
    const output = this.tensor([outChannels, ...outputSize], factor.dtype, [factor, weight, ...bias])
    this.record(name, matrixProduct(factor, weight, bias, output, elements({ shape: filter })))
    return output
  }

  batchNorm(name: string, x: Tensor): Tensor {
    // torch: `native_batch_norm`/cuDNN: saves its input and two statistics per channel.
    const [channels] = image(x)
    const parameters = ['weight', 'bias'].map(part => this.#weight(`${name}.${part}`, [channels]))
    const statisticsBytes = channels * bytesPerElement[this.weightDtype]
    this.buffer(`${name}.running_mean`, statisticsBytes)
    this.buffer(`${name}.running_var`, statisticsBytes)
    this.buffer(`${name}.num_batches_tracked`, bytesPerElement.int64)
    const output = this.tensor(x.shape, x.dtype, [x, ...parameters])
    const statistics = this.training ? [0, 1].map(() => this.storage(channels, 'float32', false)) : []
    this.record(name, {
      reads: [x, ...parameters],
      outputs: [output],
      saves: [x],
      saved: statistics,
      gradients: [x, ...parameters].map(made),
    })
    return output
  }

  maxPool(x: Tensor, options: { kernel: number; stride: number; padding: number }): Tensor {
    // torch: `max_pool2d_with_indices`: saves its input and an int64 index per output element.
    const [channels, ...size] = image(x)
    const { kernel, stride, padding } = options
    const pooled = size.map(pixels => Math.floor((pixels + 2 * padding - kernel) / stride) + 1)
    const output = this.tensor([channels, ...pooled], x.dtype, [x])
    const indices = this.storage(elements(output), 'int64', true)
    this.record('max_pool2d', { reads: [x], outputs: [output], saves: [x], saved: [indices], gradients: [made(x)] })
    return output
  }

  globalAveragePool(x: Tensor): Tensor {
    const output = this.tensor(x.shape.slice(0, 1), x.dtype, [x])
    this.record('mean', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  channelsLast(x: Tensor): Tensor {
    const [channels, y, width] = image(x)
    return { ...x, shape: [y, width, channels] }
  }

  channelsFirst(x: Tensor): Tensor {
    const [y = 0, width = 0, channels = 0] = x.shape
    return { ...x, shape: [channels, y, width] }
  }

  flattenPixels(x: Tensor): Tensor {
    const [channels, y, width] = image(x)
    return { ...x, shape: [y * width, channels] }
  }

  prependTokens(names: readonly string[], x: Tensor): Tensor {
    // torch: `cat` of the patches and of each token expanded to the batch, a view; the gradient of that is a sum over the batch.
    const [tokens = 0, hidden = 0] = x.shape
    const learned = names.map(name => this.#weight(name, [1, hidden]))
    const [first = x] = learned
    const output = this.tensor([names.length + tokens, hidden], widest(x.dtype, first.dtype), [x, ...learned])
    const patches = { to: x, passes: output.dtype === x.dtype }
    this.record('cat', { reads: [x, ...learned], outputs: [output], gradients: [...learned.map(made), patches] })
    return output
  }

  addPositions(name: string, x: Tensor, count: number): Tensor {
    const table = this.#weight(name, [count, lastSize(x)])
    const [rows = 0] = x.shape
    return this.add(x, rows % count === 0 ? table : this.#resampled(table, x.shape))
  }

  crossEntropy(logits: Tensor): Tensor {
    if (this.spec.fusedLoss && this.spec.task === 'causal-lm') return logits
    // torch: `_log_softmax` saves its output; `nll_loss` saves it too and writes a zeroed gradient of the same size.
    // transformers loss_utils.py ForCausalLMLoss works on `logits.float()`; the other heads hand their logits on as they are.
    this.markLogits(logits)
    const perToken = this.labels.shape.length > 0
    const wide = this.spec.task === 'causal-lm' ? this.cast(logits, 'float32') : this.raised(logits)
    const logProbabilities = this.markLogits(this.elementwise('log_softmax', wide, { savesOutput: true }))
    const loss = this.tensor([], wide.dtype, [logProbabilities], { batched: false })
    this.record('nll_loss', {
      reads: [logProbabilities],
      outputs: [loss],
      saves: [logProbabilities],
      saved: perToken ? [this.storage(elements(this.labels), 'int64', true)] : [],
      gradients: [made(logProbabilities)],
    })
    return loss
  }

  /** The earlier tool's loss: the mean of the logits. */
  mean(logits: Tensor): Tensor {
    this.markLogits(logits)
    const loss = this.tensor([], logits.dtype, [logits], { batched: false })
    this.record('mean', { reads: [logits], outputs: [loss], gradients: [made(logits)] })
    return loss
  }

  local(x: Tensor): Tensor {
    this.#locals.push(x)
    return x
  }

  handOn(states: readonly Tensor[]): void {
    this.#handedOn.push(...states)
  }

  withInputGradients(x: Tensor): Tensor {
    // transformers modeling_utils.py enable_input_require_grads: a hook on the embeddings' output.
    const { lora, gradientCheckpointing } = this.spec
    const isWanted = lora !== undefined && gradientCheckpointing && this.training && this.pass === undefined
    if (!isWanted) return x
    const leaf = { ...x, requiresGrad: true, edge: this.newEdge() }
    // torch: a leaf is held by the AccumulateGrad node that its gradient goes to.
    this.record('input gradients', { reads: [x], outputs: [leaf], saves: [leaf] })
    return leaf
  }

  frame(x: Tensor, body: (x: Tensor) => Tensor): Tensor {
    const caller = this.#locals
    this.#locals = [x]
    const output = body(x)
    this.record('return', { reads: this.#locals, outputs: [] })
    this.#locals = caller
    return output
  }

  block(x: Tensor, body: (x: Tensor) => Tensor, shared: readonly Tensor[] = []): Tensor {
    this.blockInputs.push(x)
    const isRecomputed = this.spec.gradientCheckpointing && this.training && this.pass === undefined
    const { inputGradients = isRecomputed } = this.spec.trainable ?? {}
    // transformers and peft make the input require gradients (`enable_input_require_grads`), or a block over frozen weights would
    // be left out of the graph.
    const input = inputGradients && this.pass === undefined ? { ...x, requiresGrad: true } : x
    if (!isRecomputed) return this.frame(input, body)
    // torch: utils/checkpoint.py: only the block's input survives the forward pass.
    const outer = this.nodes
    const castOutside = new Map(this.castWeights)
    this.nodes = []
    this.#handedOn = []
    const output = this.frame(input, body)
    const inputs = [x, ...shared].map(tensor => tensor.storage)
    const retains = savedOnTheWayTo(this.#handedOn, this.nodes)
    const block = { ...emptyNode, reads: inputs, saves: inputs, outputs: [output], body: this.nodes, retains }
    outer.push(...(inputGradients || trainsSomething(this.nodes) ? [block] : this.nodes))
    this.nodes = outer
    // The recomputation opens an autocast context, and so a cache of cast weights, of its own.
    this.castWeights = castOutside
    return output
  }

  idle(features: number, body: (x: Tensor) => Tensor): void {
    const [nodes, known] = [this.nodes, new Set(this.parameters.keys())]
    this.nodes = []
    body(this.tensor([1, features], this.weightDtype, []))
    this.nodes = nodes
    for (const [name, parameter] of this.parameters) {
      if (known.has(name)) continue
      if (this.spec.trainsTowers && parameter.requiresGrad) this.#towers.push(parameter)
      else this.parameters.set(name, { ...parameter, requiresGrad: false })
    }
  }

  /** int64 constants that the module registers as buffers. */
  positionIds(count: number): void {
    this.buffer('position_ids', count * bytesPerElement.int64)
  }

  constant(name: string, features: number): Tensor {
    const storage = this.buffer(name, features * bytesPerElement[this.weightDtype])
    return {
      storage,
      shape: [features],
      batched: false,
      dtype: this.weightDtype,
      requiresGrad: false,
      edge: this.newEdge(),
    }
  }

  markLogits(logits: Tensor): Tensor {
    logits.storage.kind = 'logits'
    return logits
  }

  /** peft utils/other.py ModulesToSaveWrapper: a trainable copy of a module is used, and the original stays. */
  #savedWhole(name: string, shape: readonly number[], original = `${name}.weight`): Tensor | undefined {
    const isSaved = this.spec.lora?.modulesToSave?.includes(name.slice(name.lastIndexOf('.') + 1)) ?? false
    if (!isSaved || (this.pass !== undefined && this.pass.of !== 'policy')) return undefined
    this.#weight(original, shape)
    return this.parameter(`${name}.modules_to_save.default.weight`, shape, { trainable: true })
  }

  /** torchtune modules/moe/experts.py LoRAGroupedExperts: one matrix a part for all experts, and one pair of adapters. */
  #chosenExperts(name: string, rows: Tensor, count: number, inner: number): Tensor {
    const project = (part: string, input: Tensor, to: number) => {
      const product = (weight: Tensor, from: Tensor) => expertProduct(this, from, weight)
      const base = product(this.#weight(`${name}.${part}`, [count, lastSize(input), to]), input)
      const { rank } = this.spec.lora ?? {}
      if (rank === undefined || !this.#isAdapted(`${name}.${part}`)) return base
      const adapter = (pair: 'a' | 'b', from: number, onto: number) =>
        this.parameter(`${name}.lora_${part}_${pair}`, [count, from, onto], { trainable: true })
      const narrow = product(adapter('a', lastSize(input), rank), input)
      return this.add(base, this.scale(product(adapter('b', rank, to), narrow)))
    }
    const activated = this.silu(project('gate_proj', rows, inner))
    const output = project('down_proj', this.multiply(activated, project('up_proj', rows, inner)), lastSize(rows))
    return this.gathered(output)
  }

  #weight(name: string, shape: readonly number[]): Tensor {
    const trainable = this.spec.lora === undefined && this.#isTrained(name)
    return this.parameter(name, shape, { trainable, ...(!trainable && this.#frozen) })
  }

  #isTrained(name: string): boolean {
    return this.spec.trainable === undefined || this.#trainedNames.some(pattern => pattern.test(name))
  }

  /** LLaMA-Factory model/adapter.py: weights are loaded in the type that is computed in, and made float32 where they train. */
  get #frozen(): { dtype?: Dtype } {
    const isPart = this.spec.trainable !== undefined && this.pass?.of !== 'copy'
    return isPart && this.autocastDtype !== undefined ? { dtype: this.autocastDtype } : {}
  }

  #firstRows(x: Tensor, rows: number): Tensor {
    const output = { ...x, shape: [rows, ...x.shape.slice(1)], edge: this.newEdge() }
    this.record('slice', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  /**
   * bitsandbytes nn/parametrize.py: quantised parameters that are no linear layer's are dequantised whole when they are asked for,
   * and cached until their module returns. What was dequantised is what the products save.
   */
  #expertWeight(name: string, shape: readonly number[]): Tensor {
    const { quantization, quantizedExperts } = this.spec
    if (quantization === undefined || !quantizedExperts) return this.#weight(name, shape)
    const count = elements({ shape })
    const { weights, constants } = quantizedBytes(quantization, count, count / (shape.at(-1) ?? 1))
    this.buffer(name, weights)
    this.buffer(`${name}.quant_state`, constants)
    const dequantised = this.tensor(shape, this.weightDtype, [], { batched: false })
    this.record('dequantise', { reads: [], outputs: [dequantised] })
    return dequantised
  }

  #ownLinear(name: string, x: Tensor, outFeatures: number, options: LinearOptions): Tensor {
    return this.#isQuantized(name, options)
      ? this.#quantizedLinear(name, x, outFeatures, options)
      : this.#denseLinear(name, x, outFeatures, options)
  }

  #denseLinear(name: string, x: Tensor, outFeatures: number, options: LinearOptions): Tensor {
    // torch: autocast_mode.cpp cached_cast: the cast of `weight.T`, a view, is not cached.
    const cache = !options.composed
    const shape = [outFeatures, lastSize(x)]
    const original = options.tiedTo ?? `${name}.weight`
    const parameter = this.#savedWhole(name, shape, original) ?? this.#weight(original, shape)
    const bias = options.bias === false ? [] : [this.#weight(`${name}.bias`, [outFeatures])]
    const groupSize = this.#roundingGroup(name, x, options)
    const format = this.spec.fakeQuantization?.format
    if (groupSize !== undefined && format !== undefined) return fourBitProduct(this, name, x, parameter, groupSize)
    const weight =
      groupSize === undefined ? this.lowered(parameter, { cache }) : fakeQuantized(this, parameter, groupSize)
    const fused = options.composed ? [] : bias.map(part => this.lowered(part))
    const factor =
      groupSize === undefined
        ? this.lowered(options.castsInput ? this.cast(x, this.weightDtype) : x)
        : fakeQuantized(this, x, lastSize(x))
    const output = this.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, weight, ...fused])
    this.record(name, matrixProduct(factor, weight, fused, output, lastSize(x)))
    return options.composed ? bias.reduce((sum, part) => this.add(sum, part), output) : output
  }

  /** torchao's quantizers pass over tied output layers and widths that no group divides; torchtune's LoRA recipe, what is not adapted. */
  #roundingGroup(name: string, x: Tensor, { tiedTo }: LinearOptions): number | undefined {
    const { fakeQuantization, lora } = this.spec
    if (fakeQuantization === undefined || tiedTo !== undefined) return undefined
    const isMeant = lora === undefined || this.#isAdapted(name)
    return isMeant && lastSize(x) % fakeQuantization.groupSize === 0 ? fakeQuantization.groupSize : undefined
  }

  /**
   * Liger's ops/fused_linear_cross_entropy.py: computes the gradients of its input and of the weight while it goes through the
   * logits in chunks of about the input's size, and keeps those gradients instead.
   */
  #fusedLoss(name: string, x: Tensor, outFeatures: number, tiedTo: string | undefined): Tensor {
    const weight = this.#weight(tiedTo ?? `${name}.weight`, [outFeatures, lastSize(x)])
    const factor = this.lowered(x)
    const loss = this.tensor([], 'float32', [x, weight], { batched: false })
    this.record(name, {
      reads: [factor, weight],
      outputs: [loss],
      saved: [this.like(factor, 'logits'), ...(weight.requiresGrad ? [this.like(weight, 'logits')] : [])],
      scratch: [this.like(factor, 'logits'), this.storage(elements(factor), 'float32', true, 'logits')],
      gradients: [factor, weight].map(made),
      flopsPerSample: 2 * elements(x) * outFeatures,
      computeDtype: factor.dtype,
    })
    return loss
  }

  /** transformers `logits_to_keep`: a view of the last positions. */
  #asked(states: Tensor): Tensor {
    const { method } = this.spec
    const positions =
      this.pass?.sequences?.logitsOf ?? (method?.kind === 'answers' ? method.answerLength + 1 : undefined)
    const [tokens = 0] = states.shape
    if (positions === undefined || positions >= tokens) return states
    const output = { ...states, shape: [positions, lastSize(states)], edge: this.newEdge() }
    this.record('slice', { reads: [states], outputs: [output], gradients: [made(states)] })
    return output
  }

  #isOutputLayer(name: string): boolean {
    return this.spec.task === 'causal-lm' && (name === 'lm_head' || name === 'embed_out')
  }

  #routerParameters(name: string, x: Tensor, { count, hasBias }: RouterOptions): RouterParameters {
    const weight = this.#weight(`${name}.weight`, [count, lastSize(x)])
    return hasBias ? { weight, bias: this.#weight(`${name}.bias`, [count]) } : { weight }
  }

  /** bitsandbytes leaves the output layer alone; torchtune's builders, the attention of a part that has no adapters. */
  #isQuantized(name: string, { isQuantizable = false }: LinearOptions = {}): boolean {
    if (name.includes('_attn.') && !this.#isTrained(name)) return false
    return this.spec.quantization !== undefined && (isQuantizable || !this.#isOutputLayer(name)) && name !== 'score'
  }

  /**
   * bitsandbytes: autograd/_functions.py. MatMul4Bit computes in 16 bits, dequantises the matrix for each call, forward and
   * backward, and saves no input. MatMul8bitLt computes in the type of its input, which it keeps as an attribute, out of
   * checkpointing's sight; it quantises the input for an int32 product, and dequantises the matrix for the backward only.
   */
  #quantizedLinear(name: string, x: Tensor, outFeatures: number, options: LinearOptions): Tensor {
    const { quantization = 'nf4' } = this.spec
    const count = outFeatures * lastSize(x)
    const { weights, constants } = quantizedBytes(quantization, count, outFeatures)
    this.buffer(`${name}.weight`, weights)
    this.buffer(`${name}.weight.quant_state`, constants)
    const bias = options.bias === false ? [] : [this.#weight(`${name}.bias`, [outFeatures])]
    if (quantization === 'gptq') return this.#dequantisedProduct(name, x, outFeatures, bias)
    const isInt8 = quantization === 'int8'
    const factor = isInt8 ? x : this.cast(x, 'bfloat16')
    const output = this.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, ...bias])
    const dequantised = this.fixed(count * bytesPerElement[factor.dtype], 'temporaries')
    const product = this.storage(elements(factor) + elements(output) * INT32_BYTES, 'bool', true, 'temporaries')
    this.record(name, {
      reads: [factor, ...bias],
      outputs: [output],
      keeps: isInt8 ? [factor] : [],
      gradients: [factor, ...bias].map(made),
      scratch: [isInt8 ? product : dequantised],
      backwardScratch: [dequantised],
      flopsPerSample: 2 * elements(output) * lastSize(x),
    })
    return this.cast(output, x.dtype)
  }

  #isPolicy(): boolean {
    return this.pass === undefined || this.pass.of === 'policy'
  }

  /** gptqmodel nn_modules/qlinear/torch.py, its kernel for training: an ordinary product, which keeps the dequantised matrix. */
  #dequantisedProduct(name: string, x: Tensor, outFeatures: number, bias: readonly Tensor[]): Tensor {
    const factor = this.cast(x, 'bfloat16')
    const whole = this.tensor([outFeatures, lastSize(x)], factor.dtype, [], { batched: false })
    this.record('dequantise', { reads: [], outputs: [whole], scratch: [this.like(whole, 'temporaries')] })
    const output = this.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, ...bias])
    this.record(name, matrixProduct(factor, whole, bias, output, lastSize(x)))
    return this.cast(output, x.dtype)
  }

  #isAdapted(name: string): boolean {
    const module = name.slice(name.lastIndexOf('.') + 1)
    this.linearNames.add(module)
    const ofExperts = this.#expertNames
    if (ofExperts !== undefined && [...ofExperts.up, ofExperts.down, ofExperts.router].includes(module)) return false
    return this.#isPolicy() && this.#isTrained(name) && (this.spec.lora?.targets.includes(module) ?? false)
  }

  #adapted(name: string, x: Tensor, outFeatures: number, options: LinearOptions, adapters: Adapters): Tensor {
    if (adapters.form === 'oft') {
      const turned = (input: Tensor) => turnedInput(this, name, input, adapters)
      return this.frame(x, input => this.cast(this.#ownLinear(name, turned(input), outFeatures, options), x.dtype))
    }
    const base = this.#ownLinear(name, x, outFeatures, options)
    if (adapters.form === undefined) return this.frame(x, input => withLowRank(this, name, input, base, adapters))
    const weight = this.#isQuantized(name) ? undefined : this.#weight(`${name}.weight`, [outFeatures, lastSize(x)])
    const bias = options.bias === false ? undefined : this.#weight(`${name}.bias`, [outFeatures])
    return this.frame(x, input => withMagnitude(this, name, input, { base, weight, bias }, adapters))
  }

  #scaledInPlace(x: Tensor): Tensor {
    const output = { ...x, edge: this.newEdge() }
    this.record('mul_', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  #unitRows(x: Tensor, size: number, scalesInput: boolean): Tensor {
    const wide = this.cast(x, 'float32')
    const rows = [...x.shape.slice(0, -1), lastSize(x) / size]
    const squares = this.power(wide)
    const mean = this.tensor(rows, 'float32', [squares], x)
    this.record('mean', { reads: [squares], outputs: [mean], gradients: [made(squares)] })
    const scale = this.elementwise('rsqrt', mean, { savesOutput: true })
    return this.multiply(scalesInput ? x : wide, scale)
  }

  #rotated(x: Tensor, cos: Tensor, sin: Tensor): Tensor {
    const [first, second] = [this.slice(x, lastSize(x) / 2), this.slice(x, lastSize(x) / 2)]
    const turned = this.concatenate([this.elementwise('neg', second), first])
    return this.add(this.multiply(x, cos), this.multiply(turned, sin))
  }

  /** transformers' interpolate_pos_encoding: the patches' rows through `upsample_bicubic2d`, then `cat` with the special tokens'. */
  #resampled(table: Tensor, shape: readonly number[]): Tensor {
    const unbatched = { batched: false }
    const resampled = this.tensor(shape, table.dtype, [table], unbatched)
    this.record('upsample_bicubic2d', { reads: [table], outputs: [resampled], gradients: [made(table)] })
    const joined = this.tensor(shape, table.dtype, [resampled], unbatched)
    this.record('cat', { reads: [resampled], outputs: [joined], gradients: [{ to: resampled, passes: true }] })
    return joined
  }

  #batchTensor(shape: readonly number[], dtype: Dtype): Tensor {
    const tensor = this.tensor(shape, dtype, [])
    tensor.storage.kind = 'inputs'
    this.batch.push(tensor.storage)
    return tensor
  }
}

/** What autograd holds for the backward of `tensors`: the saved tensors of every node that they come from. */
function savedOnTheWayTo(tensors: readonly Tensor[], nodes: readonly Node[]): Storage[] {
  const reached = new Set(tensors.map(tensor => tensor.storage))
  return nodes.toReversed().flatMap(({ outputs, gradients, saves }) => {
    if (!outputs.some(output => reached.has(output.storage))) return []
    for (const { to } of gradients) reached.add(to.storage)
    return saves.filter(storage => !storage.persistent)
  })
}

const emptyNode: Node = {
  name: 'checkpoint',
  reads: [],
  creates: [],
  scratch: [],
  saves: [],
  keeps: [],
  outputs: [],
  gradients: [],
  backwardScratch: [],
  flopsPerSample: 0,
  computeDtype: 'float32',
}

function trainsSomething(nodes: readonly Node[]): boolean {
  return nodes.some(({ gradients }) => gradients.some(({ to }) => to.storage.persistent))
}

function image(x: Tensor): [channels: number, y: number, x: number] {
  const [channels = 0, y = 0, width = 0] = x.shape
  return [channels, y, width]
}
