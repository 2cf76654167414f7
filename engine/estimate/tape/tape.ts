/**
 * The tape: what a step's forward pass records, op by op, for `timeline.ts` to replay. It makes storages, tensors and
 * parameters, and knows which pass runs; what each op reads, saves and creates is in `ops/` and `kernels/`.
 *
 * `torch:` names the place in PyTorch that decides a rule (paths of the 2.13 sources).
 */
import type { ExpertNames } from '../../models/linears.ts'
import { sequencesPerSample } from '../../training/batches.ts'
import { isOfImages, isOfSound, labelsTokens } from '../../training/choices.ts'
import { parameterPatterns } from '../../training/parameter-pattern.ts'
import { transcriptLength } from '../../training/sound.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { type Node, type PassWithoutGradients, REFERENCE, type Recorded, type RunningStack } from './autograd.ts'
import type { QuantizedBytes } from './kernels/quantization.ts'
import { EVERY_LAYER, TURNS_BEHIND, type Turn } from './repetition.ts'
import { type ByteKind, bytesPerElement, type Dtype, elements, type Storage, type Tensor } from './storage.ts'

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

export class Tape {
  readonly parameters = new Map<string, Tensor>()
  /** In the order in which they were made. */
  readonly parameterNames: string[] = []
  /** Storages that live as long as the model beside its parameters: running statistics, position ids. */
  readonly buffers: Storage[] = []
  /** The same, but neither sharded nor offloaded. */
  readonly wholeBuffers: Storage[] = []
  /** The weights of embeddings. */
  readonly embeddings = new Set<Storage>()
  /** What `quantized` was told, by the storage of the weights. */
  readonly quantizedMatrices = new Map<Storage, QuantizedBytes & { readonly matrices: number }>()
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
  /** The type of 16 bits that weights or autocast have, and products with quantised matrices compute in. */
  readonly half: Dtype
  /** As long as autocast is on. */
  autocastDtype: Dtype | undefined
  /** Whether the step ends in a loss on labels. */
  readonly training: boolean
  /** `model.train()`: a step without an optimizer that drops out is in it, too. */
  readonly inTrainMode: boolean
  /** Whether batches carry a mask of padded tokens; images never do. */
  readonly isPadded: boolean
  /** Whether scores of grouped heads were counted that PyTorch holds before 2.14 and not from there on. */
  composesGroupedHeads = false
  readonly hasFlash: boolean
  castWeights = new Map<Tensor, Tensor>()
  /** Casts that the current autocast context keeps until it ends. */
  cachedCasts: Tensor[] = []
  /** Undefined while gradients are recorded. */
  pass: PassWithoutGradients | undefined
  #sequencesPerSample: number
  readonly #namedBuffers = new Map<string, Storage>()
  /** Before the names of its parameters. */
  #model = ''
  #edges = 0
  #storages = 0
  /** The batch's input, and its labels: [b], or [b, s] for language models. */
  batchInput: Tensor
  readonly labels: Tensor
  batchPixels: Tensor | undefined
  batchPixelMask: Tensor | undefined
  batchSpectrogram: Tensor | undefined
  /** Last names of the linear modules seen so far: what adapters can target. */
  readonly linearNames = new Set<string>()
  readonly expertNames: ExpertNames | undefined
  readonly trainedNames: ReturnType<typeof parameterPatterns>
  /** Weights that train on images or audio among the tokens. */
  towers: Tensor[] = []
  /** The input of each block: the hidden states that `output_hidden_states` would return. */
  readonly blockInputs: Tensor[] = []
  /** The last operation of the model, where its loss is computed behind it. */
  outputsAfter: Node | undefined
  /** The last hidden states, once a decoder has computed its logits. */
  outputLayerInput: Tensor | undefined
  /** Tensors that local variables of the running block reference. */
  locals: Tensor[] = []
  /** What the running block passes on. */
  handedOn: Tensor[] = []
  /** What runs now runs again in the backward pass, in a checkpoint. */
  recomputes = false
  /** Beside its input: masks, and tables of positions. */
  readonly passedToBlocks = new Set<Storage>()
  /** The outer one, where one is within another. */
  stack: RunningStack | undefined
  /** A layer's input, gathered from all GPUs of a tensor-parallel group. */
  gatheredTokens: { readonly of: Tensor; readonly whole: Tensor } | undefined
  /** The running layer is none of those that checkpointing covers. */
  isUncheckpointed = false
  /** Within a block, each of whose parts is checkpointed by itself. */
  checkpointsParts = false
  /** Decoders fill a key/value cache that the outputs reference, whoever runs the step. */
  cachesForOutputs = false
  /** Of layers that are alike only some are recorded: so many before the one that stands for others. */
  firstTurns = EVERY_LAYER
  /** And so many behind it. */
  turnsBehind = TURNS_BEHIND

  /**
   * `hasFlash`: the GPU runs the flash attention kernel. `expertNames`: the targets that put adapters on the model's
   * experts.
   */
  constructor(spec: TrainingSpec, { hasFlash }: { hasFlash: boolean }, expertNames?: ExpertNames) {
    this.hasFlash = hasFlash
    this.spec = spec
    this.expertNames = expertNames
    this.trainedNames = parameterPatterns(spec.trainable?.names ?? NONE)
    const half = spec.inFloat16 || spec.precision === 'amp-fp16' ? 'float16' : 'bfloat16'
    this.half = half
    const weights = weightDtypes[spec.precision]
    this.weightDtype = weights === 'bfloat16' ? half : weights
    this.autocastDtype = spec.autocasts && spec.precision.startsWith('bf16') ? half : autocastDtypes[spec.precision]
    this.training = spec.step === 'training'
    this.inTrainMode = this.training || spec.dropout === true
    this.isPadded = spec.paddedBatches && !isOfImages(spec.task)
    this.#sequencesPerSample = sequencesPerSample(spec)
    const isImage = isOfImages(spec.task)
    const imageSize = spec.imageSize ?? 0
    const inputShape = isImage ? [3, imageSize, imageSize] : [spec.sequenceLength ?? 0]
    this.batchInput = this.batchTensor(inputShape, isImage || isOfSound(spec.task) ? this.weightDtype : 'int64')
    this.labels = this.batchTensor(labelShape(spec), 'int64')
    // Where the answer ends, beside where it starts.
    if (spec.task === 'question-answering') this.batchTensor([], 'int64')
    if (this.isPadded) this.batchTensor(inputShape, 'int64')
  }

  /** A tensor of the batch, which the training loop holds. */
  batchTensor(shape: readonly number[], dtype: Dtype): Tensor {
    const tensor = this.tensor(shape, dtype, [])
    tensor.storage.kind = 'inputs'
    this.batch.push(tensor.storage)
    return tensor
  }

  /** `run` is of so many sequences of every sample. */
  ofSequences<T>(perSample: number, run: () => T): T {
    const outer = this.#sequencesPerSample
    this.#sequencesPerSample = perSample
    const result = run()
    this.#sequencesPerSample = outer
    return result
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
    return this.#withPass(pass, () => this.underAutocast(run))
  }

  /** The same of a whole loss and the passes that it takes, each under autocast by itself. */
  evaluating<T>(run: () => T): T {
    return this.#withPass({ of: 'policy', takesLoss: true }, run)
  }

  #withPass<T>(pass: PassWithoutGradients, run: () => T): T {
    const outer = this.pass
    this.pass = pass
    const result = run()
    this.pass = outer
    return result
  }

  /** Whether this pass ends in the training's own loss: a step's, or an evaluation's. */
  get takesOwnLoss(): boolean {
    return this.training && (this.pass === undefined || this.pass.takesLoss === true)
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
    this.cachedCasts = []
    const result = run()
    this.record('return', { reads: this.cachedCasts, outputs: [] })
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
  buffer(name: string, bytes: number, buffers = this.buffers): Storage {
    const key = (this.pass?.of === 'copy' ? REFERENCE : '') + this.#model + name
    const known = this.#namedBuffers.get(key)
    if (known !== undefined) return known
    const storage = this.persistent(bytes)
    this.#namedBuffers.set(key, storage)
    buffers.push(storage)
    return storage
  }

  /** A quantised matrix, or several of a size, and the constants of its blocks, as the GPUs divide them. */
  quantized(name: string, { weights, constants }: QuantizedBytes, matrices = 1): void {
    const { wholeQuantized } = this.spec
    const storage = this.buffer(name, weights, wholeQuantized === 'all' ? this.wholeBuffers : this.buffers)
    this.quantizedMatrices.set(storage, { weights, constants, matrices })
    this.buffer(`${name}.quant_state`, constants, wholeQuantized === undefined ? this.buffers : this.wholeBuffers)
  }

  /** A storage of the model itself. */
  persistent(bytes: number): Storage {
    return this.#newStorage(bytes, false, 'weights', true)
  }

  /** A new storage of a tensor's size: its gradient, its optimizer state, a temporary. */
  like(tensor: Tensor, kind: ByteKind): Storage {
    const { sequences } = tensor.storage
    return this.#newStorage(elements(tensor) * bytesPerElement[tensor.dtype], tensor.batched, kind, false, sequences)
  }

  /** A new storage of another's size and kind. */
  another({ fixedBytes, bytesPerSample, samplesAtLeast, maskOfBatch, kind }: Storage): Storage {
    return { ...this.#newStorage(fixedBytes, false, kind, false), bytesPerSample, samplesAtLeast, maskOfBatch }
  }

  /** A mask between all rows of the batch, of which a sequence has so many. */
  maskOfBatch(rows: number, dtype: Dtype, { isPaddedCopy = false } = {}): Storage {
    const rowsPerSample = rows * (this.pass?.sequences?.perSample ?? this.#sequencesPerSample)
    const mask = { rowsPerSample, bytesPerElement: bytesPerElement[dtype], isPaddedCopy }
    return { ...this.storage(rows * rowsPerSample, dtype, true), maskOfBatch: mask }
  }

  /** Any other storage, in bytes, that does not grow with the batch. */
  fixed(bytes: number, kind: ByteKind): Storage {
    return this.#newStorage(bytes, false, kind, false)
  }

  /** So far. */
  get storageCount(): number {
    return this.#storages
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
      attendsAcrossBatch: options.attendsAcrossBatch,
      dequantises: options.dequantises,
    })
  }

  #newStorage(
    bytes: number,
    batched: boolean,
    kind: ByteKind,
    persistent: boolean,
    sequences = this.#sequencesPerSample,
  ): Storage {
    const { perSample = sequences, count, isCountFixed = false } = this.pass?.sequences ?? {}
    const [perBatch, isFixed] = [bytes * perSample, batched && isCountFixed]
    const fixedBytes = isFixed ? perBatch * (count ?? 1) : batched ? 0 : bytes
    const bytesPerSample = batched && !isFixed ? perBatch : 0
    const samples = batched && !isFixed ? count : undefined
    const { turn } = this
    const role = turn === undefined ? 0 : turn.storages++
    const id = this.#storages++
    return { id, fixedBytes, bytesPerSample, samplesAtLeast: samples, sequences, kind, persistent, turn, role }
  }
}

/** Of a sample. */
function labelShape(spec: TrainingSpec): readonly number[] {
  const { sequenceLength = 0, targetLength = sequenceLength, task } = spec
  if (task === 'ctc') return [transcriptLength(spec)]
  if (!labelsTokens(task)) return []
  return [task === 'seq2seq-lm' ? targetLength : sequenceLength]
}

function storagesOf(tensors: readonly Tensor[]): Storage[] {
  return tensors.map(({ storage }) => storage)
}
