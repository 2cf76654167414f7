/**
 * Replays a tape as PyTorch would run it and writes down every allocation and release of one optimizer step. The sequence is
 * the same for every batch size, only the sizes differ, so one timeline answers for all of them.
 */
import type { Optimizer, TrainingSpec } from '../config/spec.ts'
import { type Autograd, type Node, REFERENCE } from './autograd.ts'
import { optimizerRules } from './optimizer.ts'
import { exchangeBytes, type Shares, sharesOf } from './sharding.ts'
import { bytesPerElement, elements, type Storage, type Tensor } from './storage.ts'

export interface Event {
  readonly kind: 'allocate' | 'release'
  readonly storage: Storage
  /** What was running: `backward of encoder.layer.11.output.dense`. */
  readonly moment: string
}

/** The moment of a peak that the optimizer makes. */
export const OPTIMIZER_MOMENT = 'the optimizer'

export interface Timeline {
  /** Weights and buffers, there before the first step. */
  readonly model: readonly Storage[]
  /** Allocated by the first optimizer step, there in every later one. */
  readonly optimizerState: readonly Storage[]
  /** One step, from the batch's arrival to the gradients' release. */
  readonly step: readonly Event[]
  /** Events of the step before the optimizer runs, where the first step allocates its state. */
  readonly eventsBeforeOptimizer: number
  readonly parameterCount: number
}

export interface Recording {
  readonly loss: Tensor
  /** What the training loop still references in the backward pass. */
  readonly held: readonly Storage[]
  /** What runs before the first micro-step, without gradients. */
  readonly before: readonly Node[]
}

/** Plays one optimizer step of what `tape` recorded. */
export function playStep(tape: Autograd, spec: TrainingSpec, { loss, held, before }: Recording): Timeline {
  const shares = sharesOf(spec)
  const parameters = [...tape.parameters.values()]
  const optimized = parameters.filter(parameter => parameter.requiresGrad).map(parameter => master(spec, parameter))
  const player = new Player(tape, loss, shares, spec.optimizerInBackward && inBackward(spec, optimized))
  // From the second micro-step on, the forward pass runs beside the gradients accumulated so far.
  const microSteps = spec.step === 'training' ? Math.min(spec.gradientAccumulation, 2) : 1
  player.beforehand(before)
  for (let index = 0; index < microSteps; index++) player.microStep(held)
  const withState = spec.trainable?.inTurns ? parameters : optimized
  const isTraining = spec.step === 'training'
  const eventsBeforeOptimizer = player.events.length
  if (isTraining && !spec.optimizerInBackward) player.optimizerStep(spec.optimizer, optimized)
  player.releaseGradients()
  const exchange = isTraining ? exchangeBytes(spec, tape.parameters) : 0
  return {
    model: [
      ...[...parameters.map(parameter => parameter.storage), ...tape.buffers].map(storage =>
        share(storage, shares.weights),
      ),
      ...tape.wholeBuffers,
      ...(exchange > 0 ? [tape.fixed(exchange, 'temporaries')] : []),
    ],
    optimizerState: isTraining ? optimizerState(tape, spec, withState, shares) : [],
    step: player.events,
    eventsBeforeOptimizer,
    parameterCount: [...tape.parameters]
      .filter(([name]) => !name.startsWith(REFERENCE))
      .reduce((sum, [, parameter]) => sum + elements(parameter), 0),
  }
}

function inBackward({ optimizer }: TrainingSpec, optimized: readonly Tensor[]): InBackward {
  return { optimizer, parameters: new Map(optimized.map(parameter => [parameter.storage, parameter])) }
}

/** What the optimizer works on: the weights, or float32 copies of them. */
function master(spec: TrainingSpec, parameter: Tensor): Tensor {
  return spec.precision === 'bf16-master' ? { ...parameter, dtype: 'float32' } : parameter
}

function optimizerState(tape: Autograd, spec: TrainingSpec, optimized: readonly Tensor[], shares: Shares): Storage[] {
  const { stateBytes } = optimizerRules[spec.optimizer]
  const masterBytes = (parameter: Tensor) =>
    spec.precision === 'bf16-master' ? elements(parameter) * bytesPerElement.float32 : 0
  const names = new Map([...tape.parameters].map(([name, { storage }]) => [storage, name]))
  const kept = (parameter: Tensor) => stateBytes(parameter, names.get(parameter.storage) ?? '') + masterBytes(parameter)
  return optimized
    .map(parameter => kept(parameter) * shares.optimizerState)
    .filter(bytes => bytes > 0)
    .map(bytes => tape.fixed(bytes, 'optimizerState'))
}

function share(storage: Storage, part: number): Storage {
  return part === 1 ? storage : { ...storage, fixedBytes: storage.fixedBytes * part }
}

const phaseNames = {
  forward: 'forward',
  'forward without saving': 'forward',
  recomputation: 'recomputation',
  answers: 'making and scoring answers, forward',
} as const
type Phase = keyof typeof phaseNames

/** What steps with each gradient as it comes. */
interface InBackward {
  readonly optimizer: Optimizer
  readonly parameters: ReadonlyMap<Storage, Tensor>
}

class Player {
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
  readonly #parameterGradients = new Map<Storage, Storage>()
  /** Uses of a parameter whose gradient this backward pass still owes, by storage id. */
  #usesLeft: number[] = []
  /** Recomputed and kept until the backward pass has gone through every block. */
  readonly #retained: Storage[] = []
  readonly #waitingGradients = new Map<Storage, Storage>()
  readonly #inBackward: InBackward | undefined

  constructor(tape: Autograd, loss: Tensor, shares: Shares, inBackward: InBackward | undefined) {
    this.#tape = tape
    this.#loss = loss
    this.#shares = shares
    this.#inBackward = inBackward
  }

  beforehand(nodes: readonly Node[]): void {
    this.#forward(nodes, 'answers')
  }

  microStep(held: readonly Storage[]): void {
    this.#moment = 'the batch'
    const batch = this.#tape.batch
    for (const storage of batch) this.#allocate(storage)
    for (const storage of [...held, ...batch]) this.#reference(storage, 1)
    this.#forward(this.#tape.nodes, 'forward')
    this.#moment = 'backward of the loss'
    const seed = this.#newGradient(this.#loss)
    this.#shareGradient(seed)
    this.#deposit(this.#loss, seed)
    this.#usesLeft = usesOf(this.#tape.nodes)
    this.#backward(this.#tape.nodes)
    for (const storage of [...held, ...batch]) {
      this.#reference(storage, -1)
      this.#releaseIfUnused(storage)
    }
  }

  optimizerStep(optimizer: Optimizer, parameters: readonly Tensor[]): void {
    this.#moment = OPTIMIZER_MOMENT
    const { temporaries, temporariesLive } = optimizerRules[optimizer]
    const groups = parameters.map(parameter =>
      temporaries(parameter).map(bytes => this.#tape.fixed(bytes * this.#shares.optimizerState, 'temporaries')),
    )
    for (const group of temporariesLive === 'together' ? [groups.flat()] : groups) {
      for (const temporary of group) this.#allocate(temporary)
      for (const temporary of group) this.#release(temporary)
    }
  }

  /** optimizer.zero_grad(set_to_none=True), the default. */
  releaseGradients(): void {
    for (const gradient of this.#parameterGradients.values()) this.#release(gradient)
    this.#parameterGradients.clear()
  }

  #forward(nodes: readonly Node[], phase: Phase): void {
    const saves = phase === 'forward' || phase === 'recomputation'
    for (const node of nodes)
      for (const storage of node.reads) this.#reads[storage.id] = this.#count(this.#reads, storage) + 1
    for (const node of nodes) {
      this.#moment = `${phaseNames[phase]} of ${node.name}`
      if (node.body !== undefined) this.#forward(node.body, 'forward without saving')
      else this.#compute(node)
      if (saves) for (const storage of node.saves) this.#reference(storage, 1)
      if (phase !== 'recomputation') for (const storage of node.keeps) this.#reference(storage, 1)
      for (const storage of node.reads) {
        this.#reads[storage.id] = this.#count(this.#reads, storage) - 1
        this.#releaseIfUnused(storage)
      }
      for (const storage of node.creates) this.#releaseIfUnused(storage)
    }
  }

  #compute(node: Node): void {
    for (const storage of node.creates) this.#allocate(storage)
    for (const storage of node.scratch) this.#allocate(storage)
    for (const storage of node.scratch) this.#release(storage)
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
    if (incoming.length === 0) return
    for (const storage of node.backwardScratch) this.#allocate(storage)
    const outgoing = node.gradients.map(edge => {
      const passed = edge.passes ? incoming[0] : undefined
      return { to: edge.to, gradient: passed ?? this.#newGradient(edge.to) }
    })
    for (const storage of node.backwardScratch) this.#release(storage)
    for (const { gradient } of outgoing) this.#shareGradient(gradient)
    for (const gradient of incoming) this.#dropGradient(gradient)
    for (const { to, gradient } of outgoing) this.#deposit(to, gradient)
  }

  #newGradient(of: Tensor): Storage {
    const kind = of.storage.persistent ? 'gradients' : of.storage.kind === 'logits' ? 'logits' : 'temporaries'
    const gradient = this.#tape.like(of, kind)
    this.#allocate(gradient)
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
        this.#release(waiting)
      }
      this.#release(gradient)
    }
    if (usesLeft > 0) {
      this.#waitingGradients.set(parameter, sum)
      return
    }
    this.#waitingGradients.delete(parameter)
    this.#accumulate(parameter, sum)
  }

  /** AccumulateGrad: the first micro-step's gradient becomes `.grad`, later ones are added to it in place. */
  #accumulate(parameter: Storage, gradient: Storage): void {
    const known = this.#parameterGradients.has(parameter)
    const part = this.#shares.gradients
    // A storage of its own: the whole gradient is released beside it.
    const kept = known || part === 1 ? gradient : this.#tape.fixed(gradient.fixedBytes * part, gradient.kind)
    if (kept !== gradient) this.#allocate(kept)
    if (known || kept !== gradient) this.#release(gradient)
    if (!known) this.#parameterGradients.set(parameter, kept)
    this.#stepAtOnce(parameter, kept)
  }

  /** The optimizer in a hook behind the gradient: torch.Tensor.register_post_accumulate_grad_hook. */
  #stepAtOnce(parameter: Storage, gradient: Storage): void {
    const stepped = this.#inBackward?.parameters.get(parameter)
    if (this.#inBackward === undefined || stepped === undefined) return
    this.optimizerStep(this.#inBackward.optimizer, [stepped])
    this.#release(gradient)
    this.#parameterGradients.delete(parameter)
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
      this.#release(gradient)
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
    if (unused && !storage.persistent && this.#live.has(storage)) this.#release(storage)
  }

  #allocate(storage: Storage): void {
    // A recomputed block's input or output may still be there from the forward pass.
    if (this.#live.has(storage)) return
    this.#live.add(storage)
    this.events.push({ kind: 'allocate', storage, moment: this.#moment })
  }

  #release(storage: Storage): void {
    this.#live.delete(storage)
    this.events.push({ kind: 'release', storage, moment: this.#moment })
  }
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
