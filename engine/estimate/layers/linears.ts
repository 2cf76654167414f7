/** Embeddings and linear layers: dense, quantised, with adapters, divided among GPUs, or fused with the loss. */
import type { TrainingSpec } from '../../config/spec.ts'
import type { ExpertNames } from '../../models/expert-names.ts'
import type { LinearOptions } from '../../models/ops.ts'
import { made } from '../autograd.ts'
import { type Adapters, turnedInput, withLowRank, withMagnitude } from '../kernels/adapters.ts'
import { chunkedLoss } from '../kernels/chunked-loss.ts'
import { fakeQuantized, fourBitProduct } from '../kernels/fake-quantization.ts'
import { matrixProduct } from '../kernels/matrix-product.ts'
import { dequantisationOf, quantizedBytes } from '../kernels/quantization.ts'
import { chunkedLogProbabilities } from '../objectives/strided-log-probabilities.ts'
import { bytesPerElement, elements, lastSize, type Tensor } from '../storage.ts'
import { Pointwise } from './pointwise.ts'

/** The product of two int8 matrices. */
const INT32_BYTES = 4

export class Linears extends Pointwise {
  /** Last names of the linear modules seen so far: what adapters can target. */
  readonly linearNames = new Set<string>()
  protected readonly expertNames: ExpertNames | undefined
  /** The last hidden states, once a decoder has computed its logits. */
  outputLayerInput: Tensor | undefined
  #gatheredTokens: { readonly of: Tensor; readonly whole: Tensor } | undefined

  /** `expertNames`: the targets that put adapters on the model's experts. */
  constructor(spec: TrainingSpec, device: { hasFlash: boolean }, expertNames?: ExpertNames) {
    super(spec, device)
    this.expertNames = expertNames
  }

  embedding(name: string, ids: Tensor, count: number, features: number): Tensor {
    // torch: derivatives.yaml `embedding`: saves the indices; embedding_dense_backward writes a gradient of the whole table.
    const { gpus = 1, dividesTokens = false } = this.spec.tensorParallel ?? {}
    const shape = [dividesTokens ? count / gpus : count, features]
    const table = this.savedWhole(name, shape) ?? this.weight(`${name}.weight`, shape)
    const output = this.tensor([...ids.shape, features], table.dtype, [table], ids)
    this.record(name, { reads: [ids], outputs: [output], saves: [ids], gradients: [made(table)], kernel: 'look-up' })
    return ids === this.batchInput ? this.#ownTokens(this.#amongWords(output)) : output
  }

  /** transformers: `masked_scatter` of the towers' outputs into the embeddings, through which their weights' gradients flow. */
  #amongWords(words: Tensor): Tensor {
    const towers = this.towers
    if (towers.length === 0) return words
    this.towers = []
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
    // transformers' _tp_plan: the output layer's rows are divided among GPUs, and its results are gathered.
    const isDivided = this.#isOutputLayer(name) && options.tiedTo === undefined
    const outFeatures = features / (isDivided ? (this.spec.tensorParallel?.gpus ?? 1) : 1)
    const isSum = /(?:o_proj|down_proj)$/.test(name)
    const output = this.#linearPart(name, isSum ? states : this.#allTokens(states), outFeatures, options)
    if (isSum) return this.#ownTokens(output)
    return outFeatures === features || this.spec.fusedLoss
      ? output
      : this.#exchanged('all_gather', output, [...output.shape.slice(0, -1), features])
  }

  /** Tokens whose residuals this GPU holds. */
  get #heldTokens(): number {
    const [tokens = 1] = this.input.shape
    const { gpus = 1, dividesTokens = false } = this.spec.tensorParallel ?? {}
    return dividesTokens ? Math.ceil(tokens / gpus) : tokens
  }

  /** torch: distributed/tensor/parallel/style.py PrepareModuleInput: a module's layers share the gathered input. */
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

  /** All-gather or reduce-scatter into a new tensor; its gradient goes through the opposite operation. */
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
        this.weight(options.tiedTo ?? `${name}.weight`, [outFeatures, lastSize(x)]),
      )
    }
    const { chunkedLoss: chunks } = this.spec
    if (chunks !== undefined && this.#isOutputLayer(name) && this.pass === undefined) {
      return chunkedLoss(
        this,
        name,
        x,
        this.weight(options.tiedTo ?? `${name}.weight`, [outFeatures, lastSize(x)]),
        chunks,
      )
    }
    if (this.spec.fusedLoss && this.#isOutputLayer(name)) return this.#fusedLoss(name, x, outFeatures, options.tiedTo)
    const { lora } = this.spec
    return lora !== undefined && this.isAdapted(name)
      ? this.#adapted(name, x, outFeatures, options, lora)
      : this.#ownLinear(name, x, outFeatures, options)
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
    const parameter = this.savedWhole(name, shape, original) ?? this.weight(original, shape)
    const bias = options.bias === false ? [] : [this.weight(`${name}.bias`, [outFeatures])]
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

  /** torchao's quantizers skip tied output layers and widths that are not a multiple of the group; torchtune's LoRA recipe skips layers without adapters. */
  #roundingGroup(name: string, x: Tensor, { tiedTo }: LinearOptions): number | undefined {
    const { fakeQuantization, lora } = this.spec
    if (fakeQuantization === undefined || tiedTo !== undefined) return undefined
    const isMeant = lora === undefined || this.isAdapted(name)
    return isMeant && lastSize(x) % fakeQuantization.groupSize === 0 ? fakeQuantization.groupSize : undefined
  }

  /**
   * Liger's ops/fused_linear_cross_entropy.py: computes the gradients of its input and of the weight while it goes through the
   * logits in chunks of about the input's size, and keeps those gradients instead.
   */
  #fusedLoss(name: string, x: Tensor, outFeatures: number, tiedTo: string | undefined): Tensor {
    const weight = this.weight(tiedTo ?? `${name}.weight`, [outFeatures, lastSize(x)])
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

  /** bitsandbytes skips the output layer; torchtune's builders skip the attention of a part without adapters. */
  #isQuantized(name: string, { isQuantizable = false }: LinearOptions = {}): boolean {
    if (name.includes('_attn.') && !this.isTrained(name)) return false
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
    const bias = options.bias === false ? [] : [this.weight(`${name}.bias`, [outFeatures])]
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
      dequantises: dequantisationOf(quantization, count),
    })
    return this.cast(output, x.dtype)
  }

  /** gptqmodel nn_modules/qlinear/torch.py, its kernel for training: an ordinary product, which keeps the dequantised matrix. */
  #dequantisedProduct(name: string, x: Tensor, outFeatures: number, bias: readonly Tensor[]): Tensor {
    const factor = this.cast(x, 'bfloat16')
    const whole = this.tensor([outFeatures, lastSize(x)], factor.dtype, [], { batched: false })
    this.record('dequantise', {
      reads: [],
      outputs: [whole],
      scratch: [this.like(whole, 'temporaries')],
      dequantises: dequantisationOf('gptq', elements(whole)),
    })
    const output = this.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, ...bias])
    this.record(name, matrixProduct(factor, whole, bias, output, lastSize(x)))
    return this.cast(output, x.dtype)
  }

  protected isAdapted(name: string): boolean {
    const module = name.slice(name.lastIndexOf('.') + 1)
    this.linearNames.add(module)
    const ofExperts = this.expertNames
    if (ofExperts !== undefined && [...ofExperts.up, ofExperts.down, ofExperts.router].includes(module)) return false
    return this.isPolicy() && this.isTrained(name) && (this.spec.lora?.targets.includes(module) ?? false)
  }

  #adapted(name: string, x: Tensor, outFeatures: number, options: LinearOptions, adapters: Adapters): Tensor {
    if (adapters.form === 'oft') {
      const turned = (input: Tensor) => turnedInput(this, name, input, adapters)
      return this.frame(x, input => this.cast(this.#ownLinear(name, turned(input), outFeatures, options), x.dtype))
    }
    const base = this.#ownLinear(name, x, outFeatures, options)
    if (adapters.form === undefined) return this.frame(x, input => withLowRank(this, name, input, base, adapters))
    const weight = this.#isQuantized(name) ? undefined : this.weight(`${name}.weight`, [outFeatures, lastSize(x)])
    const bias = options.bias === false ? undefined : this.weight(`${name}.bias`, [outFeatures])
    return this.frame(x, input => withMagnitude(this, name, input, { base, weight, bias }, adapters))
  }
}
