/** Attributes that a loop sets by names from elsewhere: `for key, value in loaded.items(): setattr(config, key, value)`. */
import type { SyntaxNode } from '@lezer/common'
import { children, expressionOf } from '../syntax/expressions.ts'
import { type Call, callExpression, type Module, type Scope } from '../syntax/module.ts'
import type { Evaluator } from './evaluator.ts'
import { open, placed, siteOf } from './sites.ts'
import { type Instance, type Site, shownAt, type Value } from './values.ts'

/** Calls of setattr that are looked into, and statements around one. */
const MAX_CALLS = 8
const MAX_LEVELS = 8

/** What such a loop sets under a name, in the function that makes the object; undefined where none does. */
export function mergedInto({ call, site }: Instance, name: string, evaluator: Evaluator): Value | undefined {
  if (call === undefined) return undefined
  for (const { setting, target } of settingsIn(site.scope, site.module)) {
    const here: Site = { ...site, ...placed(setting) }
    const object = evaluator.evaluate(target, here)
    if (object.kind !== 'instance' || object.call?.from !== call.from) continue
    const value = setBy(setting, name, here, evaluator)
    if (value !== undefined) return value
  }
  return undefined
}

/**
 * What `__init__` sets so on the object that it makes, of the keywords that it is given:
 * `for key, value in kwargs.items(): setattr(self, key, value)`, `self.__dict__.update(kwargs)`.
 */
export function mergedByInit(
  object: Instance,
  init: Scope | undefined,
  name: string,
  evaluator: Evaluator,
): Value | undefined {
  const { call, site } = object
  if (init === undefined || call === undefined) return undefined
  const inside = siteOf(init, { scope: init, call, site, self: object })
  const self = init.parameters[0]?.name
  const set = init.parent?.members.get(name)?.filter(({ scope }) => scope === init) ?? []
  const last = Math.max(-1, ...set.map(({ at }) => at))
  const loops = settingsIn(init, init.module)
    .filter(({ setting, target }) => target.name === self && setting.at > last)
    .map(({ setting }) => setBy(setting, name, { ...inside, ...placed(setting) }, evaluator))
  const updates = (init.module.calls.get('update') ?? [])
    .filter(({ scope, at }) => scope === init && at > last)
    .map(update => updatedBy(update, self, name, { ...inside, ...placed(update) }, evaluator))
  return [...loops, ...updates].findLast(value => value !== undefined)
}

/** Calls of `setattr` by names that are no constants. */
function settingsIn(scope: Scope, module: Module) {
  return (module.calls.get('setattr') ?? [])
    .filter(setting => setting.scope === scope)
    .slice(0, MAX_CALLS)
    .flatMap(setting => {
      const [target, key] = callExpression(setting)?.arguments ?? []
      if (target?.kind !== 'positional' || key?.kind !== 'positional') return []
      return key.value.kind === 'text' || target.value.kind !== 'name' ? [] : [{ setting, target: target.value }]
    })
}

function setBy(setting: Call, name: string, here: Site, evaluator: Evaluator): Value | undefined {
  const { module } = setting
  const from = iterated(setting.node)
  const over = from && expressionOf(from, module.text)
  const items = over?.kind === 'call' && over.callee.kind === 'attribute' && over.callee.name === 'items'
  const mapping = items ? evaluator.asMapping(evaluator.evaluate(over.callee.object, here)) : undefined
  return itemOf(mapping, setting, name, here)
}

/** `self.__dict__.update(given)`, `vars(self).update(given)` */
function updatedBy(
  update: Call,
  self: string | undefined,
  name: string,
  here: Site,
  evaluator: Evaluator,
): Value | undefined {
  const written = callExpression(update)
  if (written?.callee.kind !== 'attribute') return undefined
  const { object } = written.callee
  const of = update.module.text.slice(object.from, object.to)
  if (of !== `${self}.__dict__` && of !== `vars(${self})`) return undefined
  const { values, unknown } = evaluator.argumentsOf(written, here)
  if (values.has(name)) return values.get(name)
  const given = values.get('0')
  const isEmpty = given === undefined && unknown === undefined
  return isEmpty ? undefined : itemOf(given && evaluator.asMapping(given), update, name, here)
}

function itemOf(mapping: Value | undefined, { module, node }: Call, name: string, here: Site): Value | undefined {
  if (mapping?.kind !== 'mapping' || mapping.unknown !== undefined)
    return open(here, node, `${name} may be set by ${shownAt(module, node)}`)
  return mapping.entries.get(name)
}

/** What the loop around a call goes over. */
function iterated(node: SyntaxNode): SyntaxNode | undefined {
  let around = node.parent
  for (let level = 0; level < MAX_LEVELS && around !== null; level++, around = around.parent) {
    if (around.name !== 'ForStatement') continue
    const parts = children(around)
    return parts[parts.findIndex(({ name }) => name === 'in') + 1]
  }
  return undefined
}
