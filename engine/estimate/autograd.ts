/**
 * Records what PyTorch's autograd does, with sizes instead of values: each primitive op with the storages that it reads,
 * allocates and saves for its backward pass. The tape composes layers from these; `timeline.ts` replays the record.
 *
 * `torch:` names the place in PyTorch that decides a rule (paths of the 2.13 sources).
 */
import { isOfImages, sequencesPerSample, type TrainingSpec } from '../config/spec.ts'
import type { KeyValueCache } from './kernels/key-value-cache.ts'
import type { Turn } from './repetition.ts'
import { type ByteKind, bytesPerElement, type Dtype, elements, type Storage, type Tensor } from './storage.ts'

/** How a gradient reaches an input: as its own tensor, or as the output's gradient itself (`add`). */
export interface GradientEdge {
  readonly to: Tensor
  readonly passes: boolean
}

export type KernelName =
  | 'convolution'
  | 'depthwise'
  | 'flash-attention'
  | 'efficient-attention'
  | 'batch-norm'
  | 'look-up'

/** What unpacking a quantised matrix costs before a product can read it. */
export interface Dequantisation {
  readonly elements: number
  /** Before the forward and before the backward product. */
  readonly forward: Unpacking
  readonly backward: Unpacking
}

export interface Unpacking {
  /** Read and written for one element, the product's own reading of the result included. */
  readonly bytesPerElement: number
  /** Kernels that go through every element, and others that only have to be launched. */
  readonly kernels: number
  readonly smallKernels: number
}

/** One autograd node with its kernel. */
export interface Node {
  readonly name: string
  readonly reads: readonly Storage[]
  /** Allocated by the op and alive after it. */
  readonly creates: readonly Storage[]
  /** Alive only while the kernel runs, forward and again backward. */
  readonly scratch: readonly Storage[]
  /** Kept for the node's backward. */
  readonly saves: readonly Storage[]
  /** Kept by the node itself for its backward pass, invisible to checkpointing. */
  readonly keeps: readonly Storage[]
  readonly outputs: readonly Tensor[]
  readonly gradients: readonly GradientEdge[]
  readonly backwardScratch: readonly Storage[]
  /** Multiply-adds count as two. Zero for ops that only move memory. */
  readonly flopsPerSample: number
  readonly computeDtype: Dtype
  /** Where the kind of kernel decides how fast it runs; otherwise a matrix product, or elementwise. */
  readonly kernel?: KernelName | undefined
  /** Of fused attention: what a query sees. */
  readonly attendedTokens?: number | undefined
  /** The weights that the op reads are quantised. */
  readonly dequantises?: Dequantisation | undefined
  /** A checkpointed block: its nodes run without saving anything, and run again in the backward pass. */
  readonly body?: readonly Node[]
  /** Of a checkpointed block. */
  readonly input?: Tensor
  /** In a checkpointed block: recomputed, then kept until the backward pass has finished every block. */
  readonly retains?: readonly Storage[]
  /** Of layers that repeat. */
  readonly turn?: Turn | undefined
}

export interface Recorded {
  readonly reads: readonly Tensor[]
  readonly outputs: readonly Tensor[]
  readonly saves?: readonly Tensor[]
  readonly saved?: readonly Storage[]
  readonly keeps?: readonly Tensor[]
  readonly gradients?: readonly GradientEdge[]
  readonly scratch?: readonly Storage[]
  readonly backwardScratch?: readonly Storage[]
  readonly flopsPerSample?: number
  /** The output's by default. */
  readonly computeDtype?: Dtype
  readonly kernel?: KernelName
  readonly attendedTokens?: number
  readonly dequantises?: Dequantisation
}

/** Before the names of a second model's parameters. */
export const REFERENCE = 'reference.'

/** A forward pass that no backward pass follows. */
export interface PassWithoutGradients {
  /** Which weights: the trained ones, the same with adapters disabled, or a frozen copy. */
  readonly of: 'policy' | 'adapters-off' | 'copy'
  /** For a copy's weights, if it differs from the policy's. */
  readonly dtype?: Dtype | undefined
  /** Absent for the batch's. */
  readonly sequences?: OtherSequences
}

/** Sequences that are not the batch's. */
export interface OtherSequences {
  /** A lower bound; more if the batch has more samples. */
  readonly count?: number
  /** For every sample, where not one. */
  readonly perSample?: number
  readonly tokens: number
  /** Positions at their ends for which logits are computed. */
  readonly logitsOf: number
  /** The cached keys and values of earlier tokens. */
  readonly cache?: KeyValueCache
  /** The attention kernel and whether it gets a mask, if they differ from the spec's. */
  readonly attention?: { readonly kernel: TrainingSpec['attention']; readonly isMasked: boolean }
}

const weightDtypes: Record<TrainingSpec['precision'], Dtype> = {
  fp32: 'float32',
  tf32: 'float32',
  bf16: 'bfloat16',
  'bf16-master': 'bfloat16',
  'amp-bf16': 'float32',
  'amp-fp16': 'float32',
}
const autocastDtypes: Partial<Record<TrainingSpec['precision'], Dtype>> = {
  'amp-bf16': 'bfloat16',
  'amp-fp16': 'float16',
}

/** Most operations have most of their lists empty, and one list serves them all. */
const NONE: readonly never[] = []

export class Autograd {
  readonly parameters = new Map<string, Tensor>()
  /** In the order in which they were made. */
  protected readonly parameterNames: string[] = []
  /** Storages that live as long as the model beside its parameters: running statistics, position ids. */
  readonly buffers: Storage[] = []
  /** The same, but neither sharded nor offloaded. */
  readonly wholeBuffers: Storage[] = []
  /** The batch's own tensors, which the training loop holds during the step. */
  readonly batch: Storage[] = []
  /** Tensors that the model's outputs reference: the key/value cache. */
  readonly held: Storage[] = []
  /** Tensors laid out head by head, [b, heads, s, size], rather than token by token. */
  readonly headsFirst = new Set<Storage>()
  nodes: Node[] = []
  /** The turn of repeating layers that is recorded or played right now. */
  turn: Turn | undefined

  readonly spec: TrainingSpec
  readonly weightDtype: Dtype
  readonly autocastDtype: Dtype | undefined
  readonly training: boolean
  /** Whether batches carry a mask of padded tokens; images never do. */
  readonly #isPadded: boolean
  readonly hasFlash: boolean
  protected castWeights = new Map<Tensor, Tensor>()
  /** Casts that the current autocast context keeps until it ends. */
  #cachedCasts: Tensor[] = []
  /** Undefined while gradients are recorded. */
  protected pass: PassWithoutGradients | undefined
  readonly #sequencesPerSample: number
  readonly #namedBuffers = new Map<string, Storage>()
  /** Before the names of its parameters. */
  #model = ''
  #edges = 0
  #storages = 0

  /** `hasFlash`: the GPU runs the flash attention kernel. */
  constructor(spec: TrainingSpec, { hasFlash }: { hasFlash: boolean }) {
    this.hasFlash = hasFlash
    this.spec = spec
    this.weightDtype = weightDtypes[spec.precision]
    this.autocastDtype = autocastDtypes[spec.precision]
    this.training = spec.step === 'training'
    this.#isPadded = spec.paddedBatches && !isOfImages(spec.task)
    this.#sequencesPerSample = sequencesPerSample(spec)
  }

  get isPadded(): boolean {
    return this.pass?.sequences?.attention?.isMasked ?? this.#isPadded
  }

  /** A second model: `run` uses its own weights. */
  ofModel<T>(name: string, run: () => T): T {
    this.#model = `${name}.`
    const result = run()
    this.#model = ''
    return result
  }

  /** torch.no_grad: what `run` does is recorded without saving anything for a backward pass. */
  withoutGradients<T>(pass: PassWithoutGradients, run: () => T): T {
    this.pass = pass
    const result = this.underAutocast(run)
    this.pass = undefined
    return result
  }

  /** What `run` does happens before the steps over the batch; its nodes are recorded separately. */
  beforehand(run: () => void): readonly Node[] {
    const outer = this.nodes
    this.nodes = []
    run()
    const nodes = this.nodes
    this.nodes = outer
    return nodes
  }

  /** torch.autocast around `run`: the cache of cast weights begins and ends with it. */
  underAutocast<T>(run: () => T): T {
    this.castWeights = new Map()
    this.#cachedCasts = []
    const result = run()
    this.record('return', { reads: this.#cachedCasts, outputs: [] })
    this.castWeights = new Map()
    return result
  }

  /** Asking for a name twice shares the parameter. */
  parameter(layerName: string, shape: readonly number[], options: { trainable: boolean; dtype?: Dtype }): Tensor {
    const isCopy = this.pass?.of === 'copy'
    const name = (isCopy ? REFERENCE : '') + this.#model + layerName
    const known = this.parameters.get(name)
    if (known !== undefined) return known
    const { dtype = (isCopy ? this.pass?.dtype : undefined) ?? this.weightDtype } = options
    const trainable = options.trainable && !isCopy
    const storage = this.persistent(elements({ shape }) * bytesPerElement[dtype])
    const parameter: Tensor = { storage, shape, batched: false, dtype, requiresGrad: trainable, edge: this.newEdge() }
    this.parameters.set(name, parameter)
    this.parameterNames.push(name)
    return parameter
  }

  /** A kernel that reads `x` and writes a tensor of its shape. */
  elementwise(name: string, x: Tensor, options: { saves?: readonly Tensor[]; savesOutput?: boolean } = {}): Tensor {
    const output = this.tensor(x.shape, x.dtype, [x], x)
    const saves = [...(options.saves ?? []), ...(options.savesOutput ? [output] : [])]
    this.record(name, { reads: [x], outputs: [output], saves, gradients: [made(x)] })
    return output
  }

  dropout(x: Tensor, probability: number): Tensor {
    // torch: native/Dropout.cpp: on CUDA `native_dropout`, which saves a one-byte mask.
    if (!this.training || probability === 0 || this.spec.dropout === false || !this.#isInTraining()) return x
    const mask = this.storage(elements(x), 'bool', x.batched)
    const output = this.tensor(x.shape, x.dtype, [x], x)
    this.record('dropout', { reads: [x], outputs: [output], saved: [mask], gradients: [made(x)] })
    return output
  }

  /** Running without gradients does not imply eval mode; frozen copies are in eval mode, and disabled adapters have no dropout. */
  #isInTraining(): boolean {
    return this.pass === undefined || this.pass.of === 'policy'
  }

  add(x: Tensor, y: Tensor, options: { inPlace?: boolean } = {}): Tensor {
    // torch: AddBackward0 passes its gradient on; only a broadcast or differently typed side gets a reduced or cast copy.
    const dtype = widest(x.dtype, y.dtype)
    const output = options.inPlace
      ? { ...x, requiresGrad: x.requiresGrad || y.requiresGrad }
      : this.tensor(x.batched ? x.shape : y.shape, dtype, [x, y], { batched: x.batched || y.batched })
    const same = (side: Tensor) => side.batched === output.batched && side.dtype === output.dtype
    this.record('add', {
      reads: [x, y],
      outputs: [output],
      gradients: [x, y].map(side => ({ to: side, passes: same(side) })),
    })
    return output
  }

  multiply(x: Tensor, y: Tensor): Tensor {
    // torch: MulBackward0 saves each factor for the other's gradient; a broadcast or narrower factor's is a
    // sum over, or a cast of, a product of the output's size and type.
    const isLarger = elements(x) > elements(y) || (elements(x) === elements(y) && (x.batched || !y.batched))
    const larger = isLarger ? x : y
    const output = this.tensor(larger.shape, widest(x.dtype, y.dtype), [x, y], { batched: x.batched || y.batched })
    const saves = [...(y.requiresGrad ? [x] : []), ...(x.requiresGrad ? [y] : [])]
    const isReduced = (side: Tensor) =>
      side.batched !== output.batched || elements(side) < elements(output) || side.dtype !== output.dtype
    const backwardScratch = [x, y]
      .filter(side => side.requiresGrad && isReduced(side))
      .map(() => this.like(output, 'temporaries'))
    this.record('mul', { reads: [x, y], outputs: [output], saves, gradients: [x, y].map(made), backwardScratch })
    return output
  }

  power(x: Tensor): Tensor {
    // torch: FunctionsManual.cpp pow_backward: grad * (exponent * self.pow(exponent - 1)): two temporaries.
    const output = this.tensor(x.shape, x.dtype, [x], x)
    const backwardScratch = [0, 1].map(() => this.storage(elements(x), x.dtype, x.batched, 'temporaries'))
    this.record('pow', { reads: [x], outputs: [output], saves: [x], gradients: [made(x)], backwardScratch })
    return output
  }

  /** [heads, m, k] × [heads, k, n] → `shape`. Autocast does not apply inside another op. */
  batchMatmul(x: Tensor, y: Tensor, shape: readonly number[], { autocasts = true } = {}): Tensor {
    const [left, right] = autocasts ? [this.lowered(x), this.lowered(y)] : [x, y]
    const output = this.tensor(shape, left.dtype, [left, right])
    const heads = left.shape[0] ?? 1
    const inner = Math.sqrt((elements(left) * elements(right)) / (elements(output) * heads))
    this.record('bmm', {
      reads: [left, right],
      outputs: [output],
      saves: [left, right],
      gradients: [left, right].map(made),
      flopsPerSample: 2 * elements(output) * inner,
    })
    return output
  }

  /** A view of part of the last dimension. Its gradient is a tensor of the whole, as SliceBackward0 pads it with zeros. */
  slice(x: Tensor, size: number): Tensor {
    const output = { ...x, shape: [...x.shape.slice(0, -1), size], edge: this.newEdge() }
    this.record('slice', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  /** A new tensor of the parts; their gradients are views of its gradient, cast where a part is narrower. */
  concatenate(parts: readonly Tensor[]): Tensor {
    const [first] = parts
    if (first === undefined) throw new Error('nothing to concatenate')
    const last = parts.reduce((sum, part) => sum + (part.shape.at(-1) ?? 0), 0)
    const dtype = parts.reduce((wide, part) => widest(wide, part.dtype), first.dtype)
    const output = this.tensor([...first.shape.slice(0, -1), last], dtype, parts, first)
    const gradients = parts.map(to => ({ to, passes: to.dtype === dtype }))
    this.record('cat', { reads: parts, outputs: [output], gradients })
    return output
  }

  /** Under autocast, the inputs of matrix products: weights are cast once per forward pass, activations each time. */
  lowered(x: Tensor, { cache = true } = {}): Tensor {
    if (this.autocastDtype === undefined || x.dtype !== 'float32') return x
    // torch: autocast_mode.cpp cached_cast keeps casts of leaves that require gradients only.
    const isCached = cache && x.storage.persistent && x.requiresGrad
    const known = isCached ? this.castWeights.get(x) : undefined
    if (known !== undefined) return known
    const cast = this.cast(x, this.autocastDtype)
    if (x.storage.persistent) cast.storage.kind = 'weights'
    if (isCached) {
      this.castWeights.set(x, cast)
      this.#cachedCasts.push(cast)
    }
    return cast
  }

  cast(x: Tensor, dtype: Dtype): Tensor {
    if (x.dtype === dtype) return x
    const output = this.tensor(x.shape, dtype, [x], x)
    if (x.storage.kind === 'logits') output.storage.kind = 'logits'
    if (this.headsFirst.has(x.storage)) this.headsFirst.add(output.storage)
    this.record('to', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  /** Ops that autocast runs in float32: norms, powers, softmax. */
  raised(x: Tensor): Tensor {
    return this.autocastDtype === undefined ? x : this.cast(x, 'float32')
  }

  tensor(
    shape: readonly number[],
    dtype: Dtype,
    from: readonly Tensor[],
    { batched }: { batched: boolean } = { batched: true },
  ): Tensor {
    const storage = this.storage(elements({ shape }), dtype, batched)
    const requiresGrad = this.pass === undefined && from.some(input => input.requiresGrad)
    return { storage, shape, batched, dtype, requiresGrad, edge: this.newEdge() }
  }

  storage(count: number, dtype: Dtype, batched: boolean, kind: ByteKind = 'activations'): Storage {
    return this.#newStorage(count * bytesPerElement[dtype], batched, kind, false)
  }

  /** A storage that belongs to the model besides its parameters. Another pass over the same weights reuses it. */
  buffer(name: string, bytes: number): Storage {
    const key = (this.pass?.of === 'copy' ? REFERENCE : '') + this.#model + name
    const known = this.#namedBuffers.get(key)
    if (known !== undefined) return known
    const storage = this.persistent(bytes)
    this.#namedBuffers.set(key, storage)
    this.buffers.push(storage)
    return storage
  }

  /** A storage of the model itself. */
  persistent(bytes: number): Storage {
    return this.#newStorage(bytes, false, 'weights', true)
  }

  /** A new storage of a tensor's size: its gradient, its optimizer state, a temporary. */
  like(tensor: Tensor, kind: ByteKind): Storage {
    return this.#newStorage(elements(tensor) * bytesPerElement[tensor.dtype], tensor.batched, kind, false)
  }

  /** Any other storage, in bytes, that does not grow with the batch. */
  fixed(bytes: number, kind: ByteKind): Storage {
    return this.#newStorage(bytes, false, kind, false)
  }

  newEdge(): number {
    return this.#edges++
  }

  /** Outside the graph (if no output requires a gradient), nothing is saved. */
  record(name: string, options: Recorded): void {
    const { outputs, saves = NONE, saved = NONE, keeps = NONE, gradients = NONE } = options
    const reads = storagesOf(options.reads)
    const inGraph = outputs.some(output => output.requiresGrad)
    const creates: Storage[] = []
    for (const { storage } of outputs) if (!reads.includes(storage)) creates.push(storage)
    for (const storage of saved) creates.push(storage)
    this.nodes.push({
      name,
      reads,
      creates: creates.length > 0 ? creates : NONE,
      scratch: options.scratch ?? NONE,
      saves: inGraph && saves.length + saved.length > 0 ? storagesOf(saves).concat(saved) : NONE,
      keeps: inGraph && keeps.length > 0 ? storagesOf(keeps) : NONE,
      outputs,
      gradients: gradients.every(edge => edge.to.requiresGrad)
        ? gradients
        : gradients.filter(edge => edge.to.requiresGrad),
      backwardScratch: options.backwardScratch ?? NONE,
      flopsPerSample: (options.flopsPerSample ?? 0) * (this.pass?.sequences?.perSample ?? this.#sequencesPerSample),
      computeDtype: options.computeDtype ?? outputs[0]?.dtype ?? 'float32',
      turn: this.turn,
      kernel: options.kernel,
      attendedTokens: options.attendedTokens,
      dequantises: options.dequantises,
    })
  }

  #newStorage(bytes: number, batched: boolean, kind: ByteKind, persistent: boolean): Storage {
    const sequences = this.pass?.sequences?.perSample ?? this.#sequencesPerSample
    const fixedBytes = batched ? 0 : bytes
    const bytesPerSample = batched ? bytes * sequences : 0
    const samples = batched ? this.pass?.sequences?.count : undefined
    const { turn } = this
    const role = turn === undefined ? 0 : turn.storages++
    const id = this.#storages++
    return { id, fixedBytes, bytesPerSample, samplesAtLeast: samples, kind, persistent, turn, role }
  }
}

function storagesOf(tensors: readonly Tensor[]): Storage[] {
  return tensors.map(({ storage }) => storage)
}

export function made(to: Tensor): GradientEdge {
  return { to, passes: false }
}

export function widest(x: Dtype, y: Dtype): Dtype {
  return x === 'float32' || y === 'float32' ? 'float32' : x
}
