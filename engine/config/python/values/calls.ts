/** What calls give: of functions, methods and classes of the repository, of the few library functions that are known, and of all others. */
import { plainSentence } from '../../text/quote.ts'
import { type CallExpression, dottedName, type Span } from '../syntax/expressions.ts'
import { conditionsAround, type Scope } from '../syntax/module.ts'
import { methodOf, propertyOf } from './classes.ts'
import type { Evaluator, IsTrue } from './evaluator.ts'
import { fileTestsIn, onFirstRun, truthOnFirstRun } from './file-tests.ts'
import { unlessItFails } from './handlers.ts'
import { libraryValue } from './library-values.ts'
import { completedCall } from './made-objects.ts'
import { open, placed, siteOf, unknown } from './sites.ts'
import { areEqual, type Instance, madeOfOpen, placeIn, type Site, shownAt, truthOf, type Value } from './values.ts'

export class Calls {
  readonly #evaluator: Evaluator

  constructor(evaluator: Evaluator) {
    this.#evaluator = evaluator
  }

  value(call: CallExpression, site: Site): Value {
    const { callee } = call
    const located = { module: site.module, from: call.from, to: call.to, remarks: [] }
    if (callee.kind === 'attribute') {
      const object = this.#evaluator.evaluate(callee.object, site)
      const method = this.#method(object, callee.name)
      if (method !== undefined) return this.#result(method.scope, call, site, method.self)
      if (object.kind === 'instance' && callee.name === 'parse_args' && this.#isTap(object.scope))
        return { ...object, isParsed: true }
      const kept =
        object.kind === 'instance' ? this.#evaluator.classes.ofInstance(object, callee.name, site) : undefined
      if (kept !== undefined && isCallable(kept)) return this.#resultOf(kept, call, site)
      const name = object.kind === 'symbol' ? `${object.name}.${callee.name}` : undefined
      if (name === undefined) {
        const own = libraryValue(`.${callee.name}`, call, object, { evaluator: this.#evaluator, site, located })
        if (own !== undefined) return own
        const of = object.kind === 'call' ? object.name : (dottedName(callee.object) ?? '')
        return { ...located, kind: 'call', name: `${of}.${callee.name}`, call, site, object }
      }
    }
    return this.#resultOf(this.#evaluator.evaluate(callee, site), call, site)
  }

  /** What `@property` returns for an object; undefined for what is none. */
  property(object: Instance, name: string, { from, to }: Span, site: Site): Value | undefined {
    const owners = [object.scope, ...this.#evaluator.classes.bases(object.scope)]
    const method = owners.map(owner => propertyOf(owner, name)).find(found => found !== undefined)
    const callee = { kind: 'name', name, from, to } as const
    return method && this.#result(method, { kind: 'call', callee, arguments: [], from, to }, site, object)
  }

  #resultOf(value: Value, call: CallExpression, site: Site): Value {
    const located = { module: site.module, from: call.from, to: call.to, remarks: [] }
    if (value.kind === 'function') return this.#result(value.scope, call, site, value.self)
    if (value.kind === 'call' && value.isPartial) return completedCall(value, call, site, this.#evaluator)
    if (value.kind === 'class') return { ...located, kind: 'instance', scope: value.scope, call, site, isParsed: false }
    if (value.kind !== 'symbol') return value.kind === 'open' ? madeOfOpen(value) : unknown(site, call)
    return (
      libraryValue(value.name, call, undefined, { evaluator: this.#evaluator, site, located }) ?? {
        ...located,
        kind: 'call',
        name: value.name,
        call,
        site,
      }
    )
  }

  /** typed-argument-parser: its fields are the options. */
  #isTap(scope: Scope): boolean {
    return /^tap\.(?:\w+\.)?(?:Tap|TypedArgs)$/.test(this.#evaluator.classes.libraryBase(scope) ?? '')
  }

  #method(object: Value, name: string): { readonly scope: Scope; readonly self?: Value } | undefined {
    if (object.kind === 'module') {
      const value = this.#evaluator.names.inModule(object.imported, name)
      return value?.kind === 'function' ? { scope: value.scope } : undefined
    }
    const scope = object.kind === 'instance' || object.kind === 'class' ? object.scope : undefined
    const method = scope && methodOf(scope, name)
    return method && { scope: method, ...(object.kind === 'instance' && { self: object }) }
  }

  /** What a function returns, where it returns one thing. */
  #result(scope: Scope, call: CallExpression, site: Site, self?: Value): Value {
    if (namesLinearLayers(scope)) {
      const remark = `${scope.name}() (${placeIn(scope.module, scope.from)}) is taken to name all linear layers but the output layer.`
      this.#evaluator.unsureRemarks.add(plainSentence(remark))
      return { module: site.module, from: call.from, to: call.to, remarks: [remark], kind: 'text', text: 'all-linear' }
    }
    const inside: Site = {
      ...siteOf(scope),
      frame: { scope, call, site, ...(self !== undefined && { self }) },
    }
    const returnedBy = (each: Scope['returns'][number]) =>
      this.#evaluator.evaluate(each.value.expression, { ...inside, ...placed(each) })
    const deciding = new Set<string>()
    const asEvaluated: IsTrue = (condition, at) => {
      const value = this.#evaluator.evaluate(condition, at)
      for (const remark of value.remarks) deciding.add(remark)
      return truthOf(value)
    }
    const returned = (isTrue: IsTrue) => {
      const values: Value[] = []
      for (const each of scope.returns) {
        const { isReached } = this.#evaluator.isReached(each, inside, isTrue)
        if (isReached === false) continue
        values.push(returnedBy(each))
        if (isReached === true) break
      }
      return values
    }
    const [first, ...others] = returned(asEvaluated)
    if (first === undefined) return open(site, call, `${shownAt(site.module, call)} is computed`)
    if (others.every(other => areEqual(first, other) === true))
      return this.#withUnsure(unlessItFails(first, scope.returns, returnedBy, this.#evaluator), deciding)
    const asked = fileTestsIn(conditionsAround(scope.returns))
    const [only, ...more] = asked.length === 0 ? [] : returned((each, at) => truthOnFirstRun(each, at, this.#evaluator))
    if (only !== undefined && more.length === 0) return onFirstRun(only, asked, inside, this.#evaluator)
    return open(site, call, `${scope.name}() returns one of several values (${placeIn(scope.module, scope.from)})`)
  }

  /** With what is not sure of the conditions on which it was returned: that a file of an earlier run is not there. */
  #withUnsure(value: Value, deciding: ReadonlySet<string>): Value {
    const unsure = [...deciding].filter(remark => this.#evaluator.unsureRemarks.has(plainSentence(remark)))
    return unsure.length === 0 ? value : { ...value, remarks: [...new Set([...value.remarks, ...unsure])] }
  }
}

/** A class or a function that an object was given. */
function isCallable(value: Value): boolean {
  return value.kind === 'symbol' || value.kind === 'class' || (value.kind === 'call' && value.isPartial === true)
}

/** As QLoRA's scripts find what their adapters go to, by walking over the modules of the loaded model. */
function namesLinearLayers({ kind, name, module, from }: Scope): boolean {
  if (kind !== 'function' || !/^_?(?:find|get)_(?:all_)?(?:linear|target)_?\w*$/.test(name)) return false
  const body = module.text.slice(from, from + 1_500)
  return /\.named_modules\(\)/.test(body) && /Linear/.test(body) && /lm_head/.test(body)
}
