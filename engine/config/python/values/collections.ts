/** Dictionaries as they are written, and comprehensions that may drop some of what they go through. */
import { plainSentence } from '../../text/quote.ts'
import type { Expression } from '../syntax/expressions.ts'
import type { Evaluator } from './evaluator.ts'
import { unknown } from './sites.ts'
import { type Site, shownAt, type Value } from './values.ts'

/** With a remark, since what is dropped depends on run time. */
export function keptValue(expression: Extract<Expression, { kind: 'kept' }>, site: Site, evaluator: Evaluator): Value {
  const all = evaluator.asMapping(evaluator.evaluate(expression.of, site))
  if (all.kind !== 'list' && all.kind !== 'mapping') return all.kind === 'open' ? all : unknown(site, expression)
  const remark = `${shownAt(site.module, expression)} is taken to keep all that it lists.`
  evaluator.unsureRemarks.add(plainSentence(remark))
  const remarked = (value: Value): Value => ({ ...value, remarks: [...value.remarks, remark] })
  if (all.kind === 'list') return remarked(all)
  return { ...all, entries: new Map([...all.entries].map(([name, entry]) => [name, remarked(entry)])) }
}

/** Unknown in part where a key, or what is unpacked into it, is not known. */
export function dictionaryValue(
  { entries: written, from, to }: Extract<Expression, { kind: 'dictionary' }>,
  site: Site,
  evaluator: Evaluator,
): Value {
  const { module } = site
  const entries = new Map<string, Value>()
  let rest: string | undefined
  for (const { key, value } of written) {
    if (key === undefined) {
      const mapping = evaluator.asMapping(evaluator.evaluate(value, site))
      if (mapping.kind !== 'mapping') rest ??= shownAt(module, value)
      else for (const [name, entry] of mapping.entries) entries.set(name, entry)
      continue
    }
    const name = evaluator.evaluate(key, site)
    if (name.kind === 'text') entries.set(name.text, evaluator.evaluate(value, site))
    else if (name.kind === 'open') rest ??= shownAt(module, key)
  }
  return { module, from, to, remarks: [], kind: 'mapping', entries, ...(rest !== undefined && { unknown: rest }) }
}
