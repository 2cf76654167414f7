/** Statements that freeze weights in functions and methods of the repository, as each call of them runs them. */
import { dottedName } from '../syntax/expressions.ts'
import { type Call, callExpression, type Module, type Place, type Scope } from '../syntax/module.ts'
import { methodOf } from '../values/classes.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import type { LibraryCall, Site, Value } from '../values/values.ts'
import { loopsAround } from './frozen-loops.ts'
import { modelChain } from './model-chain.ts'

/** Where a statement runs, by the calls that lead to it. */
export interface Run {
  /** With the arguments of the call. */
  readonly site: Site
  /** Where the outermost of these calls stands, or the statement itself; undefined for what is not followed. */
  readonly root: Scope | undefined
  /** Its place there, and in each function that is called on the way. */
  readonly order: readonly number[]
}

/** Functions that call one another. */
const MAX_LEVELS = 3
/** Of one function in one file. */
const MAX_CALLS = 8

/** Functions that may freeze, so that they are looked for in imported files. */
const mayFreeze = /freez|frozen|requires?_?grad|trainable|fine_?tun|feature_extract/i

/** What a call calls, of the repository. */
interface Called {
  readonly scope: Scope
  readonly self?: Value
}

export class FreezingCalls {
  readonly #files: readonly Module[]
  readonly #roots: ReadonlySet<Scope>
  readonly #loaded: LibraryCall | undefined
  readonly #evaluator: Evaluator

  /** `roots`: functions that run anyway. */
  constructor(
    files: readonly Module[],
    roots: readonly Scope[],
    loaded: LibraryCall | undefined,
    evaluator: Evaluator,
  ) {
    this.#files = [...new Set([...files, ...(loaded === undefined ? [] : [loaded.module])])]
    this.#roots = new Set(roots)
    this.#loaded = loaded
    this.#evaluator = evaluator
  }

  /** Other files, of which the given ones call functions that may freeze. */
  otherFiles(): readonly Module[] {
    const calls = this.#files.flatMap(({ calls: all }) =>
      [...all].flatMap(([name, found]) => (mayFreeze.test(name) ? found.slice(0, MAX_CALLS) : [])),
    )
    const called = calls.flatMap(call => this.#calledBy(call, siteAt(call))?.scope.module ?? [])
    return [...new Set(called)].filter(module => !this.#files.includes(module))
  }

  /** Those in which something may be done to the model. */
  scopes(): readonly Scope[] {
    return this.#files.flatMap(({ top, functions }) => [top, ...functions.values()])
  }

  /** Whether it is a call of a function of the repository, whose own statements are what counts. */
  isFollowed(statement: Call): boolean {
    return statement.node.name === 'CallExpression' && this.#calledBy(statement, siteAt(statement)) !== undefined
  }

  /** None for what is never called. */
  runsOf(place: Place, level = 0): readonly Run[] {
    const { scope, at } = place
    const frame = this.#loaded?.site.frame
    const site = { ...siteAt(place), ...(frame?.scope === scope && { frame }) }
    const isRoot = scope.kind !== 'function' || scope.name === '__init__' || this.#roots.has(scope)
    if (isRoot) return [{ site, root: scope, order: [at] }]
    const notFollowed: Run = { site, root: undefined, order: [at] }
    const all = this.#callsOf(scope)
    const calls = all.filter(call => this.#evaluator.mayRun(call))
    if (calls.length === 0) return this.#isUncalled(scope, all.length) ? [] : [notFollowed]
    if (level >= MAX_LEVELS || mayReturnBefore(scope, at)) return [notFollowed]
    return calls.flatMap(call =>
      this.runsOf(call, level + 1).flatMap(around => this.#within(around, call, place) ?? notFollowed),
    )
  }

  /** None where the call is not reached; undefined where only run time tells. */
  #within(around: Run, call: Call, place: Place): readonly Run[] | undefined {
    const expression = callExpression(call)
    const called = this.#calledBy(call, around.site)
    const { isReached } = this.#evaluator.isReached(call, around.site)
    if (isReached === false) return []
    if (isReached === undefined || expression === undefined || called?.scope !== place.scope) return undefined
    const self = called.self === undefined ? {} : { self: called.self }
    const frame = { scope: place.scope, call: expression, site: around.site, ...self }
    const isOnce = around.root !== undefined && loopsAround(call.node)?.length === 0
    return [
      {
        site: { ...siteAt(place), frame },
        root: isOnce ? around.root : undefined,
        order: [...around.order, place.at],
      },
    ]
  }

  #calledBy(call: Call, site: Site): Called | undefined {
    const callee = callExpression(call)?.callee
    if (callee?.kind === 'attribute') {
      const value = this.#evaluator.evaluate(callee.object, site)
      const object = modelChain(value, this.#evaluator).unknown ?? value
      const owner = object.kind === 'instance' || object.kind === 'class' ? object.scope : undefined
      const method = owner && methodOf(owner, callee.name)
      if (method !== undefined) return { scope: method, ...(object.kind === 'instance' && { self: object }) }
    }
    const value = callee && dottedName(callee) !== undefined ? this.#evaluator.evaluate(callee, site) : undefined
    return value?.kind === 'function' ? { scope: value.scope, ...(value.self && { self: value.self }) } : undefined
  }

  #everywhere(): ReadonlySet<Module> {
    return new Set([...this.#files, ...this.#evaluator.callers])
  }

  #callsOf(scope: Scope): readonly Call[] {
    return [...this.#everywhere()].flatMap(module =>
      (module.calls.get(scope.name) ?? [])
        .slice(0, MAX_CALLS)
        .filter(call => call.scope !== scope && this.#calledBy(call, siteAt(call))?.scope === scope),
    )
  }

  /** But for calls that do not run; nor is it handed on, nor a method that a library calls. */
  #isUncalled({ name, module, parent }: Scope, unreached: number): boolean {
    if (!this.#files.includes(module)) return true
    const base = parent?.kind === 'class' ? this.#evaluator.classes.libraryBase(parent) : undefined
    if (parent?.kind === 'class' && !(mayFreeze.test(name) && (base === undefined || /Module$/.test(base))))
      return false
    this.#evaluator.asksCallers = true
    const words = [...this.#everywhere()].flatMap(({ text }) => text.split(/\W+/))
    return words.filter(word => word === name).length <= 1 + unreached
  }

  /** Whether a place runs after another, which is in a function that calls what it stands in. */
  runsAfter(root: Scope, last: readonly number[], { scope, at }: Place, within: readonly number[] = []): boolean {
    const order = [at, ...within]
    if (scope === root) return comparePlaces(order, last) > 0
    if (scope.kind !== 'function' || within.length >= MAX_LEVELS) return false
    const calls = this.#callsOf(scope)
    return calls.length > 0 && calls.every(call => this.runsAfter(root, last, call, order))
  }
}

/** What returns before may leave it out. */
export function mayReturnBefore({ kind, leavesAt }: Scope, at: number): boolean {
  return kind === 'function' && leavesAt.some(leaves => leaves < at)
}

export function isInFunction({ scope }: Place): boolean {
  return scope.kind === 'function' && scope.name !== '__init__'
}

export function comparePlaces(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((place, index) => place !== other[index])
  return at < 0 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1)
}
