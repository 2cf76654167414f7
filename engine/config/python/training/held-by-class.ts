/** A trainer's model of the repository's own class, around one of a library. */
import type { Field } from '../../text/section.ts'
import { taskOfClass } from '../library.ts'
import type { Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { type Instance, placeIn, type Value } from '../values/values.ts'
import { saidBy } from './fields.ts'
import { heldModel, isModule, tellHolder } from './held-model.ts'
import { classLoaded, hasOpenClass } from './model-chain.ts'
import { told } from './own-steps.ts'
import { isVisionModel } from './vision-models.ts'

export interface HeldByClass {
  /** The call that loads it. */
  readonly model: Value
  /** What its layers on top are for, where the class of the model does not say. */
  readonly task: readonly Field[]
  /** In which the class stands. */
  readonly file: Module
  /** For the reader. */
  readonly remarks: readonly string[]
}

/**
 * `Regressor("roberta-base")`: a model below a head of the class's own, or a model with its head and nothing else. Undefined for any other
 * class.
 */
export function heldByClass(given: Value | undefined, file: Module, evaluator: Evaluator): HeldByClass | undefined {
  if (given?.kind !== 'instance' || !isModule(given, evaluator)) return undefined
  const held = heldModel(given, evaluator)
  if (held.kind === 'none' || held.model.kind !== 'call' || isVisionModel(held.model)) return undefined
  const { model, head } = held
  const named = hasOpenClass(model) ? undefined : taskOfClass(classLoaded(model))
  // With a head of its own it may run a language model with its logits, or what is below them.
  const isOpen = head === undefined ? named === undefined : named !== undefined && !/-classification$/.test(named)
  if (isOpen) return undefined
  const task = head === undefined ? [] : [saidBy(head, 'task', { kind: 'text', text: 'sequence-classification' }, file)]
  const remarks = [tellHolder(given, head, evaluator), ...severalPasses(given, model, evaluator)]
  return { model, task, file: given.scope.module, remarks }
}

/** Its forward pass may run the model more than once, as to compare two texts. */
function severalPasses(instance: Instance, model: Value, evaluator: Evaluator): readonly string[] {
  const { scope } = instance
  const member = [...scope.members.keys()].find(name => {
    const held = evaluator.classes.ofInstance(instance, name)
    return held?.module === model.module && held.from === model.from
  })
  const calls = (scope.module.calls.get(member ?? '') ?? []).filter(call => call.scope.name === 'forward')
  const second = calls[1]
  if (second === undefined) return []
  return told([`${scope.name} runs the model ${calls.length} times (${placeIn(scope.module, second.at)})`], evaluator)
}
