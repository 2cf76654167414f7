/** Objects that settings name by the path of their class: Hydra 1.3's `_target_`, and jsonargparse 4's `class_path`. */
import { plain } from '../../text/quote.ts'
import type { Argument, CallExpression, Expression } from '../syntax/expressions.ts'
import type { Scope } from '../syntax/module.ts'
import type { Evaluator } from './evaluator.ts'
import { siteOf } from './sites.ts'
import type { Instance, LibraryCall, Located, Site, Value } from './values.ts'

/** Of objects in objects. */
const MAX_DEPTH = 12

/** By their classes: methods that are looked into without a call are those of the one object there is. */
export class MadeObjects {
  readonly #byClass = new Map<Scope, Instance | 'several'>()

  add(object: Instance): void {
    const known = this.#byClass.get(object.scope)
    const isSame = known === undefined || (known !== 'several' && isSamePlace(known, object))
    this.#byClass.set(object.scope, isSame ? object : 'several')
  }

  /** `bases`: the repository's own classes that a class inherits from. */
  ofClass(scope: Scope, bases: (of: Scope) => readonly Scope[]): Instance | undefined {
    const own = this.#byClass.get(scope)
    if (own !== undefined) return own === 'several' ? undefined : own
    const heirs = [...this.#byClass.values()].filter(
      (each): each is Instance => each !== 'several' && bases(each.scope).includes(scope),
    )
    return heirs.length === 1 ? heirs[0] : undefined
  }
}

function isSamePlace(one: Located, other: Located): boolean {
  return one.module === other.module && one.from === other.from
}

/** hydra/_internal/instantiate/_instantiate2.py, _Keys. */
const hydraKeys = new Set(['_target_', '_partial_', '_recursive_', '_convert_', '_args_'])

/** What `hydra.utils.instantiate` makes of settings; `given`: its further arguments, which count before those. */
export function instantiated(
  value: Value,
  given: ReadonlyMap<string, Value>,
  site: Site,
  evaluator: Evaluator,
  depth = 0,
): Value {
  const inner = (each: Value) => instantiated(each, new Map(), site, evaluator, depth + 1)
  if (depth > MAX_DEPTH) return value
  if (value.kind === 'list') return { ...value, items: value.items.map(inner) }
  if (value.kind !== 'mapping') return value
  const entries = new Map([...value.entries, ...given])
  const target = entries.get('_target_')
  const isRecursive = !isOff(entries.get('_recursive_'))
  const made = (each: Value) => (isRecursive ? inner(each) : each)
  if (target === undefined) return { ...value, entries: new Map([...entries].map(([key, each]) => [key, inner(each)])) }
  if (target.kind !== 'text')
    return target.kind === 'open' ? target : { ...target, kind: 'open', why: 'its _target_ is no text' }
  const positional = entries.get('_args_')
  const call: readonly Argument[] = [
    ...(positional?.kind === 'list'
      ? positional.items.map(item => ({ kind: 'positional' as const, value: known(made(item)) }))
      : []),
    ...[...entries].flatMap(([name, each]): Argument[] =>
      hydraKeys.has(name) ? [] : [{ kind: 'keyword', name, value: known(made(each)) }],
    ),
  ]
  return madeBy(target, call, isOn(entries.get('_partial_')), site, evaluator)
}

/** Classes that jsonargparse is asked for as callables, which get the weights later. */
const callables = /^torch\.optim\.|(?:^|\.)(?:AdamW?\w*|SGD|Adafactor|Lion)$/

/** What jsonargparse makes of `class_path` and `init_args`, or of arguments alone where the code names the class. */
export function ofClassPath(
  value: Value,
  site: Site,
  evaluator: Evaluator,
  byCode?: Value & { readonly kind: 'class' | 'symbol' },
): Value {
  if (byCode === undefined || value.kind !== 'mapping' || value.entries.has('class_path'))
    return classPath(value, site, evaluator, 0)
  const given = new Map([...value.entries].map(([name, each]) => [name, classPath(each, site, evaluator, 1)]))
  return madeFrom(byCode, argumentsFor(given), value, evaluator)
}

function classPath(value: Value, site: Site, evaluator: Evaluator, depth: number): Value {
  const inner = (each: Value) => classPath(each, site, evaluator, depth + 1)
  if (depth > MAX_DEPTH) return value
  if (value.kind === 'list') return { ...value, items: value.items.map(inner) }
  if (value.kind !== 'mapping') return value
  const path = value.entries.get('class_path')
  if (path?.kind !== 'text')
    return { ...value, entries: new Map([...value.entries].map(([key, each]) => [key, inner(each)])) }
  const parts = ['init_args', 'dict_kwargs'].flatMap(key => {
    const part = value.entries.get(key)
    return part?.kind === 'mapping' ? [...part.entries] : []
  })
  const given = new Map(parts.map(([name, each]) => [name, inner(each)]))
  return madeBy(path, argumentsFor(given), depth > 0 && callables.test(path.text), site, evaluator)
}

export function argumentsFor(values: ReadonlyMap<string, Value>): readonly Argument[] {
  return [...values].map(([name, value]) => ({ kind: 'keyword', name, value: known(value) }))
}

/** `site`: from where the path is imported. */
function madeBy(
  path: Value & { readonly kind: 'text' },
  given: readonly Argument[],
  isPartial: boolean,
  site: Site,
  evaluator: Evaluator,
): Value {
  const { module, from, to, remarks } = path
  const at = path.text.lastIndexOf('.')
  const [of, member] = at < 0 ? [path.text, undefined] : [path.text.slice(0, at), path.text.slice(at + 1)]
  // A class of the script's own imports needs no path.
  const callee =
    member === undefined
      ? evaluator.names.named({ kind: 'name', name: of, from, to }, site)
      : evaluator.names.imported(of, member, { from, to }, site)
  if (!isPartial) return madeFrom(callee, given, path, evaluator)
  const call: CallExpression = { from, to, kind: 'call', callee: known(callee), arguments: given }
  return callee.kind === 'symbol'
    ? { module, from, to, remarks, kind: 'call', name: callee.name, call, site: siteOf(module.top), isPartial }
    : { module, from, to, remarks, kind: 'open', why: `${plain(path.text)} is called with further arguments` }
}

/** `place`: where settings name the class. */
/** The object that a class makes of arguments. */
export function madeFrom(
  callee: Value,
  given: readonly Argument[],
  { module, from, to }: Located,
  evaluator: Evaluator,
): Value {
  const call: CallExpression = { from, to, kind: 'call', callee: known(callee), arguments: given }
  const value = { ...evaluator.evaluate(call, siteOf(module.top)), module, from, to }
  if (value.kind === 'instance') evaluator.made.add(value)
  return value
}

/** A partial call with the arguments that it gets when it is called. */
export function completedCall(
  { isPartial: _, ...partial }: LibraryCall,
  call: CallExpression,
  site: Site,
  evaluator: Evaluator,
): Value {
  if (partial.call === undefined) return partial
  const more = call.arguments.map(each =>
    each.kind === 'spread' ? each : { ...each, value: known(evaluator.evaluate(each.value, site)) },
  )
  const isNamed = ({ kind }: Argument) => kind === 'keyword' || kind === 'unpacked'
  const all = [...partial.call.arguments, ...more]
  const given = [...all.filter(each => !isNamed(each)), ...all.filter(isNamed)]
  return { ...partial, call: { ...partial.call, arguments: given } }
}

function known(value: Value): Expression {
  return { from: value.from, to: value.to, kind: 'given', value }
}

function isOn(value: Value | undefined): boolean {
  return value?.kind === 'flag' && value.flag
}

function isOff(value: Value | undefined): boolean {
  return value?.kind === 'flag' && !value.flag
}
