/** Objects that a script makes of others: copies, copies with other values, and calls that are completed later. */
import { argumentsClass } from '../library.ts'
import type { CallExpression } from '../syntax/expressions.ts'
import type { Evaluator } from './evaluator.ts'
import { open } from './sites.ts'
import type { SetAttributes, Site, Value } from './values.ts'

/** Dictionaries, objects of the repository's classes and trainers' arguments; a copy of a model is another model. */
export function isCopied(value: Value, evaluator: Evaluator): boolean {
  if (value.kind === 'list' || evaluator.asMapping(value).kind === 'mapping') return true
  return isOfFields(value, evaluator)
}

function isOfFields(value: Value, evaluator: Evaluator): boolean {
  if (value.kind === 'call') return argumentsClass(value.name) !== undefined || /Config$/.test(value.name)
  return value.kind === 'instance' && !/Module$/.test(evaluator.classes.libraryBase(value.scope) ?? '')
}

/** `dataclasses.replace(settings, batch=4)`; what `__post_init__` makes of the new values is not followed. */
export function replacedFields(given: ReturnType<Evaluator['argumentsOf']>, evaluator: Evaluator): Value | undefined {
  const of = given.values.get('0')
  if (of === undefined || (of.kind !== 'call' && of.kind !== 'instance') || !isOfFields(of, evaluator)) return undefined
  const { set } = of
  const others = new Map([...given.values].filter(([key]) => key !== '0'))
  const after: SetAttributes = {
    unknown: set?.unknown ?? given.unknown,
    get: name => others.get(name) ?? set?.get(name),
    all: () => new Map([...(set?.all() ?? []), ...others]),
  }
  return { ...of, set: after }
}

/** `functools.partial(TrainingArguments, "out", fp16=True)`, of what a library has. */
export function partialCall(call: CallExpression, site: Site, evaluator: Evaluator): Value | undefined {
  const [of, ...given] = call.arguments
  if (of?.kind !== 'positional') return undefined
  const callee = evaluator.evaluate(of.value, site)
  if (callee.kind === 'open') return open(site, call, callee.why)
  if (callee.kind !== 'symbol') return undefined
  const { module } = site
  const { from, to } = call
  const made: CallExpression = { ...call, callee: of.value, arguments: given }
  return { module, from, to, remarks: [], kind: 'call', name: callee.name, call: made, site, isPartial: true }
}
