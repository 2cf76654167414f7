/** Python frames and checkpointed blocks: what local variables keep alive, and what the backward pass recomputes. */
import type { Stack } from '../../../program/interpreter.ts'
import { isFsdp, isOfNemoRl } from '../../../training/choices.ts'
import { layersNamed } from '../../../training/parameter-pattern.ts'
import { saidOfLayers } from '../../../training/unquantized.ts'
import { checkpointsReentrantly } from '../../library-rules.ts'
import type { Node } from '../autograd.ts'
import { passedTo } from '../kernels/masks.ts'
import { layerPlan } from '../repetition.ts'
import type { Storage, Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { cast } from './casts.ts'
import { add } from './primitives.ts'

export function local(tape: Tape, x: Tensor): Tensor {
  tape.locals.push(x)
  return x
}

export function returned(tape: Tape, x: Tensor): Tensor {
  tape.held.push(x.storage)
  return x
}

export function handOn(tape: Tape, states: readonly Tensor[]): void {
  tape.handedOn.push(...states)
}

export function withInputGradients(tape: Tape, x: Tensor): Tensor {
  // transformers modeling_utils.py enable_input_require_grads: a hook on the embeddings' output, which changes nothing where these train.
  const { lora, trainable, gradientCheckpointing, offloadsCheckpoints } = tape.spec
  const { inputGradients = lora !== undefined } = trainable ?? {}
  const isWanted = inputGradients && gradientCheckpointing && tape.pass === undefined
  if (!isWanted || x.requiresGrad) return x
  const leaf = { ...x, requiresGrad: true, edge: tape.newEdge() }
  // torch: a leaf is held by the AccumulateGrad node that its gradient goes to. Unsloth's longest samples leave no room for one beside
  // checkpoints on the host.
  tape.record('input gradients', { reads: [x], outputs: [leaf], saves: offloadsCheckpoints ? [] : [leaf] })
  return leaf
}

export function frame(tape: Tape, x: Tensor, body: (x: Tensor) => Tensor): Tensor {
  return module(tape, x, input => plainFrame(tape, input, body))
}

/** A part of a block that may be checkpointed by itself (`checkpointsModules`): a norm, attention, a feed-forward layer. */
export function module(tape: Tape, x: Tensor, body: (x: Tensor) => Tensor): Tensor {
  if (!tape.checkpointsParts) return body(x)
  tape.checkpointsParts = false
  const output = recomputed(tape, x, body)
  tape.checkpointsParts = true
  return output
}

function plainFrame(tape: Tape, x: Tensor, body: (x: Tensor) => Tensor): Tensor {
  const caller = tape.locals
  tape.locals = [x]
  const output = body(x)
  tape.record('return', { reads: tape.locals, outputs: [] })
  tape.locals = caller
  return output
}

export function block(
  tape: Tape,
  x: Tensor,
  body: (x: Tensor) => Tensor,
  shared: readonly Tensor[] = [],
  { isUnhooked = false }: { readonly isUnhooked?: boolean } = {},
): Tensor {
  tape.blockInputs.push(x)
  const checkpoints = tape.spec.gradientCheckpointing && !tape.isUncheckpointed
  const isRecomputed = checkpoints && tape.inTrainMode && tape.pass === undefined
  const { inputGradients: isHooked = isRecomputed } = tape.spec.trainable ?? {}
  const inputGradients = isUnhooked ? x.requiresGrad : isHooked
  // transformers and peft make the input require gradients (`enable_input_require_grads`); otherwise a block over frozen weights
  // would not be part of the graph.
  const input = inputGradients && tape.pass === undefined ? { ...x, requiresGrad: true } : x
  const whole = (given: Tensor) => betweenUnits(tape, given, states => plainFrame(tape, states, body))
  if (!isRecomputed) return whole(input)
  if (tape.spec.checkpointsModules) {
    tape.checkpointsParts = true
    const output = whole(input)
    tape.checkpointsParts = false
    return output
  }
  return recomputed(tape, input, whole, { x, shared, inputGradients })
}

/**
 * NeMo-RL's policy of mixed precision, on every block as on the model: FSDP2 casts what goes in to 16 bits, and hands on float32
 * (output_dtype; torch: fsdp/_fully_shard/_fsdp_state.py).
 */
function betweenUnits(tape: Tape, x: Tensor, body: (x: Tensor) => Tensor): Tensor {
  const { loop, sharding, precision } = tape.spec
  if (!isOfNemoRl(loop) || !isFsdp(sharding) || precision !== 'bf16-master') return body(x)
  return plainFrame(tape, x, given => cast(tape, body(cast(tape, given, 'bfloat16')), 'float32'))
}

interface Checkpoint {
  readonly x: Tensor
  readonly shared: readonly Tensor[]
  readonly inputGradients: boolean
}

function recomputed(
  tape: Tape,
  input: Tensor,
  body: (x: Tensor) => Tensor,
  { x, shared, inputGradients }: Checkpoint = { x: input, shared: [], inputGradients: false },
): Tensor {
  // torch: utils/checkpoint.py: only the block's input survives the forward pass.
  const outer = tape.nodes
  const castOutside = new Map(tape.castWeights)
  tape.nodes = []
  tape.handedOn = []
  tape.recomputes = !checkpointsReentrantly(tape.spec)
  const output = body(input)
  tape.recomputes = false
  const inputs = [...[x, ...shared].map(tensor => tensor.storage), ...passedTo(tape, tape.nodes)]
  const retains = savedOnTheWayTo(tape.handedOn, tape.nodes)
  const block = {
    ...emptyNode,
    turn: tape.turn,
    reads: inputs,
    saves: inputs,
    outputs: [output],
    input: x,
    body: tape.spec.selectiveCheckpoints ? withKeptResults(tape.nodes) : tape.nodes,
    retains,
  }
  outer.push(...(inputGradients || trainsSomething(tape.nodes) ? [block] : tape.nodes))
  tape.nodes = outer
  // The recomputation opens its own autocast context, and so its own cache of cast weights.
  tape.castWeights = castOutside
  return output
}

/**
 * torchtitan distributed/activation_checkpoint.py _apply_op_sac: results of fused attention and of every second matrix product, and
 * what GPUs have summed of their parts.
 */
function withKeptResults(nodes: readonly Node[]): readonly Node[] {
  let products = 0
  return nodes.map(node => {
    const isAttention = node.kernel === 'flash-attention' || node.kernel === 'efficient-attention'
    const isProduct = node.flopsPerSample > 0 && node.kernel === undefined
    if (isProduct) products++
    const isKept = isAttention || (isProduct && products % 2 === 1) || node.name === 'reduce_scatter'
    return isKept ? { ...node, isKept } : node
  })
}

export function layers(tape: Tape, x: Tensor | undefined, { kinds, layer }: Stack<Tensor>): Tensor | undefined {
  const isOuter = tape.turn === undefined
  const { stack, nodes } = tape
  tape.stack ??= { masks: new Map(), nodes, at: nodes.length }
  const { checkpointEvery = 1, trainable, unquantized } = tape.spec
  const isLeftOut = (index: number) => (index + 1) % checkpointEvery !== 0
  const named = layersNamed(trainable?.names ?? [])
  const said = unquantized && saidOfLayers(unquantized)
  const kindOf = (kind: string, index: number) =>
    `${kind} ${isLeftOut(index)} ${named?.has(index) ? index : ''} ${said?.get(index) ?? ''}`
  const plan = isOuter
    ? layerPlan(kinds.map(kindOf), tape.firstTurns, tape.turnsBehind)
    : kinds.map((_, index) => ({ index, turn: tape.turn }))
  let states = x
  for (const { index, turn } of plan) {
    tape.turn = turn
    tape.isUncheckpointed = isLeftOut(index)
    states = layer(states, index)
  }
  tape.isUncheckpointed = false
  // Local variables of the function that goes through the layers.
  const masks = stack === undefined ? [...tape.stack.masks.values()] : []
  tape.stack = stack
  if (isOuter) tape.turn = undefined
  if (masks.length > 0) tape.record('return', { reads: masks, outputs: [] })
  return states
}

export function residual(tape: Tape, x: Tensor, skip: Tensor, options: { inPlace?: boolean } = {}): Tensor {
  tape.locals.push(x, skip)
  return add(tape, x, skip, options)
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
