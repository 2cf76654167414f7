/** Trainers of transformers and TRL that a file makes and does not train with, or does not come to. */

import { type Call, callExpression } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'

/** Methods that train, whatever they are called on. */
const training = ['train', 'fit', 'hyperparameter_search']

/**
 * True where the trainer is held by a name and handed to nobody, and either nothing in the file trains, or it trains only where the
 * script does not come as it is started; and where the script has left before it makes one.
 */
export function neverTrains(trainer: Call, evaluator: Evaluator): boolean {
  const { module, scope } = trainer
  if (isLeftBefore(trainer, evaluator)) return true
  const made = callExpression(trainer)
  const name = [...scope.bindings].find(([, bindings]) =>
    bindings.some(({ value }) => value.kind === 'expression' && value.expression.from === made?.from),
  )?.[0]
  if (name === undefined) return false
  const called = (methods: readonly string[]) =>
    methods.flatMap(method => module.calls.get(method) ?? []).filter(call => receiverOf(call) === name)
  const trains = called(training)
  const isPassedOver = trains.length > 0 && trains.every(call => !evaluator.mayRun(call))
  if (!isPassedOver && training.some(method => module.calls.has(method))) return false
  return !isHandedOn(name, module.text)
}

/** `if args.eval_only: evaluate(…); return`, above the trainer, where the option is given. */
function isLeftBefore({ scope, at }: Call, evaluator: Evaluator): boolean {
  return scope.leavesWhere.some(leaves => {
    const tests = leaves.branches.flatMap(branch => branch.tests.map(test => ({ ...test, at: branch.statement })))
    const isSwitched = ({ condition, expected, at: asked }: (typeof tests)[number]) => {
      if (condition.kind !== 'attribute' && condition.kind !== 'name') return false
      const value = evaluator.evaluate(condition, { ...siteAt(leaves), at: asked, branches: [] })
      return value.kind === 'flag' && value.flag === expected
    }
    return leaves.at < at && tests.length > 0 && tests.every(isSwitched)
  })
}

function receiverOf(call: Call): string | undefined {
  const callee = callExpression(call)?.callee
  return callee?.kind === 'attribute' && callee.object.kind === 'name' ? callee.object.name : undefined
}

/** Whether the name stands anywhere but before a dot or an assignment. */
function isHandedOn(name: string, text: string): boolean {
  const mentions = text.matchAll(/\b[A-Za-z_]\w*\b(?! ?[.=])/g)
  return [...mentions].some(([mention]) => mention === name)
}
