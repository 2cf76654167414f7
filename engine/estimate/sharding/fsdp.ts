/**
 * FSDP2, `fully_shard` around every block and the rest: torch/distributed/fsdp/_fully_shard of the 2.13 sources. Blocks are
 * gathered one by one; the rest ("root": embeddings, last norm, output layer) stays gathered from the forward pass on. torchtitan
 * wraps the embeddings by themselves, and the last norm with the output layer.
 */
import { sumsEveryMicroBatch } from '../library-rules.ts'
import { bytesPerElement, elements, type Storage } from '../tape/storage.ts'
import type { Exchange, ExchangeContext, Memory, Pass } from './exchange.ts'
import { type FsdpRules, fsdpRules, GatheredUnit, Units } from './gathered-unit.ts'
import { HeldGradients } from './gradients.ts'
import { bytesOf, sum, trainedOf } from './parameter-sizes.ts'
import { isBlock, unitName } from './units.ts'

export class FullyShardedDataParallel implements Exchange {
  readonly resident = []
  readonly partAtATime = 1
  readonly stepsFlat = false
  readonly #memory: Memory
  readonly #units: Units<Unit>
  /** In forward order; the backward pass goes through it in reverse. */
  readonly #blocks: Unit[] = []
  readonly #lastBlock: Unit | undefined
  readonly #shards: HeldGradients
  readonly #rules: FsdpRules
  #current: Unit | undefined
  /** The last collective's input or output, which is freed when the next one of its kind runs. */
  #gathered: Storage | undefined
  #reduced: Storage | undefined
  /** Beside it, where blocks are gathered further ahead: of the next block, or of the one behind that. */
  #further: Storage | undefined
  /** What recomputations have gathered of blocks that are done with: torch clears it when the backward pass ends. */
  readonly #mistargeted: Storage[] = []
  /** Gradients before they are reduced across GPUs; until then unsharded. */
  #microStepsLeft: number

  constructor(context: ExchangeContext) {
    const { spec, parameters, memory } = context
    this.#memory = memory
    this.#shards = new HeldGradients(context)
    this.#rules = fsdpRules(spec)
    this.#microStepsLeft = sumsEveryMicroBatch(spec) ? 1 : Math.min(spec.gradientAccumulation, 2)
    const { wrapsEmbeddings, wrapsRest = false } = this.#rules.use
    const isWrapped = wrapsEmbeddings === true && parameters.has('lm_head.weight')
    this.#units = new Units(parameters, name => {
      const key = isWrapped && isEmbedding(name) ? name : unitName(name, spec)
      const staysGathered = this.#rules.keepsGathered || !isBlock(key)
      return { key, make: () => new Unit(isBlock(key) || wrapsRest, staysGathered, memory, this.#rules) }
    })
    this.#lastBlock = [...this.#units].findLast(unit => unit.isBlock)
  }

  begins(used: readonly Storage[], pass: Pass): void {
    const unit = used.map(storage => this.#units.of(storage)).find(unit => unit !== undefined)
    if (unit === undefined) return
    if (pass === 'without gradients' && this.#rules.use.gathersWholeForPasses) return
    if (pass === 'backward') this.#backward(unit)
    else this.#forward(unit)
    if (pass === 'forward' && unit.isBlock && this.#blocks.at(-1) !== unit) this.#blocks.push(unit)
  }

  #forward(unit: Unit): void {
    if (unit === this.#current) return
    this.#leaveForward()
    this.#current = unit
    if (unit.isWhole) return
    const gathered = (unit.isBlock ? this.#takeFurther() : undefined) ?? unit.gather()
    unit.unpack()
    this.#letGoOfGathered()
    this.#gathered = gathered
    if (this.#rules.use.gathersFurther && unit.isBlock && unit !== this.#lastBlock) this.#further = unit.gather()
  }

  #takeFurther(): Storage | undefined {
    const further = this.#further
    this.#further = undefined
    return further
  }

  #leaveForward(): void {
    if (this.#current?.staysGathered === false) this.#current.reshard()
    this.#current = undefined
  }

  forwardEnds(): void {
    this.#leaveForward()
    this.#letGoOfGathered()
    this.#letGoOfFurther()
    if (!this.#rules.isLossOutside) this.#prefetch()
  }

  /** Prefetches the next block of the backward pass while the current one computes. */
  #prefetch(): void {
    const [second, next] = this.#blocks.slice(-2)
    const first = next ?? second
    if (first !== undefined && !first.isWhole) this.#gathered = this.#takeFurther() ?? first.gather()
    if (this.#rules.use.gathersFurther && next !== undefined && second !== undefined && !second.isWhole)
      this.#further = second.gather()
  }

  #backward(unit: Unit): void {
    if (unit === this.#current) return
    this.#leaveBackward()
    this.#current = unit
    if (!unit.isBlock && this.#rules.isLossOutside && this.#gathered === undefined) this.#prefetch()
    if (!unit.isBlock) return
    // A block that is used twice, or that no gradient reached, is gathered on its own.
    if (this.#blocks.at(-1) === unit) this.#blocks.pop()
    if (!unit.isWhole) {
      this.#gathered ??= unit.gather()
      unit.unpack()
      this.#letGoOfGathered()
    }
    this.#prefetch()
  }

  #leaveBackward(): void {
    if (this.#current?.isBlock) this.#reduce(this.#current)
    this.#current = undefined
  }

  /** After a block's gradients are complete: frees its weights and reduce-scatters the gradients. */
  #reduce(unit: Unit): void {
    unit.reshard()
    if (this.#microStepsLeft > 1) return
    this.#letGoOfReduced()
    this.#reduced = unit.reduce(this.#shards)
    // The recomputation of the block before gathers the next one ahead, as its forward pass did.
    if (this.#rules.recomputesGathering && unit.isBlock) this.#mistargeted.push(unit.gather())
  }

  receives(parameter: Storage, gradient: Storage): void {
    this.#units.of(parameter)?.receive(parameter, gradient)
  }

  backwardEnds(): void {
    this.#leaveBackward()
    for (const unit of this.#units) if (unit.isWhole || unit.hasGradients) this.#reduce(unit)
    this.#letGoOfGathered()
    this.#letGoOfFurther()
    for (const storage of this.#mistargeted.splice(0)) this.#memory.release(storage)
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

  #letGoOfFurther(): void {
    if (this.#further !== undefined) this.#memory.release(this.#further)
    this.#further = undefined
  }

  #letGoOfReduced(): void {
    if (this.#reduced !== undefined) this.#memory.release(this.#reduced)
    this.#reduced = undefined
  }
}

function isEmbedding(name: string): boolean {
  return /(?:^|\.)(?:embed_tokens|tok_embeddings)\.weight$/.test(name)
}

class Unit extends GatheredUnit {
  /** Or another unit that is wrapped by itself: its gradients are summed as soon as its backward pass has ended. */
  readonly isBlock: boolean
  /** From its forward pass to its backward pass. */
  readonly staysGathered: boolean

  constructor(isBlock: boolean, staysGathered: boolean, memory: Memory, rules: FsdpRules) {
    super(memory, rules)
    this.isBlock = isBlock
    this.staysGathered = staysGathered
  }

  /** The collective's output, flat. */
  gather(): Storage {
    return this.gatherInto('temporaries')
  }

  /** Copies of their own for the parameters. */
  unpack(): void {
    this.weights = this.allocate(sum(this.parameters.map(bytesOf)), 'weights')
  }

  /** The collective's input, which outlives the call. */
  reduce(shards: HeldGradients): Storage | undefined {
    const trained = trainedOf(this.parameters).filter(parameter => this.gradients.has(parameter.storage))
    if (trained.length === 0) return undefined
    const { part, castsShards, isOffloaded, use } = this.rules
    const sumsWide = use.sumsWide === true
    const bytes = sumsWide ? sum(trained.map(elements)) * bytesPerElement.float32 : sum(trained.map(bytesOf))
    const input = this.allocate(bytes, 'gradients')
    this.releaseGradients()
    const reduced = castsShards && !sumsWide ? this.allocate(bytes * part, 'gradients') : undefined
    for (const parameter of trained) {
      const size = castsShards ? elements(parameter) * bytesPerElement.float32 : bytesOf(parameter)
      const shard = this.allocate(size * part, 'gradients')
      if (isOffloaded) this.memory.release(shard)
      else shards.add(parameter.storage, shard)
    }
    if (reduced !== undefined) this.memory.release(reduced)
    return input
  }
}
