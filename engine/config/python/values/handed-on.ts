/** Functions that are handed on together with arguments: `partial(tokenize, max_length=128)`, `dataset.map(tokenize, fn_kwargs={…})`. */

import type { CallExpression, Expression } from '../syntax/expressions.ts'
import { type Call, callExpression, type Module, type Scope } from '../syntax/module.ts'
import type { Evaluator } from './evaluator.ts'
import { siteAt } from './sites.ts'

export interface HandedOn {
  readonly call: Call
  /** With the arguments that the function gets. */
  readonly expression: CallExpression
}

/** Of one file. */
const MAX_CALLS = 12

/** functools.partial; Dataset.map and filter of datasets 4. */
export function handedOn(scope: Scope, module: Module, evaluator: Evaluator): readonly HandedOn[] {
  return ['partial', 'map', 'filter'].flatMap(name =>
    (module.calls.get(name) ?? []).slice(0, MAX_CALLS).flatMap(call => {
      const written = callExpression(call)
      const given = written && (name === 'partial' ? givenToPartial(written) : givenByKeywords(written))
      if (given === undefined || !mayName(given.of, scope, module)) return []
      const value = evaluator.evaluate(given.of, siteAt(call))
      if (value.kind !== 'function' || value.scope !== scope) return []
      return [{ call, expression: { ...given.call, callee: given.of } }]
    }),
  )
}

interface Given {
  readonly of: Expression
  readonly call: CallExpression
}

function givenToPartial(call: CallExpression): Given | undefined {
  const [first, ...others] = call.arguments
  return first?.kind === 'positional' ? { of: first.value, call: { ...call, arguments: others } } : undefined
}

function givenByKeywords(call: CallExpression): Given | undefined {
  const [first] = call.arguments
  const named = (name: string) =>
    call.arguments.flatMap(each => (each.kind === 'keyword' && each.name === name ? [each.value] : []))[0]
  const of = first?.kind === 'positional' ? first.value : named('function')
  const keywords = named('fn_kwargs')
  if (of === undefined || keywords === undefined) return undefined
  return { of, call: { ...call, arguments: [{ kind: 'unpacked', value: keywords }] } }
}

/** Whether what is written ends in the function's name: nothing else is evaluated. */
function mayName({ to }: Expression, { name }: Scope, { text }: Module): boolean {
  return text.slice(Math.max(0, to - name.length), to) === name
}
