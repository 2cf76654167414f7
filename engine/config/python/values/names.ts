/** Finds the value of a name: the binding that reaches a place, in its scope, enclosing scopes, or imported files. */

import type { Expression, Span } from '../syntax/expressions.ts'
import {
  type Binding,
  classAround,
  conditionsAround,
  type Module,
  type Place,
  type Scope,
  starImports,
} from '../syntax/module.ts'
import type { Evaluator, IsTrue } from './evaluator.ts'
import { fileTestsIn, onFirstRun, truthOnFirstRun } from './file-tests.ts'
import { unlessItFails } from './handlers.ts'
import { belowLimit, isLimitOfTokenizer } from './library-values.ts'
import { parsedClass } from './parsed-classes.ts'
import { isSameLoad, withoutChatTokens } from './same-load.ts'
import { open, placed, siteOf, symbol, unknown } from './sites.ts'
import { areEqual, isOfOption, placeIn, placesIn, type Site, type Value } from './values.ts'

/** As a sentence lists them. */
const MAX_LINES = 3
/** Files that take everything from one another. */
const MAX_PASSED_ON = 3

/** A binding that may reach a site. */
interface Candidate {
  readonly binding: Binding
  readonly value: Value
}

const isScalar = ({ kind }: Value) => kind === 'number' || kind === 'text' || kind === 'flag'

/** The defaults of options by which this value counts and not another one. */
function withRemarks(value: Value, told: ReadonlySet<string>): Value {
  return told.size === 0 ? value : { ...value, remarks: [...new Set([...value.remarks, ...told])] }
}

/** The branch that is taken of each statement around a site, by where the statement is. */
export type Branches = ReadonlyMap<number, number>

export function branchesAround({ branches }: Site): Branches {
  return new Map(branches.map(({ statement, index }) => [statement, index]))
}

/** Branches in which a name is bound: one of those of an `if` with an `else` is taken. */
class Coverage {
  readonly #around: Branches
  readonly #bound = new Map<number, Set<number>>()
  /** By statement. */
  readonly #last = new Map<number, number>()

  constructor(around: Branches) {
    this.#around = around
  }

  isWholeWith({ branches }: Place): boolean {
    const [branch, ...within] = branches.filter(({ statement }) => !this.#around.has(statement))
    if (branch === undefined || within.length > 0) return false
    const { statement, index, tests } = branch
    const bound = this.#bound.get(statement) ?? new Set()
    this.#bound.set(statement, bound.add(index))
    if (tests.every(({ expected }) => !expected)) this.#last.set(statement, index)
    return bound.size === (this.#last.get(statement) ?? Number.NaN) + 1
  }
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
      if (value !== undefined) return this.#evaluator.changes.after(value, name, site)
    }
    if (name === '__file__') return { ...symbol(name, expression, site), kind: 'text', text: site.module.path }
    if (name === '__name__') {
      const { isImported, path } = site.module
      return { ...symbol(name, expression, site), kind: 'text', text: isImported ? path : '__main__' }
    }
    for (const from of starImports(site.module.top)) {
      const module = this.#evaluator.find(site.module, from)
      const value = module === undefined ? undefined : this.inModule(module, name)
      if (value !== undefined) return value
      if (module === undefined && /^[A-Z]/.test(name)) return symbol(`${from}.${name}`, expression, site)
    }
    return symbol(name, expression, site)
  }

  /** What was set under the keys of what a name holds: `config["batch"] = 8`. */
  itemsSet(name: string, site: Site): ReadonlyMap<string, Value> {
    const empty: Value = { ...unknown(site, { from: site.at, to: site.at }), kind: 'mapping', entries: new Map() }
    const after = this.#evaluator.changes.after(empty, name, site)
    return after.kind === 'mapping' ? after.entries : new Map()
  }

  /** Whether a place runs before what stands in the branches `around` does; what is around both does not matter. */
  reach(place: Place, around: Branches, placeSite: Site, isTrue?: IsTrue): ReturnType<Evaluator['isReached']> {
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
    if (agreed !== undefined) {
      const before = bindings.filter(({ scope, at }) => scope !== site.scope || at <= site.at)
      const read = (binding: Binding) =>
        this.#bound(binding, { ...siteOf(binding.scope, site.frame), ...placed(binding) })
      return unlessItFails(agreed, before, read, this.#evaluator)
    }
    if (first === undefined) return undefined
    const settled = this.#onFirstRun(bindings, candidates, site) ?? this.#cutToTokenizer(bindings, candidates)
    if (settled !== undefined) return settled
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

  /** `length = tokenizer.model_max_length`, and then `if length > 1024: length = 1024`, as transformers' example scripts have it. */
  #cutToTokenizer(bindings: readonly Binding[], [cut, limit, ...others]: readonly Candidate[]): Value | undefined {
    const condition = cut?.binding.branches.at(-1)?.tests.at(-1)?.condition
    if (cut === undefined || limit === undefined || others.length > 0 || condition?.kind !== 'binary') return undefined
    const { left, operator } = condition
    const isOfItself = left.kind === 'name' && cut.binding.scope.bindings.get(left.name) === bindings
    if (!isOfItself || operator !== '>' || cut.value.kind !== 'number' || !isLimitOfTokenizer(limit.value))
      return undefined
    return belowLimit(cut.value, limit.value, this.#evaluator)
  }

  /** Bindings that may reach a site, the last one first. */
  #candidates(bindings: readonly Binding[], site: Site, isTrue?: IsTrue): readonly Candidate[] {
    const found: Candidate[] = []
    const around = branchesAround(site)
    const covered = new Coverage(around)
    const told = new Set<string>()
    for (const binding of bindings.toReversed()) {
      if (binding.scope === site.scope && binding.at > site.at) continue
      const bindingSite: Site = { ...siteOf(binding.scope, site.frame), ...placed(binding) }
      const calls = binding.isGlobal ? (site.module.calls.get(binding.scope.name) ?? []) : undefined
      if (calls?.length === 0) continue
      const { isReached: isSet, remarks = [] } = this.reach(binding, around, bindingSite, isTrue)
      const isCalled = calls === undefined || calls.some(({ branches }) => branches.length === 0)
      const isReached = isSet === true && !isCalled ? undefined : isSet
      for (const remark of remarks) if (isOfOption(remark)) told.add(remark)
      if (isReached === false) continue
      const value = this.#bound(binding, bindingSite)
      if (value !== undefined) found.push({ binding, value: isScalar(value) ? withRemarks(value, told) : value })
      // A name bound to an expression of itself has its earlier value: `self.model = wrap(self.model)`.
      if (isReached === true && (value !== undefined || !this.#evaluating.has(binding))) break
      if (value !== undefined && covered.isWholeWith(binding)) break
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
      case 'removed':
        return { ...span, module: site.module, remarks: [], kind: 'none', isAbsent: true }
      case 'opaque':
        return open(site, span, `the value ${value.why} (${placeIn(site.module, binding.at)})`)
    }
  }

  #element(value: Value, index: number, of: Span, site: Site): Value {
    if (value.kind === 'list') return value.items[index] ?? unknown(site, of)
    if (value.kind === 'call')
      return parsedClass(value, index, this.#evaluator) ?? (index === 0 ? value : unknown(site, of))
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

  /** Of its own, or of a file that it takes everything from: `from .common import *`. */
  inModule(module: Module, name: string, depth = 0): Value | undefined {
    const bindings = module.top.bindings.get(name)
    if (bindings !== undefined) return this.reaching(bindings, siteOf(module.top))
    if (depth === MAX_PASSED_ON || name.startsWith('_')) return undefined
    for (const from of starImports(module.top).toReversed()) {
      const passing = this.#evaluator.find(module, from)
      const value = passing && this.inModule(passing, name, depth + 1)
      if (value !== undefined) return value
    }
    return undefined
  }
}
