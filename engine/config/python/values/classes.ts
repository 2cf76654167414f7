/** Fields and attributes of the classes that the repository defines: dataclasses, settings objects, classes with an __init__. */

import { type Binding, callExpression, type Scope } from '../syntax/module.ts'
import { commandLineValue } from './command-line.ts'
import type { Evaluator } from './evaluator.ts'
import { mergedByInit, mergedInto } from './merged-attributes.ts'
import { open, placed, siteAt, siteOf, writtenAs } from './sites.ts'
import { areEqual, type Instance, placeIn, type Site, shownAt, type Value } from './values.ts'

/** Classes that inherit from one another. */
const MAX_BASES = 5
/** Of one class in its file. */
const MAX_CALLS = 4

export class Classes {
  readonly #evaluator: Evaluator

  constructor(evaluator: Evaluator) {
    this.#evaluator = evaluator
  }

  /** The class that an object of the repository's own class inherits from, in a library: `transformers.Trainer`. */
  libraryBase(scope: Scope, depth = 0): string | undefined {
    if (depth > MAX_BASES) return undefined
    for (const base of scope.bases) {
      const value = this.#evaluator.evaluate(base, siteOf(scope.parent ?? scope))
      if (value.kind === 'symbol') return value.name
      const further = value.kind === 'class' ? this.libraryBase(value.scope, depth + 1) : undefined
      if (further !== undefined) return further
    }
    return undefined
  }

  /** Fields of a class with the values that they have by default, those of its bases too. */
  fieldsOf(scope: Scope, depth = 0): ReadonlyMap<string, Value> {
    const found = new Map<string, Value>()
    if (depth > MAX_BASES) return found
    for (const base of scope.bases) {
      const value = this.#evaluator.evaluate(base, siteOf(scope.parent ?? scope))
      if (value.kind === 'class')
        for (const [name, field] of this.fieldsOf(value.scope, depth + 1)) found.set(name, field)
    }
    for (const [name, bindings] of scope.bindings) {
      if (!bindings.every(({ value }) => value.kind === 'expression')) continue
      const value = this.#evaluator.names.reaching(bindings, siteOf(scope))
      if (value !== undefined) found.set(name, this.#fieldDefault(value))
    }
    return found
  }

  /** `asked`: where the attribute is asked for. */
  ofInstance(object: Instance, name: string, asked?: Site): Value | undefined {
    const { scope, call, site } = object
    const passed = object.isParsed ? this.#evaluator.passed.get(name) : undefined
    if (passed !== undefined) return passed
    const init = methodOf(scope, '__init__')
    const merged =
      mergedInto(object, name, this.#evaluator) ??
      mergedByInit(object, init ?? this.#inheritedInit(scope), name, this.#evaluator)
    if (merged !== undefined) return merged
    const set = init === undefined ? this.#setAfterInit(object, name, asked) : undefined
    if (set !== undefined) return set
    for (const owner of [scope, ...this.bases(scope)]) {
      const all = owner.members.get(name)
      const own = methodOf(owner, '__init__')
      const set = all && withoutReloads(all)
      const of = set?.[0]?.scope
      if (set === undefined || of === undefined) continue
      // Without a call of its own, the parameters are what the calls in the file give.
      const frame = own !== undefined && call !== undefined ? { scope: own, call, site, self: object } : undefined
      const value = this.#evaluator.names.reaching(withoutWrappers(set, asked), siteOf(of, frame))
      if (value !== undefined) return value
    }
    return this.#given(object, name, init)
  }

  #inheritedInit(scope: Scope): Scope | undefined {
    return this.bases(scope)
      .map(base => methodOf(base, '__init__'))
      .find(init => init !== undefined)
  }

  /** What a dataclass's `__post_init__` makes of what a field was given. */
  #setAfterInit(object: Instance, name: string, asked: Site | undefined): Value | undefined {
    const owner = [object.scope, ...this.bases(object.scope)].find(each => methodOf(each, '__post_init__'))
    const method = owner && methodOf(owner, '__post_init__')
    const bindings = owner?.members.get(name)?.filter(binding => binding.scope === method) ?? []
    if (method === undefined || bindings.length === 0) return undefined
    const site = siteOf(method, { scope: method, call: undefined, site: undefined, self: object })
    const before = bindings.filter(({ at }) => asked?.scope !== method || at < asked.at)
    for (const binding of before.toReversed()) {
      const { isReached, why } = this.#evaluator.isReached(binding, { ...site, ...placed(binding) })
      if (isReached === false) continue
      const value = this.#evaluator.names.reaching([binding], site)
      const isCertain = isReached === true && value !== undefined
      const place = placeIn(method.module, binding.at)
      const because = why === undefined ? 'by what is not known' : `depending on ${why}`
      return isCertain
        ? value
        : open(site, { from: binding.at, to: binding.at }, `__post_init__ may set ${name} (${place}), ${because}`)
    }
    return this.#given(object, name, undefined)
  }

  /** What all calls of a dataclass in its file give a field that has no default, for an object without a call of its own. */
  #givenByAll({ scope, isParsed, ...object }: Instance, name: string): Value | undefined {
    const calls = isParsed ? [] : (scope.module.calls.get(scope.name) ?? []).slice(0, MAX_CALLS)
    const given = calls.flatMap(each => {
      const call = callExpression(each)
      const made = call && { ...object, scope, isParsed, call, site: siteAt(each) }
      return made?.site.scope === scope ? [] : ((made && this.#given(made, name, undefined)) ?? [])
    })
    const [first, ...others] = given
    return first !== undefined && others.every(other => areEqual(first, other) === true) ? first : undefined
  }

  /** By the call that made the object, or by default. */
  #given(object: Instance, name: string, init: Scope | undefined): Value | undefined {
    const { scope, call, site } = object
    if (init === undefined && call === undefined && scope.bindings.get(name)?.[0]?.value.kind === 'declared') {
      const told = this.#givenByAll(object, name)
      if (told !== undefined) return told
    }
    let { isParsed } = object
    if (init === undefined && call !== undefined) {
      const declared = [...scope.bindings].filter(([, [first]]) =>
        /^(?:expression|declared)$/.test(first?.value.kind ?? ''),
      )
      const names = declared.map(([key]) => key)
      const { values, unknown, parsed } = this.#evaluator.argumentsOf(call, site, names)
      const given = values.get(name) ?? (parsed && commandLineValue(parsed, name, this.#evaluator.options))
      if (given !== undefined) return given
      if (unknown !== undefined && parsed === undefined)
        return open(site, call, `what is unpacked from ${unknown} may set ${name}`)
      isParsed ||= parsed !== undefined
    }
    const value = this.field(scope, name) ?? this.#savedParameter(object, name, init)
    if (value === undefined || !isParsed) return value
    const remark = `${name} is ${writtenAs(value)}, the default of ${scope.name}.${name} (${placeIn(value.module, value.from)}), which the command line may override.`
    return { ...value, remarks: [...value.remarks, remark] }
  }

  /** Lightning's `save_hyperparameters()` keeps what __init__ is given under `hparams`. */
  #savedParameter(
    { call, site, module, from, to }: Instance,
    name: string,
    init: Scope | undefined,
  ): Value | undefined {
    if (init === undefined || !init.module.calls.has('save_hyperparameters')) return undefined
    if (!init.parameters.some(parameter => parameter.name === name)) return undefined
    const self: Value = { module, from, to, remarks: [], kind: 'none' }
    const frame = call === undefined ? undefined : { scope: init, call, site, self }
    return this.#evaluator.parameters.ofScope(name, siteOf(init, frame))
  }

  /** The repository's own classes that a class inherits from. */
  bases(scope: Scope, depth = 0): readonly Scope[] {
    if (depth > MAX_BASES) return []
    return scope.bases.flatMap(base => {
      const value = this.#evaluator.evaluate(base, siteOf(scope.parent ?? scope))
      return value.kind === 'class' ? [value.scope, ...this.bases(value.scope, depth + 1)] : []
    })
  }

  ofClass(scope: Scope, name: string): Value | undefined {
    const field = this.field(scope, name)
    if (field !== undefined) return field
    const method = methodOf(scope, name)
    return (
      method && {
        module: scope.module,
        from: method.from,
        to: method.from,
        remarks: [],
        kind: 'function',
        scope: method,
      }
    )
  }

  field(scope: Scope, name: string, depth = 0): Value | undefined {
    const bindings = scope.bindings.get(name)
    const value = bindings && this.#evaluator.names.reaching(bindings, siteOf(scope))
    if (value !== undefined) return this.#fieldDefault(value)
    if (bindings?.some(({ value: bound }) => bound.kind === 'declared')) {
      const at = bindings[0]!.at
      return open(
        siteOf(scope),
        { from: at, to: at },
        `${scope.name}.${name} has no default (${placeIn(scope.module, at)})`,
      )
    }
    if (depth > MAX_BASES) return undefined
    for (const base of scope.bases) {
      const inherited = this.#evaluator.evaluate(base, siteOf(scope.parent ?? scope))
      const found = inherited.kind === 'class' ? this.field(inherited.scope, name, depth + 1) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }

  /** What `field(default=8)` stands for. */
  #fieldDefault(value: Value): Value {
    if (value.kind !== 'call' || value.call === undefined || !/(?:^|\.)(?:field|Field|attrib|ib)$/.test(value.name))
      return value
    const byDefault = this.#evaluator.argumentsOf(value.call, value.site, ['default']).values.get('default')
    const factory = value.call.arguments.find(each => each.kind === 'keyword' && each.name === 'default_factory')
    if (factory?.kind === 'keyword') {
      const { value: of } = factory
      const { from, to } = of
      const made = of.kind === 'lambda' ? of.body : ({ kind: 'call', callee: of, arguments: [], from, to } as const)
      return this.#evaluator.evaluate(made, value.site)
    }
    return byDefault ?? { ...value, kind: 'open', why: `${shownAt(value.module, value)} has no plain default` }
  }
}

/** `self.model = wrap(self.model)` wraps what was set above it, whichever method does that. */
function withoutWrappers(set: readonly Binding[], asked: Site | undefined): readonly Binding[] {
  const wrapper = set.find(
    ({ scope, value }) =>
      asked?.scope === scope &&
      value.kind === 'expression' &&
      value.expression.from <= asked.at &&
      asked.at <= value.expression.to,
  )
  return wrapper === undefined ? set : set.filter(({ at }) => at < wrapper.at)
}

/** Such methods load what was trained, to evaluate it or to go on. */
const loadsAgain = /^_?(?:re)?(?:load|restore|resume)(?:_\w+)?$/

/** Of what several methods set, that of methods which load it again only where `__init__` makes none, or where the class calls them. */
function withoutReloads(set: readonly Binding[]): readonly Binding[] {
  const isCalled = ({ name, parent, module }: Scope) =>
    (module.calls.get(name) ?? []).some(call => call.scope.parent === parent)
  const kept = set.filter(({ scope }) => !loadsAgain.test(scope.name) || isCalled(scope))
  const isMade = kept.some(
    ({ scope, value }) => scope.name === '__init__' && value.kind === 'expression' && value.expression.kind === 'call',
  )
  return isMade ? kept : set
}

export function methodOf(scope: Scope, name: string): Scope | undefined {
  const bound = scope.bindings.get(name)?.at(-1)?.value
  return bound?.kind === 'function' ? bound.scope : undefined
}

const asProperty = /^(?:functools\.)?(?:cached_)?property$/

/** Without the setter of the same name. */
export function propertyOf(scope: Scope, name: string): Scope | undefined {
  const methods = (scope.bindings.get(name) ?? []).flatMap(({ value }) =>
    value.kind === 'function' ? value.scope : [],
  )
  return methods.find(({ decorators }) => decorators.some(each => each.kind === 'name' && asProperty.test(each.name)))
}
