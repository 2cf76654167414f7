/** `Size.SMALL.value`, of an enumeration of the repository: what the class binds the member to. */
import type { Expression } from '../syntax/expressions.ts'
import type { Evaluator } from './evaluator.ts'
import { siteOf } from './sites.ts'
import type { Site } from './values.ts'

/** Whether an attribute is the value of the member that it is asked of. */
export function isValueOfMember(
  { object, name }: Extract<Expression, { kind: 'attribute' }>,
  site: Site,
  evaluator: Evaluator,
): boolean {
  if (name !== 'value' || object.kind !== 'attribute') return false
  const owner = evaluator.evaluate(object.object, site)
  if (owner.kind !== 'class') return false
  const { bases, parent, bindings } = owner.scope
  const isEnum = bases.some(base => {
    const value = evaluator.evaluate(base, siteOf(parent ?? owner.scope))
    return value.kind === 'symbol' && /^(?:enum\.)?(?:Str|Int)?Enum$/.test(value.name)
  })
  // One of its own that makes something else of what is written.
  return isEnum && !bindings.has('value') && !bindings.has('__new__') && !bindings.has('__init__')
}
