/** Functions that a library calls with the options of the command line: `fire.Fire(train)`, `typer.run(main)`. */

import { callExpression, type Module, type Scope } from '../syntax/module.ts'
import type { Evaluator } from './evaluator.ts'
import type { PassedValues } from './passed-arguments.ts'
import { siteAt } from './sites.ts'

/** python-fire 0.7, typer, jsonargparse 4, tyro, defopt: each parameter of the function that they are given is an option. */
const callers = /^(?:fire\.Fire|typer\.run|jsonargparse\.(?:CLI|auto_cli)|tyro\.cli|defopt\.run)$/
const calledAs = ['Fire', 'run', 'CLI', 'auto_cli', 'cli']
const MAX_CALLS = 20

export function isCalledByOptions(scope: Scope, evaluator: Evaluator): boolean {
  return functionsCalledByOptions(scope.module, evaluator).includes(scope)
}

/** Of a file's functions, the options that they have are known to the script. */
export function declareParameters(module: Module, evaluator: Evaluator, passed: PassedValues): void {
  for (const { parameters } of functionsCalledByOptions(module, evaluator))
    for (const { name } of parameters) passed.declare(name)
}

function functionsCalledByOptions(module: Module, evaluator: Evaluator): readonly Scope[] {
  return calledAs
    .flatMap(name => (module.calls.get(name) ?? []).slice(0, MAX_CALLS))
    .flatMap(call => {
      const expression = callExpression(call)
      const [first] = expression?.arguments ?? []
      if (expression === undefined || first?.kind !== 'positional') return []
      const callee = evaluator.evaluate(expression.callee, siteAt(call))
      if (callee.kind !== 'symbol' || !callers.test(callee.name)) return []
      const called = evaluator.evaluate(first.value, siteAt(call))
      return called.kind === 'function' ? [called.scope] : []
    })
}
