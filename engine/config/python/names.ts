/** Finds the value of a name: the binding that reaches a place, in its scope, enclosing scopes, or imported files. */
import { parsedClass } from './command-line.ts'
import type { Evaluator, IsTrue } from './evaluator.ts'
import { dottedName, type Expression, type Span } from './expressions.ts'
import { fileTestsIn, onFirstRun, truthOnFirstRun } from './file-tests.ts'
import {
  type Binding,
  type ComputedItem,
  callExpression,
  classAround,
  conditionsAround,
  type Module,
  type Place,
  type Scope,
  starImports,
} from './module.ts'
import { isSameLoad, withoutChatTokens } from './same-load.ts'
import { open, placed, siteAt, siteOf, symbol, unknown } from './sites.ts'
import { areEqual, placeIn, placesIn, type Site, shownAt, type Value } from './values.ts'

/** As a sentence lists them. */
const MAX_LINES = 3
/** Of one dictionary. */
const MAX_COMPUTED = 20

/** A binding that may reach a site. */
interface Candidate {
  readonly binding: Binding
  readonly value: Value
}

/** The branch that is taken of each statement around a site, by where the statement is. */
type Branches = ReadonlyMap<number, number>

function branchesAround({ branches }: Site): Branches {
  return new Map(branches.map(({ statement, index }) => [statement, index]))
}

export class Names {
  readonly #evaluator: Evaluator
  /** Of what no call decides. */
  readonly #known = new Map<Binding, Value | undefined>()
  /** Bindings under evaluation: one that depends on itself has no value. */
  readonly #evaluating = new Set<Binding>()

  constructor(evaluator: Evaluator) {
    this.#evaluator = evaluator
  }

  named(expression: Extract<Expression, { kind: 'name' }>, site: Site): Value {
    const { name } = expression
    for (let scope: Scope | undefined = site.scope; scope !== undefined; scope = scope.parent) {
      if (scope.kind === 'class' && scope !== site.scope) continue
      const bindings = scope.bindings.get(name)
      const value = bindings && this.reaching(bindings, scope === site.scope ? site : siteOf(scope, site.frame))
      if (value !== undefined) return this.#withItems(value, name, site)
    }
    if (name === '__file__') return { ...symbol(name, expression, site), kind: 'text', text: site.module.path }
    for (const from of starImports(site.module.top)) {
      const module = this.#evaluator.find(site.module, from)
      const value = module === undefined ? undefined : this.inModule(module, name)
      if (value !== undefined) return value
      if (module === undefined && /^[A-Z]/.test(name)) return symbol(`${from}.${name}`, expression, site)
    }
    return symbol(name, expression, site)
  }

  /** A dictionary with what was set on it since: `config["batch"] = 8`. */
  #withItems(value: Value, name: string, site: Site): Value {
    if (value.kind !== 'mapping') return value
    const updated = this.#updated(value, name, site)
    const set = this.itemsSet(name, site)
    if (set.size === 0 || updated.kind !== 'mapping') return updated
    return { ...updated, entries: new Map([...updated.entries, ...set]) }
  }

  /** What was set under the keys of what a name holds: `config["batch"] = 8`. */
  itemsSet(name: string, site: Site): ReadonlyMap<string, Value> {
    const prefix = `${name}[`
    const written = [...site.scope.members].flatMap(([key, bindings]) =>
      key.startsWith(prefix) ? [{ key: key.slice(prefix.length, -1), bindings }] : [],
    )
    const computed = site.scope.computedItems
      .filter(({ object }) => object === name)
      .slice(0, MAX_COMPUTED)
      .flatMap(item => this.#keysOf(item).map(key => ({ key, bindings: [item] })))
    const set = new Map<string, Value>()
    for (const { key, bindings } of [...computed, ...written]) {
      const item = this.reaching(bindings, site)
      if (item !== undefined) set.set(key, item)
    }
    return set
  }

  /** None where only a run tells. */
  #keysOf({ key, ...place }: ComputedItem): readonly string[] {
    const value = this.#evaluator.evaluate(key, siteAt(place))
    return value.kind === 'text' ? [value.text] : []
  }

  /** `config.update(overrides)`, in the function that asks. */
  #updated(value: Extract<Value, { kind: 'mapping' }>, name: string, site: Site): Value {
    let updated = value
    const around = branchesAround(site)
    for (const call of site.module.calls.get('update') ?? []) {
      if (call.scope !== site.scope || call.at > site.at) continue
      const expression = callExpression(call)
      if (expression === undefined || dottedName(expression.callee) !== `${name}.update`) continue
      const { isReached, why } = this.#reach(call, around, { ...site, ...placed(call) })
      if (isReached === false) continue
      const given = this.#evaluator.argumentsOf(expression, { ...site, ...placed(call) })
      const other = given.values.get('0')
      const more = other === undefined ? undefined : this.#evaluator.asMapping(other)
      const isKnown = given.unknown === undefined && (more === undefined || more.kind === 'mapping')
      if (!isKnown) return open(site, expression, `${name} is changed by ${shownAt(site.module, expression)}`)
      const entries = new Map(updated.entries)
      for (const [key, entry] of [...(more?.kind === 'mapping' ? more.entries : []), ...given.values]) {
        if (key === '0') continue
        const known = entries.get(key)
        const isCertain = isReached === true || (known !== undefined && areEqual(known, entry) === true)
        entries.set(key, isCertain ? entry : open(site, expression, `whether ${name} is updated depends on ${why}`))
      }
      updated = { ...updated, entries }
    }
    return updated
  }

  /** Whether a place runs before what stands in the branches `around` does; what is around both does not matter. */
  #reach(place: Place, around: Branches, placeSite: Site, isTrue?: IsTrue): ReturnType<Evaluator['isReached']> {
    const isElsewhere = place.branches.some(({ statement, index }) => (around.get(statement) ?? index) !== index)
    if (isElsewhere) return { isReached: false }
    const relative = place.branches.filter(({ statement }) => !around.has(statement))
    return this.#evaluator.isReached({ ...place, branches: relative }, placeSite, isTrue)
  }

  /** What was set on an object: `config.batch`, `config[batch]`. */
  member(site: Site, source: string): Value | undefined {
    for (let scope: Scope | undefined = site.scope; scope !== undefined; scope = scope.parent) {
      const bindings = scope.members.get(source)
      const value = bindings && this.reaching(bindings, scope === site.scope ? site : siteOf(scope, site.frame))
      if (value !== undefined) return value
    }
    return undefined
  }

  /** What a method has set on `self` before a site in it; undefined where others may have set it. */
  setBefore(site: Site, name: string): Value | undefined {
    const set = classAround(site.scope)?.members.get(name) ?? []
    const here = set.filter(({ scope, at }) => scope === site.scope && at <= site.at)
    const isCertain = here.some(({ branches }) => branches.length === 0)
    return isCertain ? this.reaching(here, site) : undefined
  }

  /** What a name holds at a site: the last binding before it, unless others may come in between. */
  reaching(bindings: readonly Binding[], site: Site): Value | undefined {
    const candidates = this.#candidates(bindings, site)
    const [first] = candidates
    const agreed = this.#agreed(candidates)
    if (first === undefined || agreed !== undefined) return agreed
    const fresh = this.#onFirstRun(bindings, candidates, site)
    if (fresh !== undefined) return fresh
    const { module } = first.value
    const bound = candidates.map(({ binding }) => binding.at).toReversed()
    const places = placesIn(module, bound, MAX_LINES)
    return {
      ...first.value,
      kind: 'open',
      why: `it is set in several places (${places}), and which one counts depends on run time`,
    }
  }

  #onFirstRun(bindings: readonly Binding[], candidates: readonly Candidate[], site: Site): Value | undefined {
    const asked = fileTestsIn(conditionsAround(candidates.map(({ binding }) => binding)))
    if (asked.length === 0) return undefined
    const isTrue: IsTrue = (condition, at) => truthOnFirstRun(condition, at, this.#evaluator)
    const value = this.#agreed(this.#candidates(bindings, site, isTrue))
    return value && onFirstRun(value, asked, site, this.#evaluator)
  }

  /** Bindings that may reach a site, the last one first. */
  #candidates(bindings: readonly Binding[], site: Site, isTrue?: IsTrue): readonly Candidate[] {
    const found: Candidate[] = []
    const around = branchesAround(site)
    for (const binding of bindings.toReversed()) {
      if (binding.scope === site.scope && binding.at > site.at) continue
      const bindingSite: Site = { ...siteOf(binding.scope, site.frame), ...placed(binding) }
      const { isReached } = this.#reach(binding, around, bindingSite, isTrue)
      if (isReached === false) continue
      const value = this.#bound(binding, bindingSite)
      if (value !== undefined) found.push({ binding, value })
      // A name bound to an expression of itself has its earlier value: `self.model = wrap(self.model)`.
      if (isReached === true && (value !== undefined || !this.#evaluating.has(binding))) break
    }
    return found
  }

  /** The value of all; undefined where they differ. */
  #agreed(candidates: readonly Candidate[]): Value | undefined {
    const values = candidates.map(({ value }) => value)
    const same = this.#same(values)
    if (same !== undefined || values.length < 2) return same
    return this.#same(values.map(value => withoutChatTokens(value, this.#evaluator)))
  }

  #same([first, ...others]: readonly Value[]): Value | undefined {
    if (first === undefined || others.every(other => areEqual(first, other) === true)) return first
    return others.every(other => isSameLoad(first, other, this.#evaluator)) ? first : undefined
  }

  #bound(binding: Binding, site: Site): Value | undefined {
    const isKept = site.frame === undefined || binding.scope.kind === 'module'
    if (isKept && this.#known.has(binding)) return this.#known.get(binding)
    if (this.#evaluating.has(binding)) return undefined
    this.#evaluating.add(binding)
    const value = this.#evaluateBound(binding, site)
    this.#evaluating.delete(binding)
    if (isKept) this.#known.set(binding, value)
    return value
  }

  #evaluateBound(binding: Binding, site: Site): Value | undefined {
    const { value } = binding
    const span = { from: binding.at, to: binding.at }
    switch (value.kind) {
      case 'expression':
        return this.#evaluator.evaluate(value.expression, { ...site, at: value.expression.from })
      case 'element':
        return this.#element(
          this.#evaluator.evaluate(value.of, { ...site, at: value.of.from }),
          value.index,
          value.of,
          site,
        )
      case 'parameter':
        return this.#evaluator.parameters.ofScope(value.parameter.name, site)
      case 'import':
        return this.imported(value.from, value.member, span, site)
      case 'function':
        return { ...span, module: site.module, remarks: [], kind: 'function', scope: value.scope }
      case 'class':
        return { ...span, module: site.module, remarks: [], kind: 'class', scope: value.scope }
      case 'declared':
        return undefined
      case 'opaque':
        return open(site, span, `the value ${value.why} (${placeIn(site.module, binding.at)})`)
    }
  }

  #element(value: Value, index: number, of: Span, site: Site): Value {
    if (value.kind === 'list') return value.items[index] ?? unknown(site, of)
    if (value.kind === 'call')
      return parsedClass(value, index, this.#evaluator.options) ?? (index === 0 ? value : unknown(site, of))
    return value.kind === 'open' ? value : unknown(site, of)
  }

  imported(from: string, member: string | undefined, span: Span, site: Site): Value {
    const name = member === undefined ? from : /\.$/.test(from) ? `${from}${member}` : `${from}.${member}`
    const module = member === undefined ? undefined : this.#evaluator.find(site.module, from)
    const value = module && member !== undefined ? this.inModule(module, member) : undefined
    if (value !== undefined) return value
    // A submodule of a package; a name with a capital is a class.
    const whole = member !== undefined && /^[A-Z]/.test(member) ? undefined : this.#evaluator.find(site.module, name)
    if (whole !== undefined) return { ...span, module: site.module, remarks: [], kind: 'module', imported: whole }
    return symbol(name, span, site)
  }

  inModule(module: Module, name: string): Value | undefined {
    const bindings = module.top.bindings.get(name)
    return bindings && this.reaching(bindings, siteOf(module.top))
  }
}
