/** Where a file changes dictionaries, lists and objects, by what they are called there. */
import type { SyntaxNode } from '@lezer/common'
import type { CallExpression, Expression } from '../syntax/expressions.ts'
import {
  type Bound,
  type Call,
  callExpression,
  type ItemChange,
  type Module,
  type Place,
  type Scope,
} from '../syntax/module.ts'
import { placed, sourceOf } from './sites.ts'

export type Change =
  /** `options[key] = value`, `arguments.key = value` */
  | ({ readonly kind: 'item' | 'attribute' } & ItemChange)
  | MethodCall
  /** A function is given it as a parameter, which it changes. */
  | GivenOn

export interface MethodCall extends Place {
  readonly kind: 'method'
  readonly name: string
  /** Of the dictionary of an object's attributes: `vars(arguments).update(more)`. */
  readonly isOfAttributes: boolean
  readonly call: CallExpression
  readonly node: SyntaxNode
}

export interface GivenOn extends Place {
  readonly kind: 'given'
  readonly to: Scope
  readonly parameter: string
  readonly call: CallExpression
}

/** By the scope that they stand in, and by what they change as it is written: `options`, `self.options`, `config["options"]`. */
type FileChanges = ReadonlyMap<Scope, ReadonlyMap<string, readonly Change[]>>

/** Of one name in one scope. */
const MAX_CHANGES = 50

const mappingMethods: ReadonlySet<string> = new Set(['update', 'setdefault', 'pop', 'clear'])
const listMethods: ReadonlySet<string> = new Set(['append', 'extend', 'insert', 'remove', 'pop', 'clear'])

export function isOfListsAlone(change: Change): boolean {
  return change.kind === 'method' && !mappingMethods.has(change.name)
}

/** Whether it may set attributes of an object. */
export function isOfAttributes(change: Change): boolean {
  return change.kind === 'attribute' || change.kind === 'given' || (change.kind === 'method' && change.isOfAttributes)
}

const found = new WeakMap<Module, FileChanges>()

export function changesIn(module: Module): FileChanges {
  const known = found.get(module)
  if (known !== undefined) return known
  const changes = new FileIndex(module).changes
  found.set(module, changes)
  return changes
}

/** A name, an attribute or an item, as it is written; undefined for what something is computed from. */
function heldBy(expression: Expression, module: Module): string | undefined {
  const isPlace = expression.kind === 'name' || expression.kind === 'attribute' || expression.kind === 'subscript'
  return isPlace ? sourceOf(expression, { module }) : undefined
}

/** Of the same object, where a scope binds the name that is changed once, and to that: `settings = self.settings`. */
function otherName(name: string, scope: Scope): string | undefined {
  const [only, ...others] = scope.bindings.get(name) ?? []
  const value = only !== undefined && others.length === 0 ? only.value : undefined
  return value?.kind === 'expression' ? heldBy(value.expression, scope.module) : undefined
}

/** `vars(arguments)`, `arguments.__dict__` */
function objectOfAttributes(written: string): string | undefined {
  const [, ofVars, ofDictionary] = /^(?:vars\(([\w.]+)\)|([\w.]+)\.__dict__)$/.exec(written) ?? []
  return ofVars ?? ofDictionary
}

class FileIndex {
  readonly changes = new Map<Scope, Map<string, Change[]>>()

  constructor(module: Module) {
    for (const item of module.itemChanges) {
      const object = objectOfAttributes(item.object)
      if (object === undefined) this.#add(item.object, { kind: 'item', ...item })
      else this.#add(object, { kind: 'attribute', ...item, object })
    }
    for (const attribute of module.attributeChanges) this.#add(attribute.object, { kind: 'attribute', ...attribute })
    for (const each of module.calls.get('setattr') ?? []) this.#addSetattr(each)
    for (const name of new Set([...mappingMethods, ...listMethods])) {
      for (const each of module.calls.get(name) ?? []) this.#addMethod(name, each)
    }
    for (const to of [...this.changes.keys()]) this.#addCallsOf(to, module)
    for (const byName of this.changes.values()) for (const all of byName.values()) all.sort((a, b) => a.at - b.at)
  }

  #addMethod(name: string, each: Call): void {
    const call = callExpression(each)
    const object = call?.callee.kind === 'attribute' ? call.callee.object : undefined
    if (call === undefined || object === undefined) return
    const ofAttributes = objectOfAttributes(sourceOf(object, each))
    const held = ofAttributes ?? heldBy(object, each.module)
    if (held === undefined) return
    const isOfAttributes = ofAttributes !== undefined
    this.#add(held, { kind: 'method', ...placed(each), name, isOfAttributes, call, node: each.node })
    if (listMethods.has(name)) this.#addItem(object, each)
  }

  /** Of what holds the list that is changed: `options["targets"].append("lm_head")`. */
  #addItem(list: Expression, each: Call): void {
    if (list.kind !== 'attribute' && list.kind !== 'subscript') return
    const { from, to } = list
    const holder = heldBy(list.object, each.module)
    // What methods of a class add is found where its attribute is asked for.
    if (holder === undefined || holder === 'self' || holder === 'cls') return
    const key: Expression = list.kind === 'attribute' ? { from, to, kind: 'text', text: list.name } : list.index
    const value: Bound = { kind: 'opaque', why: 'is changed after it is set' }
    this.#add(holder, {
      kind: list.kind === 'attribute' ? 'attribute' : 'item',
      ...placed(each),
      object: holder,
      key,
      value,
    })
  }

  #addSetattr(each: Call): void {
    const [object, key, value] = callExpression(each)?.arguments ?? []
    if (object?.kind !== 'positional' || key?.kind !== 'positional' || value?.kind !== 'positional') return
    const name = heldBy(object.value, each.module)
    const bound: Bound = { kind: 'expression', expression: value.value }
    if (name !== undefined)
      this.#add(name, { kind: 'attribute', ...placed(each), object: name, key: key.value, value: bound })
  }

  /** With what the function changes among its parameters. */
  #addCallsOf(to: Scope, module: Module): void {
    const isMethod = to.parent?.kind === 'class'
    for (const [index, { name: parameter }] of to.parameters.slice(isMethod ? 1 : 0).entries()) {
      if (!this.changes.get(to)?.has(parameter)) continue
      for (const each of (module.calls.get(to.name) ?? []).slice(0, MAX_CHANGES)) {
        const call = callExpression(each)
        const argument = call?.arguments.find((one, at) =>
          one.kind === 'keyword' ? one.name === parameter : one.kind === 'positional' && at === index,
        )
        const object =
          argument?.kind === 'keyword' || argument?.kind === 'positional' ? heldBy(argument.value, module) : undefined
        if (call !== undefined && object !== undefined)
          this.#add(object, { kind: 'given', ...placed(each), to, parameter, call })
      }
    }
  }

  #add(object: string, change: Change): void {
    this.#addTo(object, change)
    const other = otherName(object, change.scope)
    if (other !== undefined) this.#addTo(other, change)
  }

  #addTo(object: string, change: Change): void {
    const byName = this.changes.get(change.scope) ?? new Map<string, Change[]>()
    const all = byName.get(object) ?? []
    if (all.length < MAX_CHANGES) all.push(change)
    this.changes.set(change.scope, byName.set(object, all))
  }
}
