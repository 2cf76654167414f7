/** Goes through what a tape recorded as PyTorch's autograd would, and writes down what is allocated and released, and when. */
import type { Optimizer } from '../config/spec.ts'
import type { Autograd, Node } from './autograd.ts'
import { optimizerRules } from './optimizer.ts'
import type { Exchange, ExchangeContext, Memory, Pass } from './sharding/exchange.ts'
import type { Shares } from './sharding/shares.ts'
import type { ByteKind, Storage, Tensor } from './storage.ts'

export interface Event {
  readonly kind: 'allocate' | 'release'
  readonly storage: Storage
  /** What was running: `backward of encoder.layer.11.output.dense`. */
  readonly moment: string
}

/** The moment of a peak that the optimizer makes. */
export const OPTIMIZER_MOMENT = 'the optimizer'

const phaseNames = {
  forward: 'forward',
  'forward without saving': 'forward',
  recomputation: 'recomputation',
  answers: 'generating and scoring completions, forward',
} as const
type Phase = keyof typeof phaseNames

/** What steps with each gradient as it comes. */
export interface InBackward {
  readonly optimizer: Optimizer
  readonly parameters: ReadonlyMap<Storage, Tensor>
}

export interface PlayerRules {
  readonly shares: Shares
  readonly inBackward: InBackward | undefined
  readonly exchange: (memory: Memory, kept: ExchangeContext['kept']) => Exchange
}

export class Player implements Memory {
  readonly events: Event[] = []
  readonly #tape: Autograd
  readonly #loss: Tensor
  readonly #shares: Shares
  #moment = ''
  /** Forward reads still to come, by storage id. */
  readonly #reads: number[] = []
  /** Saves by nodes whose backward is still to come, and references from Python code. */
  readonly #references: number[] = []
  readonly #live = new Set<Storage>()
  /** The gradient that has arrived for a tensor so far; several tensors may share one. */
  readonly #gradients = new Map<number, Storage>()
  readonly #gradientReferences = new Map<Storage, number>()
  /** Uses of a parameter whose gradient this backward pass still owes, by storage id. */
  #usesLeft: number[] = []
  /** Recomputed and kept until the backward pass has gone through every block. */
  readonly #retained: Storage[] = []
  readonly #waitingGradients = new Map<Storage, Storage>()
  readonly #inBackward: InBackward | undefined
  readonly #parameterNames: ReadonlyMap<Storage, string>
  readonly #parametersOfNodes = new Map<Node, readonly Storage[]>()
  readonly exchange: Exchange

  constructor(tape: Autograd, loss: Tensor, { shares, inBackward, exchange }: PlayerRules) {
    this.#tape = tape
    this.#loss = loss
    this.#shares = shares
    this.#inBackward = inBackward
    this.#parameterNames = new Map([...tape.parameters].map(([name, { storage }]) => [storage, name]))
    this.exchange = exchange(this, parameter => this.#stepAtOnce(parameter))
  }

  beforehand(nodes: readonly Node[]): void {
    this.#forward(nodes, 'answers')
  }

  microStep(held: readonly Storage[]): void {
    this.#moment = 'the batch'
    const batch = this.#tape.batch
    for (const storage of batch) this.allocate(storage)
    for (const storage of [...held, ...batch]) this.#reference(storage, 1)
    this.#forward(this.#tape.nodes, 'forward')
    this.exchange.forwardEnds()
    this.#moment = 'backward of the loss'
    const seed = this.#newGradient(this.#loss)
    this.#shareGradient(seed)
    this.#deposit(this.#loss, seed)
    this.#usesLeft = usesOf(this.#tape.nodes)
    this.#backward(this.#tape.nodes)
    this.exchange.backwardEnds()
    for (const storage of [...held, ...batch]) {
      this.#reference(storage, -1)
      this.#releaseIfUnused(storage)
    }
  }

  optimizerStep(optimizer: Optimizer, parameters: readonly Tensor[]): void {
    this.#moment = OPTIMIZER_MOMENT
    this.exchange.optimizerBegins()
    this.#optimize(optimizer, parameters)
    this.exchange.optimizerEnds()
  }

  #optimize(optimizer: Optimizer, parameters: readonly Tensor[]): void {
    const { temporaries, temporariesLive } = optimizerRules[optimizer]
    const part = this.#shares.optimizerState * this.exchange.partAtATime
    const groups = parameters.map(parameter =>
      temporaries(parameter).map(bytes => this.fixed(bytes * part, 'temporaries')),
    )
    for (const group of temporariesLive === 'together' ? [groups.flat()] : groups) {
      for (const temporary of group) this.allocate(temporary)
      for (const temporary of group) this.release(temporary)
    }
  }

  gradientsEnd(): void {
    this.exchange.gradientsEnd()
  }

  /** The optimizer in a hook behind the gradient: torch.Tensor.register_post_accumulate_grad_hook. */
  #stepAtOnce(parameter: Storage): boolean {
    const stepped = this.#inBackward?.parameters.get(parameter)
    if (this.#inBackward === undefined || stepped === undefined) return false
    this.#moment = OPTIMIZER_MOMENT
    this.#optimize(this.#inBackward.optimizer, [stepped])
    return true
  }

  #forward(nodes: readonly Node[], phase: Phase): void {
    const saves = phase === 'forward' || phase === 'recomputation'
    for (const node of nodes)
      for (const storage of node.reads) this.#reads[storage.id] = this.#count(this.#reads, storage) + 1
    for (const node of nodes) {
      this.#moment = `${phaseNames[phase]} of ${node.name}`
      if (node.body !== undefined) this.#forward(node.body, 'forward without saving')
      else this.#compute(node, passOf(node, phase))
      if (saves) for (const storage of node.saves) this.#reference(storage, 1)
      if (phase !== 'recomputation') for (const storage of node.keeps) this.#reference(storage, 1)
      for (const storage of node.reads) {
        this.#reads[storage.id] = this.#count(this.#reads, storage) - 1
        this.#releaseIfUnused(storage)
      }
      for (const storage of node.creates) this.#releaseIfUnused(storage)
    }
  }

  #compute(node: Node, pass: Pass): void {
    this.#exchanging(node, pass, () => {
      for (const storage of node.creates) this.allocate(storage)
      for (const storage of node.scratch) this.allocate(storage)
      for (const storage of node.scratch) this.release(storage)
    })
  }

  #exchanging(node: Node, pass: Pass, run: () => void): void {
    const used = this.exchange.begins ? this.#parametersOf(node) : []
    if (used.length > 0) this.exchange.begins?.(used, pass)
    run()
    if (used.length > 0) this.exchange.ends?.(used, pass)
  }

  /** What a module's hooks would see: a table of embeddings is not among what its kernel is counted to read. */
  #parametersOf(node: Node): readonly Storage[] {
    const known = this.#parametersOfNodes.get(node)
    if (known !== undefined) return known
    const own = this.#tape.parameters.get(`${node.name}.weight`)?.storage
    const used = [...node.reads, ...node.gradients.map(({ to }) => to.storage), ...(own === undefined ? [] : [own])]
    const parameters = [...new Set(used)].filter(storage => this.#parameterNames.has(storage))
    this.#parametersOfNodes.set(node, parameters)
    return parameters
  }

  #backward(nodes: readonly Node[]): void {
    const firstBlock = nodes.find(node => node.body !== undefined)
    for (const node of nodes.toReversed()) {
      if (node.body !== undefined) this.#checkpointBackward(node, node.body)
      else this.#nodeBackward(node)
      for (const storage of [...node.saves, ...node.keeps]) {
        this.#reference(storage, -1)
        this.#releaseIfUnused(storage)
      }
      if (node === firstBlock) this.#releaseRetained()
    }
  }

  #checkpointBackward(node: Node, body: readonly Node[]): void {
    // The recomputation starts when a backward first asks for a saved tensor.
    const savingCount = body.findLastIndex(inner => inner.saves.length > 0) + 1
    const [saving, rest] = [body.slice(0, savingCount), body.slice(savingCount)]
    this.#backward(rest)
    this.#forward(untilLastSave(saving, rest), 'recomputation')
    this.#retain(node.retains ?? [])
    this.#backward(saving)
    for (const output of node.outputs) this.#releaseIfUnused(output.storage)
  }

  #retain(storages: readonly Storage[]): void {
    for (const storage of storages) this.#reference(storage, 1)
    this.#retained.push(...storages)
  }

  #releaseRetained(): void {
    for (const storage of this.#retained.splice(0)) {
      this.#reference(storage, -1)
      this.#releaseIfUnused(storage)
    }
  }

  /** Incoming gradients, saved tensors and results live together until the node is done. */
  #nodeBackward(node: Node): void {
    this.#moment = `backward of ${node.name}`
    const incoming = node.outputs.flatMap(output => this.#takeGradient(output))
    if (incoming.length > 0) this.#exchanging(node, 'backward', () => this.#propagate(node, incoming))
  }

  #propagate(node: Node, incoming: readonly Storage[]): void {
    for (const storage of node.backwardScratch) this.allocate(storage)
    const outgoing = node.gradients.map(edge => {
      const passed = edge.passes ? incoming[0] : undefined
      return { to: edge.to, gradient: passed ?? this.#newGradient(edge.to) }
    })
    for (const storage of node.backwardScratch) this.release(storage)
    for (const { gradient } of outgoing) this.#shareGradient(gradient)
    for (const gradient of incoming) this.#dropGradient(gradient)
    for (const { to, gradient } of outgoing) this.#deposit(to, gradient)
  }

  #newGradient(of: Tensor): Storage {
    const kind = of.storage.persistent ? 'gradients' : of.storage.kind === 'logits' ? 'logits' : 'temporaries'
    const gradient = this.#tape.like(of, kind)
    this.allocate(gradient)
    return gradient
  }

  /** torch/csrc/autograd/input_buffer.cpp accumulate: in place when nobody else holds the earlier gradient. */
  #deposit(to: Tensor, gradient: Storage): void {
    if (to.storage.persistent) {
      this.#depositForParameter(to, gradient)
      return
    }
    const key = to.edge
    const earlier = this.#gradients.get(key)
    if (earlier === undefined) {
      this.#gradients.set(key, gradient)
      return
    }
    if ((this.#gradientReferences.get(earlier) ?? 0) > 1) {
      const sum = this.#newGradient(to)
      this.#shareGradient(sum)
      this.#gradients.set(key, sum)
      this.#dropGradient(earlier)
    }
    this.#dropGradient(gradient)
  }

  /**
   * A parameter's gradients wait for each other. torch: input_buffer.cpp can_accumulate_inplace: a linear layer's is the view of
   * a transposed product, so the sum with another is a new tensor, unless autocast has cast it in between.
   */
  #depositForParameter(to: Tensor, gradient: Storage): void {
    this.#gradientReferences.delete(gradient)
    const parameter = to.storage
    const waiting = this.#waitingGradients.get(parameter)
    const usesLeft = this.#count(this.#usesLeft, parameter) - 1
    this.#usesLeft[parameter.id] = usesLeft
    let sum = waiting ?? gradient
    if (waiting !== undefined) {
      if (this.#tape.autocastDtype === undefined) {
        sum = this.#newGradient(to)
        this.release(waiting)
      }
      this.release(gradient)
    }
    if (usesLeft > 0) {
      this.#waitingGradients.set(parameter, sum)
      return
    }
    this.#waitingGradients.delete(parameter)
    this.exchange.receives(parameter, sum)
  }

  #takeGradient(of: Tensor): Storage[] {
    const key = of.edge
    const gradient = this.#gradients.get(key)
    if (gradient === undefined) return []
    this.#gradients.delete(key)
    return [gradient]
  }

  #shareGradient(gradient: Storage): void {
    this.#gradientReferences.set(gradient, (this.#gradientReferences.get(gradient) ?? 0) + 1)
  }

  #dropGradient(gradient: Storage): void {
    const references = (this.#gradientReferences.get(gradient) ?? 0) - 1
    this.#gradientReferences.set(gradient, references)
    if (references <= 0) {
      this.#gradientReferences.delete(gradient)
      this.release(gradient)
    }
  }

  #count(counts: readonly number[], storage: Storage): number {
    return counts[storage.id] ?? 0
  }

  #reference(storage: Storage, change: 1 | -1): void {
    this.#references[storage.id] = this.#count(this.#references, storage) + change
  }

  #releaseIfUnused(storage: Storage): void {
    const unused = this.#count(this.#reads, storage) === 0 && this.#count(this.#references, storage) === 0
    if (unused && !storage.persistent && this.#live.has(storage)) this.release(storage)
  }

  fixed(bytes: number, kind: ByteKind): Storage {
    return this.#tape.fixed(bytes, kind)
  }

  allocate(storage: Storage): void {
    // A recomputed block's input or output may still be there from the forward pass.
    if (this.#live.has(storage)) return
    this.#live.add(storage)
    this.events.push({ kind: 'allocate', storage, moment: this.#moment })
  }

  release(storage: Storage): void {
    this.#live.delete(storage)
    this.events.push({ kind: 'release', storage, moment: this.#moment })
  }
}

/** What is recorded for a backward pass, whenever it runs; DeepSpeed and FSDP gather for the rest too, and let go again. */
function passOf(node: Node, phase: Phase): Pass {
  if (phase === 'recomputation') return 'backward'
  return node.outputs.some(output => output.requiresGrad) ? 'forward' : 'without gradients'
}

/**
 * torch: utils/checkpoint.py _StopRecomputationError: a recomputation ends where the last tensor has been saved again. What the
 * rest would have read is still there at that point.
 */
function untilLastSave(saving: readonly Node[], rest: readonly Node[]): readonly Node[] {
  const last = saving.at(-1)
  if (last === undefined) return saving
  const savesInputsOnly = last.saves.every(storage => last.reads.includes(storage))
  const end = savesInputsOnly ? { ...last, creates: [], scratch: [] } : last
  const stop = { ...end, creates: [], scratch: [], saves: [], reads: rest.flatMap(node => node.reads) }
  return [...saving.slice(0, -1), end, stop]
}

/** How often each parameter is used where a gradient reaches it, by storage id. */
function usesOf(nodes: readonly Node[], uses: number[] = []): number[] {
  for (const node of nodes) {
    if (node.body !== undefined) usesOf(node.body, uses)
    for (const { to } of node.gradients) if (to.storage.persistent) uses[to.storage.id] = (uses[to.storage.id] ?? 0) + 1
  }
  return uses
}
