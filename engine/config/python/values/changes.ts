/**
 * What becomes of a dictionary, a list or an object between where a name is bound to it and where it is used: `options["batch"] = 8`,
 * `options.update(more)`, `del options["batch"]`, `targets.append("lm_head")`, `arguments.bf16 = True`, and functions of the file that do
 * so to what they are given.
 */
import { plain } from '../../text/quote.ts'
import { type Binding, type Bound, classAround, type Scope } from '../syntax/module.ts'
import { isRepeated } from '../syntax/statements.ts'
import {
  type Change,
  changesIn,
  type GivenOn,
  isOfAttributes,
  isOfListsAlone,
  type MethodCall,
} from './changes-in-file.ts'
import type { Evaluator, Reached } from './evaluator.ts'
import { branchesAround } from './names.ts'
import { open, placed, siteOf } from './sites.ts'
import {
  type Instance,
  type LibraryCall,
  placeIn,
  type SetAttributes,
  type Site,
  shownAt,
  type Value,
} from './values.ts'

type Mapping = Extract<Value, { kind: 'mapping' }>
type List = Extract<Value, { kind: 'list' }>

/** `isSure`: it happens before what asks, if it is reached. */
interface Dated {
  readonly change: Change
  readonly isSure: boolean
}

const MAX_ITEMS = 2_000

/** Values of keys, in the order in which they are set, and what else may be set. */
class Effect {
  readonly bindings = new Map<string, Binding[]>()
  /** On what it depends whether a key is set last. */
  readonly conditions = new Map<string, string>()
  /** A key that only a run tells is set: of those before, any may be another since. */
  unknown: string | undefined
  readonly setSince = new Set<string>()

  addUnknown(what: string): void {
    this.unknown ??= what
    this.setSince.clear()
  }

  add(key: string, binding: Binding, condition: string | undefined): void {
    this.bindings.set(key, [...(this.bindings.get(key) ?? []), binding])
    if (condition === undefined) this.conditions.delete(key)
    else this.conditions.set(key, condition)
    if (condition === undefined && binding.value.kind !== 'opaque') this.setSince.add(key)
  }
}

export class Changes {
  readonly #evaluator: Evaluator
  /** Functions that are being looked into. */
  readonly #entered = new Set<Scope>()

  constructor(evaluator: Evaluator) {
    this.#evaluator = evaluator
  }

  /** What a name holds at a site, with what was changed since it was bound to `value`; what is neither is returned unchanged. */
  after(value: Value, name: string, site: Site, only?: string): Value {
    if (value.kind === 'list') return this.#extended(value, name, site)
    if (value.kind !== 'mapping' && value.kind !== 'call' && value.kind !== 'instance') return value
    const changes = this.#changesOf(name, site, only).filter(({ change }) => !isOfListsAlone(change))
    if (changes.length === 0) return value
    const mapping = value.kind === 'instance' ? value : this.#evaluator.asMapping(value)
    if (mapping.kind === 'mapping') return this.#changed(mapping, name, changes, site)
    if (value.kind === 'mapping') return value
    const ofObject = changes.filter(({ change }) => isOfAttributes(change))
    return ofObject.length === 0 ? value : { ...value, set: this.#attributesSet(value, name, ofObject, site) }
  }

  #extended(list: List, name: string, site: Site): Value {
    let { items } = list
    for (const { change, isSure } of this.#changesOf(name, site, undefined)) {
      const { isReached, here } = this.#reached(change, isSure, site)
      if (isReached === false) continue
      const added = isReached && change.kind === 'method' ? this.#addedBy(change, here) : undefined
      if (added === undefined) {
        const spot = { from: change.at, to: change.at }
        return open(here, spot, `"${plain(name)}" is changed after it is set (${placeIn(here.module, change.at)})`)
      }
      items = [...items, ...added].slice(0, MAX_ITEMS)
    }
    return { ...list, items }
  }

  /** Undefined for what does not add to the end of a list, or may do so several times. */
  #addedBy({ name, call, node }: MethodCall, site: Site): readonly Value[] | undefined {
    const [only, ...others] = call.arguments
    if (only?.kind !== 'positional' || others.length > 0 || isRepeated(node)) return undefined
    const value = this.#evaluator.evaluate(only.value, site)
    if (name === 'append') return [value]
    return name === 'extend' && value.kind === 'list' ? value.items : undefined
  }

  #attributesSet(object: LibraryCall | Instance, name: string, changes: readonly Dated[], site: Site): SetAttributes {
    const { module, from, to, set: before } = object
    const changed = (some: readonly Dated[], entries: ReadonlyMap<string, Value>, only?: string) =>
      this.#changed({ module, from, to, remarks: [], kind: 'mapping', entries }, name, some, site, only)
    const read = (...given: Parameters<typeof changed>) => {
      const after = changed(...given)
      return after.kind === 'mapping' ? after.entries : given[1]
    }
    const unsure = changes.find(({ change }) => change.kind !== 'attribute' || change.key.kind !== 'text')
    return {
      get unknown() {
        if (before?.unknown !== undefined || unsure === undefined) return before?.unknown
        const after = changed(changes, new Map())
        return after.kind === 'mapping'
          ? after.unknown
          : `what is done to ${name} (${placeIn(site.module, unsure.change.at)})`
      },
      get: key => {
        const known = before?.get(key)
        const some = changes.filter(({ change }) => concerns(change, key))
        return read(some, new Map(known && [[key, known]]), key).get(key)
      },
      all: () => read(changes, before?.all() ?? new Map()),
    }
  }

  #changed(mapping: Mapping, name: string, changes: readonly Dated[], site: Site, only?: string): Value {
    const effect = this.#effectOf(changes, mapping, site, only)
    if (effect === undefined) return open(site, mapping, `what ${name} holds depends on run time`)
    const entries = new Map(mapping.entries)
    for (const [key, bindings] of effect.bindings) {
      const before = entries.get(key) ?? absent(mapping)
      const first: Binding = {
        scope: site.scope,
        at: Math.min(before.from, site.at),
        branches: [],
        value: given(before),
      }
      const value = this.#evaluator.names.reaching([first, ...bindings], site) ?? before
      const condition = value.kind === 'open' ? effect.conditions.get(key) : undefined
      const after =
        condition === undefined ? value : open(site, value, `whether ${name} is updated depends on ${condition}`)
      if (after.kind === 'none' && after.isAbsent) entries.delete(key)
      else entries.set(key, after)
    }
    for (const [key, value] of entries) {
      if (effect.unknown === undefined || effect.setSince.has(key)) continue
      entries.set(
        key,
        open(site, value, `whether ${name} is changed under "${plain(key)}" depends on ${effect.unknown}`),
      )
    }
    const unknown = mapping.unknown ?? effect.unknown
    return { ...mapping, entries, ...(unknown !== undefined && { unknown }) }
  }

  /** Those that may have happened, the last one last: in the function that asks, and before it where it surely runs before that. */
  #changesOf(name: string, site: Site, only: string | undefined): readonly Dated[] {
    const all = changesIn(site.module)
    const owner = ownerOf(name, site.scope)
    const since = boundAt(name, owner, site)
    const rankOf = (scope: Scope) => (scope === site.scope ? 2 : scope === owner || isMaker(scope, owner) ? 1 : 0)
    return [...all]
      .filter(([scope, byName]) => byName.has(name) && ownerOf(name, scope) === owner)
      .toSorted(([a], [b]) => rankOf(a) - rankOf(b))
      .flatMap(([scope, byName]) => (byName.get(name) ?? []).map(change => ({ change, isSure: rankOf(scope) > 0 })))
      .filter(({ change }) => only === undefined || concerns(change, only))
      .filter(({ change: { scope, at } }) => (scope !== site.scope || at < site.at) && (scope !== owner || at > since))
  }

  /** Undefined where it cannot be told what is left of it. */
  #effectOf(changes: readonly Dated[], mapping: Mapping, site: Site, only?: string): Effect | undefined {
    const effect = new Effect()
    for (const { change, isSure } of changes) {
      const { isReached, why, here } = this.#reached(change, isSure, site)
      if (isReached === false) continue
      const set = this.#setBy(change, here, [...mapping.entries.keys(), ...effect.bindings.keys()], only)
      if (set === undefined) return undefined
      if (set.unknown !== undefined) effect.addUnknown(set.unknown)
      for (const [key, value] of set.values) {
        const binding = isSure ? value : ({ kind: 'opaque', why: `may be set in ${change.scope.name}()` } as const)
        effect.add(key, { ...placed(change), value: binding }, why)
      }
    }
    return effect
  }

  #reached(change: Change, isSure: boolean, site: Site): { readonly here: Site } & Omit<Reached, 'remarks'> {
    const here: Site = {
      ...(change.scope === site.scope ? site : siteOf(change.scope, site.frame)),
      ...placed(change),
    }
    // Whether another function gets so far says nothing of whether it runs before.
    const { isReached, why } = isSure ? this.#evaluator.names.reach(change, branchesAround(site), here) : unsure
    return { isReached, here, ...(why !== undefined && { why }) }
  }

  #setBy(change: Change, site: Site, known: readonly string[], only: string | undefined): SetKeys | undefined {
    if (change.kind === 'method') return this.#setByMethod(change, site, known)
    if (change.kind === 'given') return this.#setByFunction(change, site, only)
    const key = this.#evaluator.evaluate(change.key, site)
    if (key.kind === 'text') return { values: new Map([[key.text, change.value]]) }
    return key.kind === 'open' ? { values: new Map(), unknown: shownAt(site.module, change.key) } : nothing
  }

  #setByMethod({ name, call }: MethodCall, site: Site, known: readonly string[]): SetKeys | undefined {
    const { values, unknown } = this.#evaluator.argumentsOf(call, site)
    const first = values.get('0')
    switch (name) {
      case 'update': {
        const more = first && this.#evaluator.asMapping(first)
        if (unknown !== undefined || (more !== undefined && more.kind !== 'mapping')) return undefined
        const all = [...(more?.entries ?? []), ...values].filter(([key]) => key !== '0')
        return { values: new Map(all.map(([key, value]) => [key, given(value)])), unknown: more?.unknown }
      }
      case 'setdefault': {
        const value = values.get('1')
        const isSet = first?.kind !== 'text' || known.includes(first.text) || value === undefined
        return isSet ? nothing : { values: new Map([[first.text, given(value)]]) }
      }
      case 'pop':
        return first?.kind === 'text' ? { values: new Map([[first.text, removed]]) } : nothing
      default:
        return { values: new Map(known.map(key => [key, removed])) }
    }
  }

  /** What a function does to what it is given. */
  #setByFunction({ to, parameter, call }: GivenOn, caller: Site, only: string | undefined): SetKeys | undefined {
    if (this.#entered.has(to)) return nothing
    this.#entered.add(to)
    try {
      const site = siteOf(to, { scope: to, call, site: caller })
      const empty: Mapping = {
        module: site.module,
        from: call.from,
        to: call.to,
        remarks: [],
        kind: 'mapping',
        entries: new Map(),
      }
      const after = this.after(empty, parameter, site, only)
      if (after.kind !== 'mapping') return undefined
      const values = new Map([...after.entries].map(([key, value]) => [key, given(value)]))
      return { values, unknown: after.unknown }
    } finally {
      this.#entered.delete(to)
    }
  }
}

interface SetKeys {
  readonly values: ReadonlyMap<string, Bound>
  readonly unknown?: string | undefined
}

const unsure: { readonly isReached: undefined; readonly why?: string } = { isReached: undefined }

const nothing: SetKeys = { values: new Map() }

const removed: Bound = { kind: 'removed' }

/** Whether a change may be of a key. */
function concerns(change: Change, key: string): boolean {
  const isOther =
    (change.kind === 'attribute' || change.kind === 'item') && change.key.kind === 'text' && change.key.text !== key
  return !isOther
}

function given(value: Value): Bound {
  return { kind: 'expression', expression: { from: value.from, to: value.to, kind: 'given', value } }
}

function absent({ module, from, to }: Mapping): Value {
  return { module, from, to, remarks: [], kind: 'none', isAbsent: true }
}

/** Where a name is bound: a scope, or the class whose `self` it begins with; undefined for what no scope binds. */
function ownerOf(name: string, from: Scope): Scope | undefined {
  const [root = ''] = /^\w+/.exec(name) ?? []
  if (root === 'self' || root === 'cls') return classAround(from)
  for (let scope: Scope | undefined = from; scope !== undefined; scope = scope.parent)
    if (scope.bindings.has(root) && (scope.kind !== 'class' || scope === from)) return scope
  return undefined
}

/** Where its scope surely binds a name last before a site: what was changed before is of another dictionary. */
function boundAt(name: string, owner: Scope | undefined, { scope, at }: Site): number {
  const bindings = owner?.bindings.get(name) ?? []
  const before = bindings.filter(each => each.branches.length === 0 && (owner !== scope || each.at < at))
  return Math.max(-1, ...before.map(each => each.at))
}

/** The method that makes an object of a class runs before its others. */
function isMaker({ name, parent }: Scope, owner: Scope | undefined): boolean {
  return name === '__init__' && owner !== undefined && parent === owner
}
