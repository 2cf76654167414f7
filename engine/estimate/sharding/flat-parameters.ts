/**
 * FSDP1, `FullyShardedDataParallel`: torch/distributed/fsdp/_runtime_utils.py and _flat_param.py of the 2.13 sources. A block's
 * parameters are one flat tensor, gathered into one storage while the block runs; their gradients become one too. The rest ("root":
 * embeddings, last norm, output layer) stays gathered. accelerate by default gathers nothing ahead (NO_PREFETCH).
 */
import { wrapsEachAdapter } from '../library-rules.ts'
import { bytesPerElement, elements, type Storage } from '../tape/storage.ts'
import type { Exchange, ExchangeContext, Memory, Pass } from './exchange.ts'
import { type FsdpRules, fsdpRules, GatheredUnit, Units } from './gathered-unit.ts'
import { HeldGradients } from './gradients.ts'
import { bytesOf, sum, trainedOf } from './parameter-sizes.ts'
import { isBlock, unitName } from './units.ts'

export class FlatParameters implements Exchange {
  readonly resident = []
  readonly partAtATime = 1
  readonly stepsFlat = false
  readonly #units: Units<FlatUnit>
  readonly #shards: HeldGradients
  readonly #rules: FsdpRules
  #block: FlatUnit | undefined
  #adapter: FlatUnit | undefined
  /** Blocks as the forward pass goes through them. */
  readonly #order: FlatUnit[] = []
  /** Before gradients are summed across GPUs; until then they stay whole. */
  #microStepsLeft: number

  constructor(context: ExchangeContext) {
    const { spec, parameters, memory } = context
    this.#shards = new HeldGradients(context)
    this.#rules = fsdpRules(spec)
    this.#microStepsLeft = spec.syncsEveryMicroBatch ? 1 : Math.min(spec.gradientAccumulation, 2)
    const wrapsAdapters = wrapsEachAdapter(spec)
    this.#units = new Units(parameters, (name, parameter) => {
      const isAdapter = wrapsAdapters && parameter.requiresGrad
      const unit = unitName(name, spec)
      const kind = isAdapter ? 'adapter' : isBlock(unit) ? 'block' : 'root'
      return { key: isAdapter ? name : unit, make: () => new FlatUnit(kind, memory, this.#rules) }
    })
  }

  begins(used: readonly Storage[], pass: Pass): void {
    this.#leaveAdapter()
    for (const storage of used) {
      const unit = this.#units.of(storage)
      if (unit !== undefined) this.#enter(unit, pass)
    }
  }

  #enter(unit: FlatUnit, pass: Pass): void {
    const isNext = unit.kind === 'block' && unit !== this.#block
    // A block that has computed is let go of before the root's last norm and output layer.
    if (isNext || (unit.kind === 'root' && pass !== 'backward')) this.#leaveBlock()
    unit.gather()
    if (unit.kind === 'block') this.#block = unit
    if (unit.kind === 'adapter') this.#adapter = unit
    if (isNext && this.#rules.use.gathersAhead) this.#gatherAhead(unit, pass)
  }

  #gatherAhead(unit: FlatUnit, pass: Pass): void {
    if (pass === 'forward') this.#order.push(unit)
    if (pass !== 'backward') return
    this.#order[this.#order.indexOf(unit) - 1]?.gather()
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
    const unit = this.#units.of(parameter)
    unit?.receive(parameter, gradient)
    if (unit?.isComplete) this.#reduce(unit)
  }

  #reduce(unit: FlatUnit): void {
    unit.flatten()
    unit.reshard()
    if (this.#microStepsLeft <= 1) unit.reduce(this.#shards)
  }

  backwardEnds(): void {
    for (const unit of this.#units) {
      if (unit.hasGradients) this.#reduce(unit)
      unit.reshard()
    }
    this.#block = undefined
    this.#adapter = undefined
    this.#order.length = 0
    this.#microStepsLeft = Math.max(1, this.#microStepsLeft - 1)
  }

  optimizerBegins(): void {}
  optimizerEnds(): void {}

  gradientsEnd(): void {
    this.#shards.release()
  }
}

class FlatUnit extends GatheredUnit {
  readonly kind: 'root' | 'block' | 'adapter'
  /** The flat one, of this micro-batch or the sum with earlier ones. */
  #gradient: Storage | undefined

  constructor(kind: FlatUnit['kind'], memory: Memory, rules: FsdpRules) {
    super(memory, rules)
    this.kind = kind
  }

  get isComplete(): boolean {
    return this.gradients.size === trainedOf(this.parameters).length
  }

  gather(): void {
    this.weights ??= this.gatherInto('weights')
  }

  /** Autograd concatenates the gradients of the flat parameter's views, with zeros for those that are frozen. */
  flatten(): void {
    const frozen = this.parameters.filter(parameter => !parameter.requiresGrad)
    const zeros = frozen.map(parameter => this.allocate(bytesOf(parameter), 'gradients'))
    const flat = this.allocate(sum(this.parameters.map(bytesOf)), 'gradients')
    for (const zero of zeros) this.memory.release(zero)
    this.releaseGradients()
    if (this.#gradient === undefined) this.#gradient = flat
    else this.memory.release(flat)
  }

  /** The flat gradient summed across GPUs, and this GPU's part of it kept. */
  reduce(shards: HeldGradients): void {
    const { part, castsShards, isOffloaded, use } = this.rules
    const sumsWide = use.sumsWide === true
    const count = sum(this.parameters.map(elements))
    if (sumsWide) this.#widen(count)
    const bytes = sumsWide ? count * bytesPerElement.float32 : sum(this.parameters.map(bytesOf))
    const reduced = this.allocate(bytes * part, 'gradients')
    const shard =
      castsShards && !sumsWide ? this.allocate(count * bytesPerElement.float32 * part, 'gradients') : reduced
    if (shard !== reduced) this.memory.release(reduced)
    if (this.#gradient !== undefined) this.memory.release(this.#gradient)
    this.#gradient = undefined
    const [first] = trainedOf(this.parameters)
    if (isOffloaded || first === undefined) this.memory.release(shard)
    else shards.add(first.storage, shard)
  }

  #widen(count: number): void {
    const wide = this.allocate(count * bytesPerElement.float32, 'gradients')
    if (this.#gradient !== undefined) this.memory.release(this.#gradient)
    this.#gradient = wide
  }
}
