/** Calls that a script reaches, with what they are given. */
import { libraryName } from '../library.ts'
import { type Call, callExpression, type Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import type { Located, Site, Value } from '../values/values.ts'

/** As many calls of one name as are looked at. */
export const MAX_CALLS = 20

export interface Reached {
  readonly call: Call
  readonly site: Site
  readonly library: string
  readonly values: ReadonlyMap<string, Value>
  readonly unknown: string | undefined
  readonly here: Located
  /** Why it may not be reached, where that is open. */
  readonly why: string | undefined
}

export function reachedCalls(
  module: Module,
  name: string,
  evaluator: Evaluator,
  positional: readonly string[] = [],
): readonly Reached[] {
  return (module.calls.get(name) ?? []).slice(0, MAX_CALLS).flatMap(call => {
    const { scope, at, branches } = call
    const site: Site = { module, scope, at, branches }
    const expression = callExpression(call)
    const callee = expression && evaluator.evaluate(expression.callee, site)
    const { isReached, why } = evaluator.isReached(call, site)
    if (expression === undefined || isReached === false) return []
    const library = callee?.kind === 'symbol' ? libraryName(callee.name).library : ''
    const { values, unknown } = evaluator.argumentsOf(expression, site, positional)
    const here = { module, from: at, to: expression.to, remarks: [] }
    return [{ call, site, library, values, unknown, here, why: isReached === undefined ? why : undefined }]
  })
}
