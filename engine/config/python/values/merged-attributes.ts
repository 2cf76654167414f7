/** Attributes that a loop sets by names from elsewhere: `for key, value in loaded.items(): setattr(config, key, value)`. */
import type { SyntaxNode } from '@lezer/common'
import { children, expressionOf } from '../syntax/expressions.ts'
import { callExpression } from '../syntax/module.ts'
import type { Evaluator } from './evaluator.ts'
import { open, placed } from './sites.ts'
import { type Instance, type Site, shownAt, type Value } from './values.ts'

/** Calls of setattr that are looked into, and statements around one. */
const MAX_CALLS = 8
const MAX_LEVELS = 8

/** What such a loop sets under a name, in the function that makes the object; undefined where none does. */
export function mergedInto({ call, site }: Instance, name: string, evaluator: Evaluator): Value | undefined {
  if (call === undefined) return undefined
  for (const setting of (site.module.calls.get('setattr') ?? []).slice(0, MAX_CALLS)) {
    const expression = setting.scope === site.scope ? callExpression(setting) : undefined
    const [target, key] = expression?.arguments ?? []
    if (expression === undefined || target?.kind !== 'positional' || key?.kind !== 'positional') continue
    if (key.value.kind === 'text' || target.value.kind !== 'name') continue
    const here: Site = { ...site, ...placed(setting) }
    const object = evaluator.evaluate(target.value, here)
    if (object.kind !== 'instance' || object.call?.from !== call.from) continue
    const from = iterated(setting.node)
    const over = from && expressionOf(from, site.module.text)
    const items = over?.kind === 'call' && over.callee.kind === 'attribute' && over.callee.name === 'items'
    const mapping = items ? evaluator.asMapping(evaluator.evaluate(over.callee.object, here)) : undefined
    if (mapping?.kind !== 'mapping' || mapping.unknown !== undefined)
      return open(here, expression, `${name} may be set by ${shownAt(site.module, expression)}`)
    const value = mapping.entries.get(name)
    if (value !== undefined) return value
  }
  return undefined
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
