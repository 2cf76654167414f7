/**
 * Replays a tape as PyTorch would run it and writes down every allocation and release of one optimizer step. The sequence is
 * the same for every batch size, only the sizes differ, so one timeline answers for all of them.
 */
import type { TrainingSpec } from '../config/spec.ts'
import { type Autograd, REFERENCE } from './autograd.ts'
import { checkpointsReentrantly, defaultOptimizer, keepsFrozenInputs, keepsGradients } from './library-rules.ts'
import type { Objective } from './objectives/objective.ts'
import { optimizerRules } from './optimizer.ts'
import { type InBackward, Player, type PlayerRules } from './player.ts'
import { countOf, withLeftOut } from './repetition.ts'
import { type Sections, sectionsOf } from './sections.ts'
import { exchangeOf } from './sharding/exchange.ts'
import { mastersOf, type Shares, sharesOf } from './sharding/shares.ts'
import { Watching } from './sharding/watching.ts'
import type { Step } from './step.ts'
import { bytesPerElement, elements, type Storage, type Tensor } from './storage.ts'

export interface Timeline {
  /** Weights and buffers, there before the first step. */
  readonly model: readonly Storage[]
  /** Allocated by the first optimizer step, there in every later one. */
  readonly optimizerState: readonly Storage[]
  /** One step, from the batch's arrival to the gradients' release. */
  readonly step: Step
  readonly sections: Sections
  /** Sections of the step before the optimizer runs, where the first step allocates its state. */
  readonly sectionsBeforeOptimizer: number
  /** What the optimizer steps with: the trainable parameters, or float32 copies of them. */
  readonly optimized: readonly Tensor[]
}

/** One optimizer step of what `tape` recorded; undefined where layers that were left out cannot be told from those recorded. */
export function playStep(
  tape: Autograd,
  spec: TrainingSpec,
  { loss, held, before = [] }: Objective,
): Timeline | undefined {
  const shares = sharesOf(spec)
  const recorded = [...tape.parameters.values()]
  const steppedWith = (some: readonly Tensor[]) =>
    some.filter(parameter => parameter.requiresGrad).map(parameter => master(spec, parameter))
  const recordedOptimized = steppedWith(recorded)
  const checkpoints = {
    isReentrant: checkpointsReentrantly(spec),
    keepsInputs: keepsFrozenInputs(spec),
    offloadsInputs: spec.offloadsCheckpoints === true,
  }
  const order = () => orderOfUse(tape, { loss, held, before }, { shares, checkpoints })
  const player = new Player(tape, loss, {
    shares,
    checkpoints,
    inBackward: spec.optimizerInBackward && inBackward(spec, recordedOptimized),
    exchange: (memory, kept) => exchangeOf({ spec, parameters: tape.parameters, memory, kept }, order),
  })
  // From the second micro-step on, the forward pass runs beside the gradients accumulated so far.
  const hasGradients = spec.gradientAccumulation > 1 || keepsGradients(spec)
  const microSteps = spec.step === 'training' && hasGradients ? 2 : 1
  player.beforehand(before)
  for (let index = 0; index < microSteps; index++) player.microStep(held)
  const isTraining = spec.step === 'training'
  const eventsBeforeOptimizer = player.step.length
  if (isTraining && !spec.optimizerInBackward) player.optimizerStep(stepOf(spec), recordedOptimized)
  player.gradientsEnd()
  const sections = sectionsOf(player.step, [eventsBeforeOptimizer])
  if (sections === undefined) return undefined
  const parameters = withLeftOut(recorded, parameter => parameter.storage.turn)
  const optimized = steppedWith(parameters)
  const withState = spec.trainable?.inTurns ? parameters : optimized
  return {
    model: [
      ...parameters.map(parameter => share(parameter.storage, shares.weights * keptWidth(spec, parameter))),
      ...withLeftOut(tape.buffers, ({ turn }) => turn).map(storage => share(storage, shares.weights)),
      ...tape.wholeBuffers,
      ...(isTraining ? player.exchange.resident : []),
    ],
    optimizerState: isTraining ? optimizerState(tape, spec, withState, shares) : [],
    step: player.step,
    sections,
    sectionsBeforeOptimizer: sections.all.filter(({ to }) => to <= eventsBeforeOptimizer).length,
    optimized: isTraining ? optimized : [],
  }
}

/** Of the model that trains, without those of a reference. */
export function parameterCount(tape: Autograd): number {
  let count = 0
  for (const [name, parameter] of tape.parameters) {
    if (!name.startsWith(REFERENCE)) count += countOf(parameter.storage.turn) * elements(parameter)
  }
  return count
}

/** Compiled, AdamW's intermediate results stay in registers, as in its fused form. */
function stepOf(spec: TrainingSpec): TrainingSpec['optimizer'] {
  const optimizer = defaultOptimizer(spec)
  return spec.compiled && optimizer === 'adamw' ? 'adamw-fused' : optimizer
}

/** What every operation of a micro-step uses of the parameters. */
function orderOfUse(
  tape: Autograd,
  { loss, held, before = [] }: Objective,
  rules: Pick<PlayerRules, 'shares' | 'checkpoints'>,
): readonly (readonly Storage[])[] {
  const order: (readonly Storage[])[] = []
  const rehearsal = new Player(tape, loss, {
    ...rules,
    inBackward: undefined,
    exchange: memory => new Watching(memory, used => order.push(used)),
  })
  rehearsal.beforehand(before)
  rehearsal.microStep(held)
  return order
}

/** How much wider the weights are that are kept than those that compute. */
function keptWidth(spec: TrainingSpec, parameter: Tensor): number {
  if (mastersOf(spec) !== 'as-weights' || !parameter.requiresGrad) return 1
  return bytesPerElement.float32 / bytesPerElement[parameter.dtype]
}

function inBackward({ optimizer }: TrainingSpec, optimized: readonly Tensor[]): InBackward {
  return { optimizer, parameters: new Map(optimized.map(parameter => [parameter.storage, parameter])) }
}

/** What the optimizer works on: the weights, or float32 copies of them. */
function master(spec: TrainingSpec, parameter: Tensor): Tensor {
  return mastersOf(spec) === 'none' ? parameter : { ...parameter, dtype: 'float32' }
}

function optimizerState(tape: Autograd, spec: TrainingSpec, optimized: readonly Tensor[], shares: Shares): Storage[] {
  const { stateBytes } = optimizerRules[spec.optimizer]
  const masterBytes = mastersOf(spec) === 'in-optimizer' ? bytesPerElement.float32 : 0
  const names = new Map<Storage, string>()
  for (const [name, { storage }] of tape.parameters) names.set(storage, name)
  const kept = (parameter: Tensor) =>
    stateBytes(parameter, names.get(parameter.storage) ?? '') + elements(parameter) * masterBytes
  return optimized
    .map(parameter => kept(parameter) * shares.optimizerState)
    .filter(bytes => bytes > 0)
    .map(bytes => tape.fixed(bytes, 'optimizerState'))
}

function share(storage: Storage, part: number): Storage {
  return part === 1 ? storage : { ...storage, fixedBytes: storage.fixedBytes * part }
}
