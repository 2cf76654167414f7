/**
 * The tape: runs a model over sizes instead of numbers and records, op by op, what PyTorch's autograd saves for the backward
 * pass and what each kernel allocates. `timeline.ts` replays the record as allocations and releases.
 *
 * Each op states its rule and, as `torch:`, the place in PyTorch that decides it (paths of the 2.13 sources).
 */
import type { TrainingSpec } from '../config/spec.ts'
import type { Ops } from '../models/ops.ts'
import { type ByteKind, bytesPerElement, type Dtype, elements, lastSize, type Storage, type Tensor } from './storage.ts'

/** How a gradient reaches an input: as a tensor of its own, or as the very gradient of the output (`add`). */
export interface GradientEdge {
  readonly to: Tensor
  readonly passes: boolean
}

/** One autograd node with its kernel. */
export interface Node {
  readonly name: string
  readonly reads: readonly Storage[]
  /** Allocated by the op and alive after it. */
  readonly creates: readonly Storage[]
  /** Alive only while the kernel runs. */
  readonly scratch: readonly Storage[]
  /** Kept for the node's backward. */
  readonly saves: readonly Storage[]
  readonly outputs: readonly Tensor[]
  readonly gradients: readonly GradientEdge[]
  readonly backwardScratch: readonly Storage[]
  /** Multiply-adds count twice. Zero for what only moves memory. */
  readonly flopsPerSample: number
  readonly computeDtype: Dtype
  /** A checkpointed block: its nodes run without saving, and again in the backward pass. */
  readonly body?: readonly Node[]
}

interface NodeOptions {
  readonly reads: readonly Tensor[]
  readonly outputs: readonly Tensor[]
  readonly saves?: readonly Tensor[]
  readonly saved?: readonly Storage[]
  readonly scratch?: readonly Storage[]
  readonly gradients?: readonly GradientEdge[]
  readonly backwardScratch?: readonly Storage[]
  readonly flopsPerSample?: number
}

const weightDtypes: Record<TrainingSpec['precision'], Dtype> = {
  fp32: 'float32',
  bf16: 'bfloat16',
  'amp-bf16': 'float32',
  'amp-fp16': 'float32',
}

export class Tape implements Ops<Tensor> {
  readonly input: Tensor
  readonly labels: Tensor
  readonly parameters = new Map<string, Tensor>()
  /** Storages that live as long as the model beside its parameters: running statistics, position ids. */
  readonly buffers: Storage[] = []
  /** The batch's own tensors, which the training loop holds through the step. */
  readonly batch: Storage[] = []
  /** Tensors that Python code still references while the backward pass runs. */
  readonly held: Storage[] = []
  nodes: Node[] = []

  readonly #spec: TrainingSpec
  readonly #weightDtype: Dtype
  readonly #autocastDtype: Dtype | undefined
  readonly #training: boolean
  #castWeights = new Map<Tensor, Tensor>()
  /** Tensors that local variables of the running block reference. */
  #locals: Tensor[] = []
  #edges = 0
  #storages = 0

  constructor(spec: TrainingSpec) {
    this.#spec = spec
    this.#weightDtype = weightDtypes[spec.precision]
    this.#autocastDtype =
      spec.precision === 'amp-bf16' ? 'bfloat16' : spec.precision === 'amp-fp16' ? 'float16' : undefined
    this.#training = spec.step === 'training'
    const isImage = spec.task === 'image-classification'
    const imageSize = spec.imageSize ?? 0
    const inputShape = isImage ? [3, imageSize, imageSize] : [spec.sequenceLength ?? 0]
    const perToken = spec.task === 'causal-lm' || spec.task === 'masked-lm'
    this.input = this.#batchTensor(inputShape, isImage ? this.#weightDtype : 'int64')
    this.labels = this.#batchTensor(perToken ? inputShape : [], 'int64')
    if (spec.paddedBatches && !isImage) this.#batchTensor(inputShape, 'int64')
  }

  embedding(name: string, ids: Tensor, count: number, features: number): Tensor {
    // torch: derivatives.yaml `embedding`: saves the indices; embedding_dense_backward writes a gradient of the whole table.
    const table = this.parameter(`${name}.weight`, [count, features])
    const output = this.#tensor([...ids.shape, features], table.dtype, true)
    this.#node(name, { reads: [ids], outputs: [output], saves: [ids], gradients: [made(table)] })
    return output
  }

  constantEmbedding(name: string, count: number, features: number, rows: number): Tensor {
    const table = this.parameter(`${name}.weight`, [count, features])
    const ids = this.#tensor([rows], 'int64', false, { batched: false })
    const output = this.#tensor([rows, features], table.dtype, true, { batched: false })
    this.#node(name, { reads: [], outputs: [ids] })
    this.#node(name, { reads: [ids], outputs: [output], saves: [ids], gradients: [made(table)] })
    return output
  }

  linear(name: string, x: Tensor, outFeatures: number, options: { bias?: boolean; tiedTo?: string } = {}): Tensor {
    // torch: `addmm`/`mm`: saves both factors; the bias gradient is a sum over rows.
    const inFeatures = lastSize(x)
    const weight = this.#lowered(this.parameter(options.tiedTo ?? `${name}.weight`, [outFeatures, inFeatures]))
    const bias = options.bias === false ? [] : [this.#lowered(this.parameter(`${name}.bias`, [outFeatures]))]
    const factor = this.#lowered(x)
    const output = this.#tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, true)
    this.#node(name, {
      reads: [factor, weight, ...bias],
      outputs: [output],
      saves: [factor, weight],
      gradients: [factor, weight, ...bias].map(made),
      flopsPerSample: 2 * elements(output) * inFeatures,
    })
    return output
  }

  layerNorm(name: string, x: Tensor): Tensor {
    // torch: `native_layer_norm`: saves its input and a mean and a reciprocal deviation per row, in float32.
    const parameters = ['weight', 'bias'].map(part => this.parameter(`${name}.${part}`, [lastSize(x)]))
    const wide = this.#autocastDtype === undefined ? x : this.#cast(x, 'float32')
    const output = this.#tensor(wide.shape, wide.dtype, true)
    const rows = elements(wide) / lastSize(wide)
    const statistics = [this.#storage(rows, 'float32', wide.batched), this.#storage(rows, 'float32', wide.batched)]
    this.#node(name, {
      reads: [wide, ...parameters],
      outputs: [output],
      saves: [wide],
      saved: statistics,
      gradients: [wide, ...parameters].map(made),
    })
    return output
  }

  add(x: Tensor, y: Tensor, options: { inPlace?: boolean } = {}): Tensor {
    // torch: AddBackward0 hands its gradient on; only a broadcast or differently typed side gets a reduced or cast copy.
    const dtype = widest(x.dtype, y.dtype)
    const output = options.inPlace
      ? { ...x, requiresGrad: true }
      : this.#tensor(x.batched ? x.shape : y.shape, dtype, x.requiresGrad || y.requiresGrad, {
          batched: x.batched || y.batched,
        })
    this.#locals.push(x, y)
    const same = (side: Tensor) => side.batched === output.batched && side.dtype === output.dtype
    this.#node('add', {
      reads: [x, y],
      outputs: [output],
      gradients: [x, y].map(side => ({ to: side, passes: same(side) })),
    })
    return output
  }

  gelu(x: Tensor): Tensor {
    return this.#elementwise('gelu', x, { saves: [x] })
  }

  geluNew(x: Tensor): Tensor {
    // transformers activations.py NewGELUActivation: 0.5 * x * (1 + tanh(√(2/π) * (x + 0.044715 * pow(x, 3))))
    const half = this.#elementwise('mul', x)
    const cubed = this.#power(this.#autocastDtype === undefined ? x : this.#cast(x, 'float32'))
    const inner = this.#elementwise('mul', this.add(x, this.#elementwise('mul', cubed)))
    const gate = this.#elementwise('add', this.tanh(inner))
    return this.#product(half, gate)
  }

  tanh(x: Tensor): Tensor {
    return this.#elementwise('tanh', x, { savesOutput: true })
  }

  relu(x: Tensor, options: { inPlace?: boolean } = {}): Tensor {
    if (!options.inPlace) return this.#elementwise('relu', x, { savesOutput: true })
    const output = { ...x }
    this.#node('relu', { reads: [x], outputs: [output], saves: [output], gradients: [made(x)] })
    return output
  }

  dropout(x: Tensor, probability: number): Tensor {
    // torch: native/Dropout.cpp: on CUDA `native_dropout`, which saves a one-byte mask.
    if (!this.#training || probability === 0) return x
    const mask = this.#storage(elements(x), 'bool', x.batched)
    const output = this.#tensor(x.shape, x.dtype, x.requiresGrad, x)
    this.#node('dropout', { reads: [x], outputs: [output], saved: [mask], gradients: [made(x)] })
    return output
  }

  split(x: Tensor, parts: number): Tensor[] {
    // torch: `split` gives views; SplitBackward0 concatenates their gradients into one tensor.
    const shape = [...x.shape.slice(0, -1), lastSize(x) / parts]
    const outputs = Array.from({ length: parts }, () => ({ ...x, shape, edge: this.#newEdge() }))
    this.#node('split', { reads: [x], outputs, gradients: [made(x)] })
    return outputs
  }

  cached(x: Tensor): Tensor {
    // transformers cache_utils.py DynamicLayer.update: torch.cat of an empty tensor and the states, kept by the outputs.
    if (this.#spec.loop === 'trainer' || this.#spec.gradientCheckpointing) return x
    const output = this.#tensor(x.shape, x.dtype, x.requiresGrad)
    this.held.push(output.storage)
    this.#node('cat', { reads: [x], outputs: [output], gradients: [{ to: x, passes: true }] })
    return output
  }

  attention(q: Tensor, k: Tensor, v: Tensor, options: { heads: number; causal: boolean; dropout: number }): Tensor {
    return this.#spec.attention === 'eager'
      ? this.#eagerAttention(q, k, v, options)
      : this.#fusedAttention(q, k, v, options)
  }

  firstToken(x: Tensor): Tensor {
    // torch: a select is a view; SelectBackward0 writes a zeroed gradient of the whole.
    const output = { ...x, shape: x.shape.slice(1), edge: this.#newEdge() }
    this.#node('select', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  lastToken(x: Tensor): Tensor {
    const output = this.#tensor(x.shape.slice(1), x.dtype, x.requiresGrad)
    this.#node('index', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  conv2d(name: string, x: Tensor, outChannels: number, options: { kernel: number; stride: number }): Tensor {
    // torch: `convolution`: saves input and weight. cuDNN's workspace depends on the algorithm it picks and is not known here.
    const [inChannels, y, width] = image(x)
    const { kernel, stride } = options
    const weight = this.#lowered(this.parameter(`${name}.weight`, [outChannels, inChannels, kernel, kernel]))
    const factor = this.#lowered(x)
    const outputSize = [y, width].map(size => Math.floor((size + 2 * Math.floor(kernel / 2) - kernel) / stride) + 1)
    const output = this.#tensor([outChannels, ...outputSize], factor.dtype, true)
    this.#node(name, {
      reads: [factor, weight],
      outputs: [output],
      saves: [factor, weight],
      gradients: [factor, weight].map(made),
      flopsPerSample: 2 * elements(output) * inChannels * kernel * kernel,
    })
    return output
  }

  batchNorm(name: string, x: Tensor): Tensor {
    // torch: `native_batch_norm`/cuDNN: saves its input and two statistics per channel.
    const [channels] = image(x)
    const parameters = ['weight', 'bias'].map(part => this.parameter(`${name}.${part}`, [channels]))
    this.buffers.push(
      ...['running_mean', 'running_var'].map(() => this.#persistent(channels, this.#weightDtype)),
      this.#persistent(1, 'int64'),
    )
    const output = this.#tensor(x.shape, x.dtype, true)
    const statistics = this.#training
      ? [this.#storage(channels, 'float32', false), this.#storage(channels, 'float32', false)]
      : []
    this.#node(name, {
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
    const output = this.#tensor([channels, ...pooled], x.dtype, x.requiresGrad)
    const indices = this.#storage(elements(output), 'int64', true)
    this.#node('max_pool2d', { reads: [x], outputs: [output], saves: [x], saved: [indices], gradients: [made(x)] })
    return output
  }

  globalAveragePool(x: Tensor): Tensor {
    const output = this.#tensor(x.shape.slice(0, 1), x.dtype, x.requiresGrad)
    this.#node('mean', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  crossEntropy(logits: Tensor): Tensor {
    // torch: `_log_softmax` saves its output; `nll_loss` saves it too and writes a zeroed gradient of the same size.
    // transformers loss_utils.py ForCausalLMLoss works on `logits.float()`; the other heads hand their logits on as they are.
    this.markLogits(logits)
    const perToken = this.labels.shape.length > 0
    const upcasts = this.#spec.task === 'causal-lm' || this.#autocastDtype !== undefined
    const wide = upcasts ? this.#cast(logits, 'float32') : logits
    const logProbabilities = this.#logits(wide)
    const loss = this.#tensor([], wide.dtype, true, { batched: false })
    this.#node('log_softmax', {
      reads: [wide],
      outputs: [logProbabilities],
      saves: [logProbabilities],
      gradients: [made(wide)],
    })
    this.#node('nll_loss', {
      reads: [logProbabilities],
      outputs: [loss],
      saves: [logProbabilities],
      saved: perToken ? [this.#storage(elements(this.labels), 'int64', true)] : [],
      gradients: [made(logProbabilities)],
    })
    return loss
  }

  /** The earlier tool's loss: the mean of the logits. */
  mean(logits: Tensor): Tensor {
    this.markLogits(logits)
    const loss = this.#tensor([], logits.dtype, true, { batched: false })
    this.#node('mean', { reads: [logits], outputs: [loss], gradients: [made(logits)] })
    return loss
  }

  block(x: Tensor, body: (x: Tensor) => Tensor): Tensor {
    this.#locals = [x]
    if (!this.#spec.gradientCheckpointing || !this.#training) return this.#returned(body(x))
    // torch: utils/checkpoint.py: only the block's input survives the forward pass.
    const outer = this.nodes
    const castOutside = new Map(this.#castWeights)
    this.nodes = []
    const output = this.#returned(body(x))
    const node = { ...emptyNode('checkpoint'), reads: [x.storage], saves: [x.storage], outputs: [output] }
    outer.push({ ...node, body: this.nodes })
    this.nodes = outer
    // The recomputation opens an autocast context, and so a cache of cast weights, of its own.
    this.#castWeights = castOutside
    return output
  }

  parameter(name: string, shape: readonly number[]): Tensor {
    const known = this.parameters.get(name)
    if (known !== undefined) return known
    const count = shape.reduce((product, size) => product * size, 1)
    const storage = this.#persistent(count, this.#weightDtype)
    const parameter: Tensor = {
      storage,
      shape,
      batched: false,
      dtype: this.#weightDtype,
      requiresGrad: true,
      edge: this.#newEdge(),
    }
    this.parameters.set(name, parameter)
    return parameter
  }

  positionIds(count: number): void {
    this.buffers.push(this.#persistent(count, 'int64'))
  }

  /** A new storage of a tensor's size: its gradient, its optimizer state, a temporary. */
  like(tensor: Tensor, kind: ByteKind): Storage {
    return this.#newStorage(elements(tensor) * bytesPerElement[tensor.dtype], tensor.batched, kind, false)
  }

  markLogits(logits: Tensor): void {
    logits.storage.kind = 'logits'
  }

  #fusedAttention(q: Tensor, k: Tensor, v: Tensor, options: { heads: number; dropout: number }): Tensor {
    // torch: transformers/cuda/attention.cu: flash for 16-bit types without a mask, the memory-efficient kernel otherwise.
    // Both save q, k, v, the output, a float32 log-sum-exp per row (padded to 32 rows by the latter) and a seed; never s².
    const [query, key, value] = [q, k, v].map(tensor => this.#lowered(tensor)) as [Tensor, Tensor, Tensor]
    const [tokens = 0] = query.shape
    const flash = query.dtype !== 'float32' && !this.#spec.paddedBatches
    const output = this.#tensor(query.shape, query.dtype, true)
    const rows = flash ? tokens : Math.ceil(tokens / 32) * 32
    const logSumExp = this.#storage(options.heads * rows, 'float32', true)
    const mask = this.#spec.paddedBatches ? [this.#storage(tokens * Math.ceil(tokens / 8) * 8, query.dtype, true)] : []
    this.#node('attention', {
      reads: [query, key, value],
      outputs: [output],
      saves: [query, key, value, output],
      saved: [logSumExp, ...mask],
      gradients: [query, key, value].map(made),
      flopsPerSample: 4 * elements(query) * tokens,
    })
    return output
  }

  #eagerAttention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    options: { heads: number; causal: boolean; dropout: number },
  ): Tensor {
    // torch: matmul of 4-d views copies its factors into contiguous 3-d ones (native/LinearAlgebra.cpp) and saves the copies.
    const [tokens = 0] = q.shape
    const scoreShape = [options.heads, tokens, tokens]
    const scores = this.#batchMatmul(this.#headsFirst(q), this.#headsFirst(k), scoreShape)
    const scaled = this.#elementwise('mul', scores)
    const masked = options.causal || this.#spec.paddedBatches ? this.#elementwise('add', scaled) : scaled
    const wide = this.#autocastDtype === undefined ? masked : this.#cast(masked, 'float32')
    const weights = this.#elementwise('softmax', wide, { savesOutput: true })
    const lowered = options.causal ? this.#cast(weights, this.#autocastDtype ?? q.dtype) : weights
    const dropped = this.dropout(lowered, options.dropout)
    // The caller's frame keeps the attention weights that come back beside the output.
    this.#locals.push(dropped)
    return this.#elementwise('clone', this.#batchMatmul(dropped, this.#headsFirst(v), q.shape))
  }

  #batchMatmul(x: Tensor, y: Tensor, shape: readonly number[]): Tensor {
    const [left, right] = [this.#lowered(x), this.#lowered(y)]
    const output = this.#tensor(shape, left.dtype, true)
    const inner = elements(left) * elements(right)
    this.#node('bmm', {
      reads: [left, right],
      outputs: [output],
      saves: [left, right],
      gradients: [left, right].map(made),
      // [.., m, k] × [.., k, n]: m·k · k·n · m·n = (m·k·n)²; heads cancel since all three carry them.
      flopsPerSample: 2 * Math.sqrt((inner / (left.shape[0] ?? 1)) * elements(output)),
    })
    return output
  }

  /** [b, s, h] as contiguous [b·heads, s, h/heads]; the cache's concatenation has made it so already. */
  #headsFirst(x: Tensor): Tensor {
    return this.held.includes(x.storage) ? x : this.#elementwise('clone', x)
  }

  #elementwise(name: string, x: Tensor, options: { saves?: Tensor[]; savesOutput?: boolean } = {}): Tensor {
    const output = this.#tensor(x.shape, x.dtype, x.requiresGrad, x)
    const saves = [...(options.saves ?? []), ...(options.savesOutput ? [output] : [])]
    this.#node(name, { reads: [x], outputs: [output], saves, gradients: [made(x)] })
    return output
  }

  /** The end of a block's Python frame. */
  #returned(output: Tensor): Tensor {
    this.#node('return', { reads: this.#locals, outputs: [] })
    this.#locals = []
    return output
  }

  #power(x: Tensor): Tensor {
    // torch: FunctionsManual.cpp pow_backward: grad * (exponent * self.pow(exponent - 1)): two temporaries.
    const output = this.#tensor(x.shape, x.dtype, true)
    const backwardScratch = [0, 1].map(() => this.#storage(elements(x), x.dtype, x.batched, 'temporaries'))
    this.#node('pow', { reads: [x], outputs: [output], saves: [x], gradients: [made(x)], backwardScratch })
    return output
  }

  #product(x: Tensor, y: Tensor): Tensor {
    const output = this.#tensor(x.shape, widest(x.dtype, y.dtype), true)
    this.#node('mul', { reads: [x, y], outputs: [output], saves: [x, y], gradients: [x, y].map(made) })
    return output
  }

  /** Under autocast, what matrix products read: weights are cast once a forward pass, activations each time. */
  #lowered(x: Tensor): Tensor {
    if (this.#autocastDtype === undefined || x.dtype !== 'float32') return x
    const isParameter = x.storage.persistent
    const known = isParameter ? this.#castWeights.get(x) : undefined
    if (known !== undefined) return known
    const cast = this.#cast(x, this.#autocastDtype)
    if (isParameter) {
      cast.storage.kind = 'weights'
      this.#castWeights.set(x, cast)
    }
    return cast
  }

  #cast(x: Tensor, dtype: Dtype): Tensor {
    if (x.dtype === dtype) return x
    const output = this.#tensor(x.shape, dtype, x.requiresGrad, x)
    if (x.storage.kind === 'logits') this.markLogits(output)
    this.#node('to', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  #logits(like: Tensor): Tensor {
    const output = this.#tensor(like.shape, like.dtype, true)
    this.markLogits(output)
    return output
  }

  #batchTensor(shape: readonly number[], dtype: Dtype): Tensor {
    const tensor = this.#tensor(shape, dtype, false)
    tensor.storage.kind = 'inputs'
    this.batch.push(tensor.storage)
    return tensor
  }

  #tensor(
    shape: readonly number[],
    dtype: Dtype,
    requiresGrad: boolean,
    { batched }: { batched: boolean } = { batched: true },
  ): Tensor {
    const storage = this.#storage(elements({ shape }), dtype, batched)
    return { storage, shape, batched, dtype, requiresGrad, edge: this.#newEdge() }
  }

  #storage(count: number, dtype: Dtype, batched: boolean, kind: ByteKind = 'activations'): Storage {
    return this.#newStorage(count * bytesPerElement[dtype], batched, kind, false)
  }

  #persistent(count: number, dtype: Dtype): Storage {
    return this.#newStorage(count * bytesPerElement[dtype], false, 'weights', true)
  }

  #newEdge(): number {
    return this.#edges++
  }

  #newStorage(bytes: number, batched: boolean, kind: ByteKind, persistent: boolean): Storage {
    const [fixedBytes, bytesPerSample] = batched ? [0, bytes] : [bytes, 0]
    return { id: this.#storages++, fixedBytes, bytesPerSample, kind, persistent }
  }

  #node(name: string, options: NodeOptions): void {
    const { outputs, saves = [], saved = [], gradients = [], scratch = [], backwardScratch = [] } = options
    const readStorages = options.reads.map(tensor => tensor.storage)
    this.nodes.push({
      name,
      reads: readStorages,
      creates: [...outputs.map(tensor => tensor.storage).filter(storage => !readStorages.includes(storage)), ...saved],
      scratch,
      saves: [...saves.map(tensor => tensor.storage), ...saved],
      outputs,
      gradients: gradients.filter(edge => edge.to.requiresGrad),
      backwardScratch,
      flopsPerSample: options.flopsPerSample ?? 0,
      computeDtype: outputs[0]?.dtype ?? 'float32',
    })
  }
}

function emptyNode(name: string): Node {
  return {
    name,
    reads: [],
    creates: [],
    scratch: [],
    saves: [],
    outputs: [],
    gradients: [],
    backwardScratch: [],
    flopsPerSample: 0,
    computeDtype: 'float32',
  }
}

function made(to: Tensor): GradientEdge {
  return { to, passes: false }
}

function widest(x: Dtype, y: Dtype): Dtype {
  return x === 'float32' || y === 'float32' ? 'float32' : x
}

function image(x: Tensor): [channels: number, y: number, x: number] {
  const [channels = 0, y = 0, width = 0] = x.shape
  return [channels, y, width]
}
