/**
 * FSDP1, `FullyShardedDataParallel`: torch/distributed/fsdp/_runtime_utils.py and _flat_param.py of the 2.13 sources. A block's
 * parameters are one flat tensor, gathered into one storage while the block runs; their gradients become one too. The rest ("root":
 * embeddings, last norm, output layer) stays gathered. Nothing is gathered ahead, as accelerate has it by default (NO_PREFETCH).
 */
import { modelCopies } from '../../config/spec.ts'
import { type ByteKind, bytesPerElement, elements, type Storage, type Tensor } from '../storage.ts'
import type { Exchange, ExchangeContext, Memory } from './exchange.ts'
import { HeldGradients } from './gradients.ts'
import { bytesOf, sum, trainedOf } from './parameter-sizes.ts'
import { mastersOf } from './shares.ts'
import { isBlock, unitName } from './units.ts'

export class FlatParameters implements Exchange {
  readonly resident = []
  readonly partAtATime = 1
  readonly #memory: Memory
  readonly #units = new Map<string, FlatUnit>()
  readonly #unitOf = new Map<Storage, FlatUnit>()
  readonly #shards: HeldGradients
  readonly #rules: Rules
  #block: FlatUnit | undefined
  #adapter: FlatUnit | undefined
  /** Before gradients are summed across GPUs; until then they stay whole. */
  #microStepsLeft: number

  constructor(context: ExchangeContext) {
    const { spec, parameters, memory } = context
    this.#memory = memory
    this.#shards = new HeldGradients(context)
    this.#rules = {
      part: 1 / modelCopies(spec),
      castsShards: mastersOf(spec) === 'as-weights',
      isOffloaded: spec.offload !== undefined,
      keepsGathered: spec.sharding === 'fsdp-grad-op',
    }
    this.#microStepsLeft = spec.syncsEveryMicroBatch ? 1 : Math.min(spec.gradientAccumulation, 2)
    for (const [name, parameter] of parameters) {
      // peft utils/other.py fsdp_auto_wrap_policy: what trains beside a frozen base is wrapped on its own.
      const isAdapter = spec.lora !== undefined && parameter.requiresGrad
      const kind = isAdapter ? 'adapter' : isBlock(unitName(name)) ? 'block' : 'root'
      const key = isAdapter ? name : unitName(name)
      const unit = this.#units.get(key) ?? new FlatUnit(kind, memory, this.#rules)
      this.#units.set(key, unit)
      unit.parameters.push(parameter)
      this.#unitOf.set(parameter.storage, unit)
    }
  }

  begins(used: readonly Storage[]): void {
    this.#leaveAdapter()
    for (const storage of used) {
      const unit = this.#unitOf.get(storage)
      if (unit !== undefined) this.#enter(unit)
    }
  }

  #enter(unit: FlatUnit): void {
    if (unit.kind === 'block' && unit !== this.#block) this.#leaveBlock()
    unit.gather()
    if (unit.kind === 'block') this.#block = unit
    if (unit.kind === 'adapter') this.#adapter = unit
  }

  #leaveAdapter(): void {
    this.#adapter?.reshard()
    this.#adapter = undefined
  }

  #leaveBlock(): void {
    if (!this.#rules.keepsGathered) this.#block?.reshard()
    this.#block = undefined
  }

  forwardEnds(): void {
    this.#leaveAdapter()
    this.#leaveBlock()
  }

  receives(parameter: Storage, gradient: Storage): void {
    const unit = this.#unitOf.get(parameter)
    unit?.receive(parameter, gradient)
    if (unit?.isComplete) this.#reduce(unit)
  }

  #reduce(unit: FlatUnit): void {
    unit.flatten()
    if (this.#microStepsLeft > 1) return
    const { part, castsShards, isOffloaded } = this.#rules
    const trained = trainedOf(unit.parameters)
    const reduced = this.#allocate(sum(trained.map(bytesOf)) * part)
    const count = sum(trained.map(elements))
    const shard = castsShards ? this.#allocate(count * bytesPerElement.float32 * part) : reduced
    if (shard !== reduced) this.#memory.release(reduced)
    unit.releaseGradient()
    const [first] = trained
    if (isOffloaded || first === undefined) this.#memory.release(shard)
    else this.#shards.add(first.storage, shard)
  }

  backwardEnds(): void {
    for (const unit of this.#units.values()) {
      if (unit.hasGradients) this.#reduce(unit)
      unit.reshard()
    }
    this.#block = undefined
    this.#adapter = undefined
    this.#microStepsLeft = Math.max(1, this.#microStepsLeft - 1)
  }

  optimizerBegins(): void {}
  optimizerEnds(): void {}

  gradientsEnd(): void {
    this.#shards.release()
  }

  #allocate(bytes: number): Storage {
    const storage = this.#memory.fixed(bytes, 'gradients')
    this.#memory.allocate(storage)
    return storage
  }
}

interface Rules {
  /** Of every parameter that this GPU keeps. */
  readonly part: number
  /** Shards are float32, and what is gathered of them 16 bits. */
  readonly castsShards: boolean
  readonly isOffloaded: boolean
  /** SHARD_GRAD_OP: from the forward pass to the backward pass. */
  readonly keepsGathered: boolean
}

class FlatUnit {
  readonly parameters: Tensor[] = []
  readonly kind: 'root' | 'block' | 'adapter'
  /** Of the single parameters, until all of them have one. */
  readonly #gradients = new Map<Storage, Storage>()
  readonly #memory: Memory
  readonly #rules: Rules
  #weights: Storage | undefined
  /** The flat one, of this micro-batch or the sum with earlier ones. */
  #gradient: Storage | undefined

  constructor(kind: FlatUnit['kind'], memory: Memory, rules: Rules) {
    this.kind = kind
    this.#memory = memory
    this.#rules = rules
  }

  get hasGradients(): boolean {
    return this.#gradients.size > 0
  }

  get isComplete(): boolean {
    return this.#gradients.size === trainedOf(this.parameters).length
  }

  gather(): void {
    if (this.#weights !== undefined) return
    const bytes = sum(this.parameters.map(bytesOf))
    const { part, castsShards, isOffloaded } = this.#rules
    const input = castsShards || isOffloaded ? this.#allocate(bytes * part, 'temporaries') : undefined
    this.#weights = this.#allocate(bytes, 'weights')
    if (input !== undefined) this.#memory.release(input)
  }

  reshard(): void {
    if (this.#weights !== undefined) this.#memory.release(this.#weights)
    this.#weights = undefined
  }

  receive(parameter: Storage, gradient: Storage): void {
    if (this.#gradients.has(parameter)) this.#memory.release(gradient)
    else this.#gradients.set(parameter, gradient)
  }

  /** Autograd concatenates the gradients of the flat parameter's views. */
  flatten(): void {
    const flat = this.#allocate(sum(trainedOf(this.parameters).map(bytesOf)), 'gradients')
    for (const gradient of this.#gradients.values()) this.#memory.release(gradient)
    this.#gradients.clear()
    if (this.#gradient === undefined) this.#gradient = flat
    else this.#memory.release(flat)
  }

  releaseGradient(): void {
    if (this.#gradient !== undefined) this.#memory.release(this.#gradient)
    this.#gradient = undefined
  }

  #allocate(bytes: number, kind: ByteKind): Storage {
    const storage = this.#memory.fixed(bytes, kind)
    this.#memory.allocate(storage)
    return storage
  }
}
