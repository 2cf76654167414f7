/** Goes through what a tape recorded as PyTorch's autograd would, and writes down what is allocated and released, and when. */
import type { Objective } from '../objectives/objective.ts'
import type { Exchange, ExchangeContext, Memory, Pass } from '../sharding/exchange.ts'
import type { Shares } from '../sharding/shares.ts'
import type { Node } from '../tape/autograd.ts'
import type { Turn } from '../tape/repetition.ts'
import type { ByteKind, Storage, Tensor } from '../tape/storage.ts'
import type { Tape } from '../tape/tape.ts'
import { Gradients } from './gradients.ts'
import { LiveStorages } from './live-storages.ts'
import { keptBy, untilLastSave, usesOf } from './nodes.ts'
import type { Numbers } from './numbers.ts'
import { type OptimizerRule, temporariesInTurn } from './optimizer.ts'
import { Step } from './step.ts'

/** The moment of a peak that the optimizer makes. */
const OPTIMIZER_MOMENT = 'the optimizer'

const phaseNames = {
  forward: 'forward',
  'forward without saving': 'forward',
  recomputation: 'recomputation',
  generation: 'generating and scoring completions, forward',
} as const
type Phase = keyof typeof phaseNames

/** What steps with each gradient as it comes. */
export interface InBackward {
  readonly rule: OptimizerRule
  readonly parameters: ReadonlyMap<Storage, Tensor>
}

/** How checkpointed blocks are recomputed. */
export interface CheckpointRules {
  /** In a backward pass of its own, which holds the block's output and its gradient. */
  readonly isReentrant: boolean
  /** Whether every block's input and its gradient stay until the backward pass ends. */
  readonly keepsInputs: boolean
  /** Whether inputs are on the host between the passes. */
  readonly offloadsInputs: boolean
  /** Whether a recomputation ends where the last tensor has been saved again: torch's `early_stop`. */
  readonly stopsEarly: boolean
}

export interface PlayerRules {
  readonly shares: Shares
  readonly checkpoints: CheckpointRules
  readonly inBackward: InBackward | undefined
  readonly exchange: (memory: Memory, kept: ExchangeContext['kept']) => Exchange
}

export class Player implements Memory {
  readonly step = new Step()
  readonly #tape: Tape
  readonly #objective: Objective
  readonly #shares: Shares
  readonly #checkpoints: CheckpointRules
  readonly #storages: LiveStorages
  readonly #gradients: Gradients
  /** Recomputed and kept until the backward pass has gone through every block. */
  readonly #retained: Storage[] = []
  /** Gradients of blocks' inputs, kept until the backward pass ends. */
  readonly #keptGradients: Storage[] = []
  readonly #keptInputs: Storage[] = []
  /** The outputs of the forward pass before. */
  #earlierOutputs: readonly Storage[] = []
  readonly #inBackward: InBackward | undefined
  #parameters: ReadonlySet<Storage> | undefined
  readonly #parametersOfNodes = new Map<Node, readonly Storage[]>()
  readonly exchange: Exchange
  #uses: Numbers | undefined
  #kept: readonly Storage[] | undefined

  constructor(tape: Tape, objective: Objective, { shares, checkpoints, inBackward, exchange }: PlayerRules) {
    this.#tape = tape
    this.#objective = objective
    this.#shares = shares
    this.#checkpoints = checkpoints
    this.#inBackward = inBackward
    const room = STORAGES_PLAYED * tape.storageCount
    this.#storages = new LiveStorages(this.step, room)
    this.exchange = exchange(this, parameter => this.#stepAtOnce(parameter))
    this.#gradients = new Gradients(tape, this, room, (parameter, gradient) => {
      this.exchange.receives(parameter, gradient)
    })
  }

  /** Allocated, and referenced by the training loop until the end. */
  hold(storages: readonly Storage[]): void {
    for (const storage of storages) {
      this.allocate(storage)
      this.#storages.reference(storage, 1)
    }
  }

  /** What is there from the step before, and what runs before the first micro-step. */
  begin(): void {
    const { before = [] } = this.#objective
    if (before.length > 0) this.step.beginPhase('generation')
    this.#forward(before, 'generation')
    this.step.begin('the outputs of the step before')
    this.#keepOutputs()
  }

  /** `zeroes`: gradients that are there are released between the forward and the backward pass. */
  microStep({ zeroes }: { readonly zeroes: boolean }): void {
    const { loss, held, outputs = [] } = this.#objective
    this.step.beginPhase('forward')
    this.step.begin('the batch')
    const batch = this.#tape.batch
    for (const storage of batch) this.allocate(storage)
    const referenced = [...held, ...outputs, ...batch, ...this.#keptByGraph()]
    for (const storage of referenced) this.#storages.reference(storage, 1)
    this.#forward(this.#tape.nodes, 'forward')
    this.#letGoOfOutputs()
    if (zeroes) this.exchange.gradientsEnd()
    this.exchange.forwardEnds()
    this.step.beginPhase('backward')
    this.step.begin('backward', 'the loss')
    this.#uses ??= usesOf(this.#tape.nodes, loss)
    this.#gradients.begin(loss, this.#uses)
    this.#backward(this.#tape.nodes)
    this.exchange.backwardEnds()
    this.#releaseKept()
    for (const storage of referenced) this.#storages.dereference(storage)
    this.#keepOutputs()
  }

  /**
   * What nodes keep as attributes, and so as long as the graph is there, which the loss references until the backward pass is over. The
   * graph of a reentrant checkpoint is another.
   */
  #keptByGraph(): readonly Storage[] {
    this.#kept ??= [...new Set(keptBy(this.#tape.nodes, !this.#checkpoints.isReentrant))]
    return this.#kept
  }

  /** As storages of their own, since the next forward pass makes the same again. */
  #keepOutputs(): void {
    const { outputs } = this.#objective
    if (outputs === undefined) return
    const outer = this.step.turn
    this.#earlierOutputs = [...new Set([...outputs, ...this.#keptByGraph()])].map(storage => {
      this.#enter(storage.turn)
      return this.#tape.another(storage)
    })
    this.#enter(outer)
    for (const storage of this.#earlierOutputs) this.allocate(storage)
  }

  #letGoOfOutputs(): void {
    for (const storage of this.#earlierOutputs) this.release(storage)
    this.#earlierOutputs = []
  }

  optimizerStep(rule: OptimizerRule, parameters: readonly Tensor[]): void {
    this.step.beginPhase('optimizer')
    this.step.begin(OPTIMIZER_MOMENT)
    this.exchange.optimizerBegins()
    this.#optimize(rule, parameters)
    this.exchange.optimizerEnds()
  }

  #optimize(rule: OptimizerRule, parameters: readonly Tensor[]): void {
    const part = this.#shares.optimizerState * this.exchange.partAtATime
    const outer = this.step.turn
    // transformers trainer.py get_decay_parameter_names: its first group is what weight decay is for.
    const sizes = temporariesInTurn(rule, parameters, this.#tape.spec.loop === 'trainer')
    const groups = parameters.map(({ storage }, index) => {
      this.#enter(storage.turn)
      return (sizes[index] ?? []).map(bytes => this.fixed(bytes * part, 'temporaries'))
    })
    this.#enter(outer)
    const areTogether = rule.temporariesLive === 'together' || this.exchange.stepsFlat
    for (const group of areTogether ? [groups.flat()] : groups) {
      for (const temporary of group) this.allocate(temporary)
      for (const temporary of group) this.release(temporary)
    }
  }

  end(): void {
    this.exchange.gradientsEnd()
    this.#letGoOfOutputs()
  }

  /** The optimizer in a hook behind the gradient: torch.Tensor.register_post_accumulate_grad_hook. */
  #stepAtOnce(parameter: Storage): boolean {
    const stepped = this.#inBackward?.parameters.get(parameter)
    if (this.#inBackward === undefined || stepped === undefined) return false
    this.step.begin(OPTIMIZER_MOMENT)
    this.#optimize(this.#inBackward.rule, [stepped])
    return true
  }

  #forward(nodes: readonly Node[], phase: Phase): void {
    const outer = this.step.turn
    const saves = phase === 'forward' || phase === 'recomputation'
    for (let index = 0; index < nodes.length; index++) this.#storages.expectReads(nodes[index]!.reads)
    for (let index = 0; index < nodes.length; index++) {
      const node = nodes[index]!
      this.#enter(node.turn)
      this.step.begin(phaseNames[phase], node.name)
      if (node.body !== undefined) this.#forward(node.body, 'forward without saving')
      else if (phase !== 'recomputation' || node.isKept !== true) this.#compute(node, passOf(node, phase))
      if (node.isKept && phase === 'forward without saving') this.#storages.referenceAll(node.creates)
      if (saves && !this.#isOffloaded(node)) this.#storages.referenceAll(node.saves)
      this.#storages.endReads(node.reads)
      if (node.isKept && phase === 'recomputation') this.#storages.dereferenceAll(node.creates)
      this.#storages.releaseUnused(node.creates)
      if (node === this.#objective.outputsAfter) this.#letGoOfOutputs()
    }
    this.#enter(outer)
  }

  /** What happens now happens in this turn of layers that repeat, or in none. */
  #enter(turn: Turn | undefined): void {
    this.#tape.turn = turn
    this.step.turn = turn
  }

  #compute(node: Node, pass: Pass): void {
    const used = this.#begin(node, pass)
    this.#storages.allocateAll(node.creates)
    this.#storages.allocateAll(node.scratch)
    this.#storages.releaseAll(node.scratch)
    if (used.length > 0) this.exchange.ends?.(used, pass)
  }

  /** The parameters that the exchange was told of. */
  #begin(node: Node, pass: Pass): readonly Storage[] {
    if (this.exchange.begins === undefined) return NONE
    const used = this.#parametersOf(node)
    if (used.length > 0) this.exchange.begins(used, pass)
    return used
  }

  /** What a module's hooks would see: a table of embeddings is not among what its kernel is counted to read. */
  #parametersOf(node: Node): readonly Storage[] {
    const known = this.#parametersOfNodes.get(node)
    if (known !== undefined) return known
    const own = this.#tape.parameters.get(`${node.name}.weight`)?.storage
    this.#parameters ??= new Set([...this.#tape.parameters.values()].map(({ storage }) => storage))
    const parameters: Storage[] = []
    const use = (storage: Storage) => {
      if (this.#parameters?.has(storage) && !parameters.includes(storage)) parameters.push(storage)
    }
    for (const storage of node.reads) use(storage)
    for (const { to } of node.gradients) use(to.storage)
    if (own !== undefined) use(own)
    this.#parametersOfNodes.set(node, parameters)
    return parameters
  }

  #backward(nodes: readonly Node[]): void {
    const outer = this.step.turn
    const firstBlock = nodes.find(node => node.body !== undefined)
    for (let index = nodes.length - 1; index >= 0; index--) {
      const node = nodes[index]
      if (node === undefined) continue
      this.#enter(node.turn)
      if (this.#isOffloaded(node)) this.#bringBack(node)
      if (node.body !== undefined) this.#checkpointBackward(node, node.body)
      else this.#nodeBackward(node)
      if (node.body !== undefined && this.#checkpoints.keepsInputs) this.#keep(node)
      this.#storages.dereferenceAll(node.saves)
      if (node === firstBlock) this.#releaseRetained()
    }
    this.#enter(outer)
  }

  #checkpointBackward(node: Node, body: readonly Node[]): void {
    if (this.#checkpoints.isReentrant) {
      this.#reentrantBackward(node, body)
      return
    }
    // The recomputation starts when a backward first asks for a saved tensor.
    const savingCount = body.findLastIndex(inner => inner.saves.length > 0) + 1
    const [saving, rest] = [body.slice(0, savingCount), body.slice(savingCount)]
    this.#backward(rest)
    this.#forward(this.#checkpoints.stopsEarly ? untilLastSave(saving, rest) : body, 'recomputation')
    this.#retain(node.retains ?? [])
    this.#backward(saving)
    for (const output of node.outputs) this.#storages.releaseIfUnused(output.storage)
  }

  /** torch: utils/checkpoint.py CheckpointFunction.backward: its arguments and the recomputed outputs are local variables. */
  #reentrantBackward(node: Node, body: readonly Node[]): void {
    const incoming = node.outputs.map(output => this.#gradients.at(output)).filter(gradient => gradient !== undefined)
    for (const gradient of incoming) this.#gradients.hold(gradient)
    // One that another block saved is still there, and a second one is made.
    const outputs = node.outputs.map(output => {
      return this.#storages.isAllocated(output.storage) ? this.#tape.like(output, 'activations') : output.storage
    })
    const kept = keptBy(body, false)
    for (const storage of [...outputs, ...kept]) this.#storages.reference(storage, 1)
    this.#forward(body, 'recomputation')
    this.step.begin(phaseNames.recomputation, node.name)
    for (const storage of outputs) this.allocate(storage)
    this.#retain(node.retains ?? [])
    this.#backward(body)
    for (const storage of [...outputs, ...kept]) this.#storages.reference(storage, -1)
    for (const storage of new Set([...outputs, ...kept, ...node.outputs.map(output => output.storage)])) {
      this.#storages.releaseIfUnused(storage)
    }
    for (const gradient of incoming) this.#gradients.letGo(gradient)
  }

  #isOffloaded({ body }: Node): boolean {
    return body !== undefined && this.#checkpoints.offloadsInputs
  }

  #bringBack({ name, saves }: Node): void {
    this.step.begin(phaseNames.recomputation, name)
    for (const storage of saves) {
      this.#storages.reference(storage, 1)
      this.allocate(storage)
    }
  }

  #keep({ input, saves }: Node): void {
    const gradient = input && this.#gradients.at(input)
    if (gradient !== undefined) {
      this.#gradients.hold(gradient)
      this.#keptGradients.push(gradient)
    }
    for (const storage of saves) this.#storages.reference(storage, 1)
    this.#keptInputs.push(...saves)
  }

  #releaseKept(): void {
    for (const gradient of this.#keptGradients.splice(0)) this.#gradients.letGo(gradient)
    for (const storage of this.#keptInputs.splice(0)) {
      this.#storages.reference(storage, -1)
      this.#storages.releaseIfUnused(storage)
    }
  }

  #retain(storages: readonly Storage[]): void {
    for (const storage of storages) this.#storages.reference(storage, 1)
    this.#retained.push(...storages)
  }

  #releaseRetained(): void {
    for (const storage of this.#retained.splice(0)) this.#storages.dereference(storage)
  }

  /** Incoming gradients, saved tensors and results live together until the node is done. */
  #nodeBackward(node: Node): void {
    this.step.begin('backward', node.name)
    const incoming = this.#gradients.take(node.outputs)
    if (incoming.length === 0) return
    const used = this.#begin(node, 'backward')
    this.#propagate(node, incoming)
    if (used.length > 0) this.exchange.ends?.(used, 'backward')
  }

  #propagate({ backwardScratch, gradients }: Node, incoming: readonly Storage[]): void {
    this.#storages.allocateAll(backwardScratch)
    const outgoing = new Array<Storage>(gradients.length)
    for (let index = 0; index < outgoing.length; index++) {
      const { to, passes } = gradients[index]!
      outgoing[index] = (passes ? incoming[0] : undefined) ?? this.#gradients.create(to)
    }
    this.#storages.releaseAll(backwardScratch)
    for (let index = 0; index < outgoing.length; index++) this.#gradients.hold(outgoing[index]!)
    for (let index = 0; index < incoming.length; index++) this.#gradients.letGo(incoming[index]!)
    for (let index = 0; index < outgoing.length; index++) this.#gradients.deposit(gradients[index]!, outgoing[index]!)
  }

  fixed(bytes: number, kind: ByteKind): Storage {
    return this.#tape.fixed(bytes, kind)
  }

  allocate(storage: Storage): void {
    this.#storages.allocate(storage)
  }

  release(storage: Storage): void {
    this.#storages.release(storage)
  }
}

const NONE: readonly never[] = []

/** Storages of a step with its gradients, for one that was recorded. */
const STORAGES_PLAYED = 2

/** What is recorded for a backward pass, whenever it runs; DeepSpeed and FSDP gather for the rest too, and let go again. */
function passOf(node: Node, phase: Phase): Pass {
  if (phase === 'recomputation') return 'backward'
  return node.outputs.some(output => output.requiresGrad) ? 'forward' : 'without gradients'
}
