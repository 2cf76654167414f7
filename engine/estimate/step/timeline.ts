/**
 * Replays a tape as PyTorch would run it and writes down every allocation and release of one optimizer step. The sequence is
 * the same for every batch size, only the sizes differ, so one timeline answers for all of them.
 */
import { accumulatesGradients } from '../../training/batches.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { roundedSize } from '../allocator/caching-allocator.ts'
import {
  checkpointsReentrantly,
  hasFlatParameters,
  keepsFrozenInputs,
  keepsGradients,
  zeroesAfterForward,
} from '../library-rules.ts'
import type { Objective } from '../objectives/objective.ts'
import { DataParallel } from '../sharding/data-parallel.ts'
import { exchangeOf, gathersBlocks } from '../sharding/exchanges.ts'
import { keptWidth, mastersOf, type Shares, sharesOf } from '../sharding/shares.ts'
import { liesInTurns } from '../sharding/units.ts'
import { Watching } from '../sharding/watching.ts'
import { REFERENCE } from '../tape/autograd.ts'
import { countOf, type Turn, withLeftOut } from '../tape/repetition.ts'
import { type ByteKind, bytesPerElement, elements, type Storage, type Tensor } from '../tape/storage.ts'
import type { Tape } from '../tape/tape.ts'
import { optimizerRules, type StateRule, stateRules, steppingRule } from './optimizer.ts'
import { type InBackward, Player, type PlayerRules } from './player.ts'
import { type Section, type Sections, sectionsOf } from './sections.ts'
import type { Step } from './step.ts'

export interface Timeline {
  /** Weights and buffers, in the order in which they come to the GPU before the first step. */
  readonly model: readonly Lasting[]
  /** What the first optimizer step allocates and every later one finds. */
  readonly optimizerState: readonly Lasting[]
  /** The same by kind. */
  readonly restingBytes: Readonly<Record<ByteKind, number>>
  /** One step, from the batch's arrival to the gradients' release. */
  readonly step: Step
  readonly sections: Sections
  /** Sections of the step before the optimizer runs, where the first step allocates its state. */
  readonly sectionsBeforeOptimizer: number
  /** The same step without gradient accumulation, where that is only its second micro-step less. */
  readonly withoutAccumulation?: Timeline
}

/** What outlives the step, of the same size for any batch. */
export interface Lasting {
  readonly bytes: number
  readonly kind: ByteKind
}

/** What the optimizer steps with: the trainable parameters, or float32 copies of them. */
export interface Optimized {
  readonly tensors: number
  readonly elements: number
  readonly bytes: number
  /** Of its state, in managed memory. */
  readonly pagedBytes: number
}

/** One optimizer step of what `tape` recorded; undefined where layers that were left out cannot be told from those recorded. */
export function playStep(tape: Tape, spec: TrainingSpec, objective: Objective): Timeline | undefined {
  if (gathersBlocks(spec) && !liesInTurns(tape.parameters, spec)) return undefined
  const shares = sharesOf(spec)
  const masters = mastersIn(tape, spec)
  const optimized = [...masters.values()]
  const checkpoints = {
    isReentrant: checkpointsReentrantly(spec),
    keepsInputs: keepsFrozenInputs(spec),
    offloadsInputs: spec.offloadsCheckpoints === true,
    // torchtitan 0.2 config/job_config.py ActivationCheckpoint
    stopsEarly: spec.loop !== 'torchtitan',
  }
  const order = () => orderOfUse(tape, objective, { shares, checkpoints })
  const player = new Player(tape, objective, {
    shares,
    checkpoints,
    inBackward: spec.optimizerInBackward && inBackward(spec, optimized),
    exchange: (memory, kept) => exchangeOf({ spec, parameters: tape.parameters, memory, kept }, order),
  })
  // From the second micro-step on, the forward pass runs beside the gradients accumulated so far, or of the step before.
  const zeroes = zeroesAfterForward(spec)
  const hasGradients = accumulatesGradients(spec) || (spec.step === 'training' && keepsGradients(spec))
  const microSteps = zeroes || hasGradients ? 2 : 1
  player.begin()
  player.microStep({ zeroes })
  const eventsBeforeSecond = player.step.length
  if (microSteps === 2) player.microStep({ zeroes })
  const isTraining = spec.step === 'training'
  const eventsBeforeOptimizer = player.step.length
  if (isTraining && !spec.optimizerInBackward) player.optimizerStep(steppingRule(spec), optimized)
  player.end()
  const sections = sectionsOf(player.step, [eventsBeforeSecond, eventsBeforeOptimizer])
  if (sections === undefined) return undefined
  const withState = spec.trainable?.inTurns ? tape.parameters : masters
  const whole = (storage: Storage) => lasting(storage, 1)
  const model = withLeftOut([
    ...[...tape.parameters.values()].map(one => lasting(one.storage, shares.weights * keptWidth(spec, one))),
    ...tape.buffers.map(storage => lasting(storage, shares.weights)),
    ...tape.wholeBuffers.map(whole),
    ...(isTraining ? player.exchange.resident.map(whole) : []),
  ])
  const state = withLeftOut(
    isTraining ? optimizerState(spec, withState, { shares, ruleOf: stateRules(spec, tape.embeddings) }) : [],
  )
  const timeline = {
    model,
    optimizerState: state,
    restingBytes: bytesByKind([...model, ...state]),
    step: player.step,
    sections,
    sectionsBeforeOptimizer: sections.all.filter(({ to }) => to <= eventsBeforeOptimizer).length,
  }
  if (!onlyAddsMicroStep(spec, objective, player)) return timeline
  const isFirst = ({ to }: Section) => to <= eventsBeforeSecond
  const isLast = ({ from }: Section) => from >= eventsBeforeOptimizer
  const withoutAccumulation = {
    ...timeline,
    sections: { ...sections, all: sections.all.filter(section => isFirst(section) || isLast(section)) },
    sectionsBeforeOptimizer: sections.all.filter(isFirst).length,
  }
  return { ...timeline, withoutAccumulation }
}

/**
 * Whether accumulating gradients only adds a second micro-step: without it the step begins with no gradients, and of the first micro-step
 * nothing but its gradients, all of them whole, is left for the second.
 */
function onlyAddsMicroStep(spec: TrainingSpec, { outputs }: Objective, { exchange }: Player): boolean {
  const alone = { ...spec, gradientAccumulation: 1 }
  const beginsWithGradients = zeroesAfterForward(alone) || keepsGradients(alone)
  const leavesGradientsAlone = exchange instanceof DataParallel && !spec.optimizerInBackward && outputs === undefined
  return accumulatesGradients(spec) && !beginsWithGradients && leavesGradientsAlone
}

interface LastingOfTurn extends Lasting {
  readonly turn: Turn | undefined
}

/** `part`: of a storage of the model, which does not grow with the batch. */
function lasting({ fixedBytes, kind, turn }: Storage, part: number): LastingOfTurn {
  return { bytes: roundedSize(fixedBytes * part), kind, turn }
}

function bytesByKind(all: readonly Lasting[]): Record<ByteKind, number> {
  const bytes = {
    weights: 0,
    gradients: 0,
    optimizerState: 0,
    activations: 0,
    logits: 0,
    temporaries: 0,
    inputs: 0,
    workspace: 0,
  }
  for (const { kind, bytes: own } of all) bytes[kind] += own
  return bytes
}

/** Known without playing the step. */
export function optimizedBy(tape: Tape, spec: TrainingSpec): Optimized {
  const ruleOf = stateRules(spec, tape.embeddings)
  let [tensors, count, bytes, pagedBytes] = [0, 0, 0, 0]
  for (const tensor of spec.step === 'training' ? mastersIn(tape, spec).values() : []) {
    const times = countOf(tensor.storage.turn)
    tensors += times
    count += times * elements(tensor)
    bytes += times * elements(tensor) * bytesPerElement[tensor.dtype]
    pagedBytes += times * (ruleOf(tensor).pagedBytes?.(tensor) ?? 0)
  }
  return { tensors, elements: count, bytes, pagedBytes }
}

/** Of the model that trains, without those of a reference. */
export function parameterCount(tape: Tape): number {
  let count = 0
  for (const [name, parameter] of tape.parameters) {
    if (!name.startsWith(REFERENCE)) count += countOf(parameter.storage.turn) * elements(parameter)
  }
  return count
}

/** What every operation of a micro-step uses of the parameters. */
function orderOfUse(
  tape: Tape,
  objective: Objective,
  rules: Pick<PlayerRules, 'shares' | 'checkpoints'>,
): readonly (readonly Storage[])[] {
  const order: (readonly Storage[])[] = []
  const rehearsal = new Player(tape, objective, {
    ...rules,
    inBackward: undefined,
    exchange: memory => new Watching(memory, used => order.push(used)),
  })
  rehearsal.begin()
  rehearsal.microStep({ zeroes: false })
  return order
}

function inBackward({ optimizer }: TrainingSpec, optimized: readonly Tensor[]): InBackward {
  return {
    rule: optimizerRules[optimizer],
    parameters: new Map(optimized.map(parameter => [parameter.storage, parameter])),
  }
}

/**
 * What the optimizer works on, by name: the weights that train, or float32 copies of them. DeepSpeed's partitions and the shards of
 * FSDP1 are flat, so that Adafactor finds no rows and columns to factor.
 */
function mastersIn(tape: Tape, spec: TrainingSpec): ReadonlyMap<string, Tensor> {
  const areCopies = mastersOf(spec) !== 'none'
  const areFlat = spec.sharding?.startsWith('zero') === true || hasFlatParameters(spec)
  const masters = new Map<string, Tensor>()
  for (const [name, parameter] of tape.parameters) {
    if (!parameter.requiresGrad) continue
    const shape = areFlat ? [elements(parameter)] : parameter.shape
    masters.set(name, { ...parameter, shape, ...(areCopies && { dtype: 'float32' }) })
  }
  return masters
}

function optimizerState(
  spec: TrainingSpec,
  withState: ReadonlyMap<string, Tensor>,
  { shares, ruleOf }: { readonly shares: Shares; readonly ruleOf: (parameter: Tensor) => StateRule },
): readonly LastingOfTurn[] {
  const masterBytes = mastersOf(spec) === 'in-optimizer' ? bytesPerElement.float32 : 0
  const all: LastingOfTurn[] = []
  for (const [name, parameter] of withState) {
    const bytes =
      (ruleOf(parameter).stateBytes(parameter, name) + elements(parameter) * masterBytes) * shares.optimizerState
    const { turn } = parameter.storage
    if (bytes > 0) all.push({ bytes: roundedSize(bytes), kind: 'optimizerState', turn })
  }
  return all
}
