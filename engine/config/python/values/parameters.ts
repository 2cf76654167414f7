/** The values of a function's parameters: from its calls in the file, or their defaults. */

import type { Span } from '../syntax/expressions.ts'
import { type Call, callExpression, type Scope } from '../syntax/module.ts'
import { isCalledByOptions } from './called-by-options.ts'
import { methodOf } from './classes.ts'
import { decoratorDefault, decoratorDefaults } from './command-line.ts'
import type { Evaluator } from './evaluator.ts'
import { handedOn } from './handed-on.ts'
import { composedSettings } from './hydra.ts'
import { isSameLoad } from './same-load.ts'
import { open, placed, siteAt, siteOf, writtenAs } from './sites.ts'
import { areEqual, type Frame, type Instance, placeIn, type Site, type Value } from './values.ts'

/** Of one function in one file. */
const MAX_CALLS = 4

export class Parameters {
  readonly #evaluator: Evaluator
  /** Of functions that Hydra decorates. */
  readonly #settings = new Map<Scope, Value | undefined>()

  constructor(evaluator: Evaluator) {
    this.#evaluator = evaluator
  }

  ofScope(name: string, site: Site): Value | undefined {
    const { scope, frame } = site
    if (frame?.scope === scope) return this.#argument(name, scope, frame, site)
    const isMethod = scope.parent?.kind === 'class' && !isDecorated(scope, 'staticmethod')
    const made = isMethod ? this.#madeOf(scope.parent, frame) : undefined
    if (isMethod && name === scope.parameters[0]?.name)
      return made !== undefined && !isDecorated(scope, 'classmethod') ? made : ownerOf(scope, site)
    if (made !== undefined && scope.name === '__init__' && made.scope === scope.parent)
      return this.#argument(name, scope, { scope, call: made.call, site: made.site, self: made }, site)
    // Trainer.fit() calls Lightning's hook so.
    if (isMethod && scope.name === 'setup' && name === 'stage' && this.#evaluator.trainer !== undefined)
      return { module: site.module, ...parameterSpan(scope, name), remarks: [], kind: 'text', text: 'fit' }
    const calledAs = isMethod && scope.name === '__init__' ? scope.parent!.name : scope.name
    const calls = (site.module.calls.get(calledAs) ?? []).filter(call => call.scope !== scope && !isDemonstration(call))
    const elsewhere = this.#evaluator.callers.flatMap(module => {
      const found = module === site.module ? undefined : module.calls.get(calledAs)
      return (found ?? []).slice(0, MAX_CALLS).filter(call => !isDemonstration(call) && this.#isOf(call, scope))
    })
    const called = [...calls.slice(0, MAX_CALLS), ...elsewhere].flatMap(call => {
      const expression = callExpression(call)
      return expression === undefined ? [] : [{ call, expression }]
    })
    const files = new Set([site.module, ...this.#evaluator.callers])
    const handed = [...files].flatMap(file => handedOn(scope, file, this.#evaluator)).slice(0, MAX_CALLS)
    const given = [...called, ...handed].map(({ call, expression }) => {
      const caller = siteOf(call.scope)
      return this.#argument(name, scope, { scope, call: expression, site: { ...caller, ...placed(call) } }, site)
    })
    const [first, ...others] = given
    if (first !== undefined && others.every(other => this.#isSame(first, other))) return first
    if (first !== undefined)
      return open(site, parameterSpan(scope, name), `the calls of ${scope.name}() give different values of ${name}`)
    return this.#parameterDefault(name, scope, site, true)
  }

  /** The object of settings that a method without a call is of: the one whose attribute is asked for, or the only one of its class. */
  #madeOf(owner: Scope | undefined, frame: Frame | undefined): Instance | undefined {
    const { made, classes } = this.#evaluator
    const known = owner && made.ofClass(owner, of => classes.bases(of))
    const self = frame?.self
    return self?.kind === 'instance' && self.scope === known?.scope ? self : known
  }

  #isSame(left: Value, right: Value): boolean {
    return areEqual(left, right) === true || isSameLoad(left, right, this.#evaluator)
  }

  /** Whether a call in another file is one of the function, or of the class whose method it is. */
  #isOf(call: Call, scope: Scope): boolean {
    const callee = callExpression(call)?.callee
    if (callee === undefined) return false
    const value = this.#evaluator.evaluate(callee, siteAt(call))
    if (value.kind === 'function' && value.scope === scope) return true
    if (value.kind === 'class') return scope.name === '__init__' && value.scope === scope.parent
    if (callee.kind !== 'attribute') return false
    const object = this.#evaluator.evaluate(callee.object, siteAt(call))
    return (object.kind === 'instance' || object.kind === 'class') && methodOf(object.scope, scope.name) === scope
  }

  #argument(name: string, scope: Scope, { call, site: caller, self }: Frame, site: Site): Value {
    const isMethod = scope.parent?.kind === 'class' && !isDecorated(scope, 'staticmethod')
    const names = scope.parameters.map(parameter => parameter.name)
    if (isMethod && name === names[0]) {
      if (isDecorated(scope, 'classmethod')) return ownerOf(scope, site)
      if (self !== undefined) return self
    }
    if (call !== undefined && caller !== undefined) {
      const { values, unknown: rest } = this.#evaluator.argumentsOf(call, caller, isMethod ? names.slice(1) : names)
      if (name === scope.rest?.name) {
        const options = decoratorDefaults(scope, site, this.#evaluator.options)
        const entries = new Map([...options, ...values].filter(([key]) => !names.includes(key)))
        const located = { module: caller.module, from: call.from, to: call.to, remarks: [] }
        return { ...located, kind: 'mapping', entries, ...(rest !== undefined && { unknown: rest }) }
      }
      const given = values.get(name)
      if (given !== undefined) return given
      if (rest !== undefined) return open(caller, call, `${rest} depends on run time`)
    }
    return this.#parameterDefault(name, scope, site, call === undefined)
  }

  #parameterDefault(name: string, scope: Scope, site: Site, isUncalled: boolean): Value {
    const parameter = scope.parameters.find(each => each.name === name)
    const span = parameterSpan(scope, name)
    const option = decoratorDefault(scope, name, site, this.#evaluator.options)
    if (option !== undefined) return option
    const composed = name === scope.parameters[0]?.name ? this.#composed(scope, site) : undefined
    if (composed !== undefined) return composed
    if (isUncalled && isCalledByOptions(scope, this.#evaluator)) {
      const told = this.#evaluator.passed.get(name)
      if (told !== undefined) return told
    } else if (isUncalled) this.#evaluator.asksCallers = true
    if (parameter?.byDefault === undefined)
      return open(site, span, `${name} is given by the callers of ${scope.name}() (${placeIn(site.module, span.from)})`)
    const value = this.#optionDefault(this.#evaluator.evaluate(parameter.byDefault, siteOf(scope.parent ?? scope)))
    if (!isUncalled) return value
    const remark = `${name} is ${writtenAs(value)}, the default of the parameter of ${scope.name}() (${placeIn(site.module, span.from)}), which its callers may override.`
    return { ...value, remarks: [...value.remarks, remark] }
  }

  #composed(scope: Scope, site: Site): Value | undefined {
    if (!this.#settings.has(scope)) this.#settings.set(scope, composedSettings(scope, site, this.#evaluator))
    return this.#settings.get(scope)
  }

  /** typer's and pydantic's way of writing a default. */
  #optionDefault(value: Value): Value {
    if (value.kind !== 'call' || value.call === undefined || !/(?:^|\.)(?:Option|Argument)$/.test(value.name))
      return value
    return this.#evaluator.argumentsOf(value.call, value.site, ['default']).values.get('default') ?? value
  }
}

/** Under `if __name__ == "__main__"`, in a file that is imported. */
function isDemonstration({ module, scope, at }: Call): boolean {
  return module.isImported && scope === module.top && at > module.mainAt
}

function isDecorated({ decorators }: Scope, by: string): boolean {
  return decorators.some(each => each.kind === 'name' && each.name === by)
}

/** The object on which a method is called: an instance of its class, or the class. */
function ownerOf(method: Scope, site: Site): Value {
  const scope = method.parent!
  const located = { module: site.module, from: scope.from, to: scope.from, remarks: [] }
  if (isDecorated(method, 'classmethod')) return { ...located, kind: 'class', scope }
  return { ...located, kind: 'instance', scope, call: undefined, site, isParsed: false }
}

function parameterSpan(scope: Scope, name: string): Span {
  const at = [...scope.parameters, scope.rest].find(parameter => parameter?.name === name)?.at ?? scope.from
  return { from: at, to: at + name.length }
}
