/** Python frames and checkpointed blocks: what local variables keep alive, and what the backward pass recomputes. */
import type { Node } from '../autograd.ts'
import { EVERY_LAYER, layerPlan, TURNS_BEHIND } from '../repetition.ts'
import type { Storage, Tensor } from '../storage.ts'
import { Batch } from './batch.ts'

export class Blocks extends Batch {
  /** The input of each block: the hidden states that `output_hidden_states` would return. */
  readonly blockInputs: Tensor[] = []
  /** Tensors that local variables of the running block reference. */
  protected locals: Tensor[] = []
  /** Of layers that are alike only some are recorded: so many before the one that stands for others. */
  firstTurns = EVERY_LAYER
  /** And so many behind it. */
  turnsBehind = TURNS_BEHIND
  /** What the running block passes on. */
  #handedOn: Tensor[] = []

  local(x: Tensor): Tensor {
    this.locals.push(x)
    return x
  }

  handOn(states: readonly Tensor[]): void {
    this.#handedOn.push(...states)
  }

  withInputGradients(x: Tensor): Tensor {
    // transformers modeling_utils.py enable_input_require_grads: a hook on the embeddings' output.
    const { lora, gradientCheckpointing } = this.spec
    const isWanted = lora !== undefined && gradientCheckpointing && this.training && this.pass === undefined
    if (!isWanted) return x
    const leaf = { ...x, requiresGrad: true, edge: this.newEdge() }
    // torch: a leaf is held by the AccumulateGrad node that its gradient goes to.
    this.record('input gradients', { reads: [x], outputs: [leaf], saves: [leaf] })
    return leaf
  }

  frame(x: Tensor, body: (x: Tensor) => Tensor): Tensor {
    const caller = this.locals
    this.locals = [x]
    const output = body(x)
    this.record('return', { reads: this.locals, outputs: [] })
    this.locals = caller
    return output
  }

  block(x: Tensor, body: (x: Tensor) => Tensor, shared: readonly Tensor[] = []): Tensor {
    this.blockInputs.push(x)
    const isRecomputed = this.spec.gradientCheckpointing && this.training && this.pass === undefined
    const { inputGradients = isRecomputed } = this.spec.trainable ?? {}
    // transformers and peft make the input require gradients (`enable_input_require_grads`); otherwise a block over frozen weights
    // would not be part of the graph.
    const input = inputGradients && this.pass === undefined ? { ...x, requiresGrad: true } : x
    if (!isRecomputed) return this.frame(input, body)
    // torch: utils/checkpoint.py: only the block's input survives the forward pass.
    const outer = this.nodes
    const castOutside = new Map(this.castWeights)
    this.nodes = []
    this.#handedOn = []
    const output = this.frame(input, body)
    const inputs = [x, ...shared].map(tensor => tensor.storage)
    const retains = savedOnTheWayTo(this.#handedOn, this.nodes)
    const block = {
      ...emptyNode,
      turn: this.turn,
      reads: inputs,
      saves: inputs,
      outputs: [output],
      input: x,
      body: this.nodes,
      retains,
    }
    outer.push(...(inputGradients || trainsSomething(this.nodes) ? [block] : this.nodes))
    this.nodes = outer
    // The recomputation opens its own autocast context, and so its own cache of cast weights.
    this.castWeights = castOutside
    return output
  }

  layers<State>(x: State, kinds: readonly string[] | number, layer: (x: State, index: number) => State): State {
    const each = typeof kinds === 'number' ? new Array<string>(kinds).fill('') : kinds
    const isOuter = this.turn === undefined
    const plan = isOuter
      ? layerPlan(each, this.firstTurns, this.turnsBehind)
      : each.map((_, index) => ({ index, turn: this.turn }))
    let states = x
    for (const { index, turn } of plan) {
      this.turn = turn
      states = layer(states, index)
    }
    if (isOuter) this.turn = undefined
    return states
  }
}

/** What autograd holds for the backward pass of `tensors`: the saved tensors of every node behind them. */
function savedOnTheWayTo(tensors: readonly Tensor[], nodes: readonly Node[]): Storage[] {
  const reached = new Set(tensors.map(tensor => tensor.storage))
  return nodes.toReversed().flatMap(({ outputs, gradients, saves }) => {
    if (!outputs.some(output => reached.has(output.storage))) return []
    for (const { to } of gradients) reached.add(to.storage)
    return saves.filter(storage => !storage.persistent)
  })
}

const emptyNode: Node = {
  name: 'checkpoint',
  reads: [],
  creates: [],
  scratch: [],
  saves: [],
  keeps: [],
  outputs: [],
  gradients: [],
  backwardScratch: [],
  flopsPerSample: 0,
  computeDtype: 'float32',
}

function trainsSomething(nodes: readonly Node[]): boolean {
  return nodes.some(({ gradients }) => gradients.some(({ to }) => to.storage.persistent))
}
