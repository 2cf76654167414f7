/**
 * FSDP2, `fully_shard` around every block and the rest: torch/distributed/fsdp/_fully_shard of the 2.13 sources. Blocks are
 * gathered one by one; the rest ("root": embeddings, last norm, output layer) stays gathered from the forward pass on.
 */
import { modelCopies } from '../../config/spec.ts'
import { sumsEveryMicroBatch } from '../library-rules.ts'
import { type ByteKind, bytesPerElement, elements, type Storage, type Tensor } from '../storage.ts'
import type { Exchange, ExchangeContext, Memory, Pass } from './exchange.ts'
import { HeldGradients } from './gradients.ts'
import { bytesOf, sum, trainedOf } from './parameter-sizes.ts'
import { mastersOf } from './shares.ts'
import { isBlock, unitName } from './units.ts'

export class FullyShardedDataParallel implements Exchange {
  readonly resident = []
  readonly partAtATime = 1
  readonly #memory: Memory
  readonly #units = new Map<string, Unit>()
  readonly #unitOf = new Map<Storage, Unit>()
  /** In the order of the forward pass, which the backward pass runs through from its end. */
  readonly #blocks: Unit[] = []
  readonly #shards: HeldGradients
  readonly #rules: Rules
  #current: Unit | undefined
  /** What a collective has read or written last; the next one of its kind lets it go. */
  #gathered: Storage | undefined
  #reduced: Storage | undefined
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
    this.#microStepsLeft = sumsEveryMicroBatch(spec) ? 1 : Math.min(spec.gradientAccumulation, 2)
    for (const [name, parameter] of parameters) {
      const key = unitName(name)
      const unit = this.#units.get(key) ?? new Unit(isBlock(key), memory, this.#rules)
      this.#units.set(key, unit)
      unit.parameters.push(parameter)
      this.#unitOf.set(parameter.storage, unit)
    }
  }

  begins(used: readonly Storage[], pass: Pass): void {
    const unit = used.map(storage => this.#unitOf.get(storage)).find(unit => unit !== undefined)
    if (unit === undefined) return
    if (pass === 'backward') this.#backward(unit)
    else this.#forward(unit)
    if (pass === 'forward' && unit.isBlock && this.#blocks.at(-1) !== unit) this.#blocks.push(unit)
  }

  #forward(unit: Unit): void {
    if (unit === this.#current) return
    this.#leaveForward()
    this.#current = unit
    if (unit.isWhole) return
    const gathered = unit.gather()
    unit.unpack()
    this.#letGoOfGathered()
    this.#gathered = gathered
  }

  #leaveForward(): void {
    if (this.#current?.isBlock && !this.#rules.keepsGathered) this.#current.reshard()
    this.#current = undefined
  }

  forwardEnds(): void {
    this.#leaveForward()
    this.#letGoOfGathered()
    this.#prefetch()
  }

  /** The next block of the backward pass, while the one before it computes. */
  #prefetch(): void {
    const next = this.#blocks.at(-1)
    if (next !== undefined && !next.isWhole) this.#gathered = next.gather()
  }

  #backward(unit: Unit): void {
    if (unit === this.#current) return
    this.#leaveBackward()
    this.#current = unit
    if (!unit.isBlock) return
    // A block that is used twice, or that no gradient reached, is gathered on its own.
    if (this.#blocks.at(-1) === unit) this.#blocks.pop()
    if (unit.isWhole) return
    if (this.#gathered === undefined) this.#gathered = unit.gather()
    unit.unpack()
    this.#letGoOfGathered()
    this.#prefetch()
  }

  #leaveBackward(): void {
    if (this.#current?.isBlock) this.#reduce(this.#current)
    this.#current = undefined
  }

  /** What has gathered gradients: the weights are let go, and the sums divided. */
  #reduce(unit: Unit): void {
    unit.reshard()
    if (this.#microStepsLeft > 1) return
    this.#letGoOfReduced()
    this.#reduced = unit.reduce(this.#shards)
  }

  receives(parameter: Storage, gradient: Storage): void {
    this.#unitOf.get(parameter)?.receive(parameter, gradient)
  }

  backwardEnds(): void {
    this.#leaveBackward()
    for (const unit of this.#units.values()) if (unit.isWhole || unit.hasGradients) this.#reduce(unit)
    this.#letGoOfGathered()
    this.#letGoOfReduced()
    this.#blocks.length = 0
    this.#microStepsLeft = Math.max(1, this.#microStepsLeft - 1)
  }

  optimizerBegins(): void {}
  optimizerEnds(): void {}

  gradientsEnd(): void {
    this.#shards.release()
  }

  #letGoOfGathered(): void {
    if (this.#gathered !== undefined) this.#memory.release(this.#gathered)
    this.#gathered = undefined
  }

  #letGoOfReduced(): void {
    if (this.#reduced !== undefined) this.#memory.release(this.#reduced)
    this.#reduced = undefined
  }
}

interface Rules {
  /** Of every parameter that this GPU keeps. */
  readonly part: number
  /** Shards are float32, and what is gathered of them 16 bits. */
  readonly castsShards: boolean
  readonly isOffloaded: boolean
  /** From the forward pass to the backward pass: reshard_after_forward=False, once called SHARD_GRAD_OP. */
  readonly keepsGathered: boolean
}

/** Parameters that are gathered together. */
class Unit {
  readonly parameters: Tensor[] = []
  readonly isBlock: boolean
  /** Whole ones, by the parameter's storage. */
  readonly #gradients = new Map<Storage, Storage>()
  readonly #memory: Memory
  readonly #rules: Rules
  #weights: Storage | undefined

  constructor(isBlock: boolean, memory: Memory, rules: Rules) {
    this.isBlock = isBlock
    this.#memory = memory
    this.#rules = rules
  }

  get isWhole(): boolean {
    return this.#weights !== undefined
  }

  get hasGradients(): boolean {
    return this.#gradients.size > 0
  }

  /** The collective's output, flat. Its input is part of it, unless the shard is first cast or brought from the host. */
  gather(): Storage {
    const { part, castsShards, isOffloaded } = this.#rules
    const bytes = sum(this.parameters.map(bytesOf))
    const input = castsShards || isOffloaded ? this.#allocate(bytes * part, 'temporaries') : undefined
    const output = this.#allocate(bytes, 'temporaries')
    if (input !== undefined) this.#memory.release(input)
    return output
  }

  /** Copies of their own for the parameters. */
  unpack(): void {
    this.#weights = this.#allocate(sum(this.parameters.map(bytesOf)), 'weights')
  }

  reshard(): void {
    if (this.#weights !== undefined) this.#memory.release(this.#weights)
    this.#weights = undefined
  }

  receive(parameter: Storage, gradient: Storage): void {
    if (this.#gradients.has(parameter)) this.#memory.release(gradient)
    else this.#gradients.set(parameter, gradient)
  }

  /** The collective's input, which outlives the call. */
  reduce(shards: HeldGradients): Storage | undefined {
    const trained = trainedOf(this.parameters).filter(parameter => this.#gradients.has(parameter.storage))
    if (trained.length === 0) return undefined
    const { part, castsShards, isOffloaded } = this.#rules
    const bytes = sum(trained.map(bytesOf))
    const input = this.#allocate(bytes, 'gradients')
    for (const gradient of this.#gradients.values()) this.#memory.release(gradient)
    this.#gradients.clear()
    const reduced = castsShards ? this.#allocate(bytes * part, 'gradients') : undefined
    for (const parameter of trained) {
      const size = castsShards ? elements(parameter) * bytesPerElement.float32 : bytesOf(parameter)
      const shard = this.#allocate(size * part, 'gradients')
      if (isOffloaded) this.#memory.release(shard)
      else shards.add(parameter.storage, shard)
    }
    if (reduced !== undefined) this.#memory.release(reduced)
    return input
  }

  #allocate(bytes: number, kind: ByteKind): Storage {
    const storage = this.#memory.fixed(bytes, kind)
    this.#memory.allocate(storage)
    return storage
  }
}
