/** Each field of .github/memorymark.yml: those of the example, and those that it leaves out. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { isMap, isSeq, parseDocument } from 'yaml'
import { keysAt } from '../../engine/settings/schema.ts'
import { root } from '../bundles.ts'
import { fieldsOf, withHostileValues } from './fields.ts'
import type { HostileInput } from './input.ts'

const example = path.join(root, 'examples/settings/memorymark.yml')

export function fieldsOfSettings(): readonly HostileInput[] {
  const text = withEveryKey(readFileSync(example, 'utf8'))
  const seen = new Set<string>()
  return fieldsOf(text).flatMap(field => {
    if (seen.has(field.name)) return []
    seen.add(field.name)
    return withHostileValues(text, field, seen.size).map(
      (hostile): HostileInput => ({ kind: 'settings', name: `settings, ${hostile.name}`, text: hostile.text }),
    )
  })
}

/** What the example leaves out is added with a value of no meaning, since it is replaced anyway. */
function withEveryKey(text: string): string {
  const document = parseDocument(text)
  const mappings = [[], ['measure'], ['report'], ['gpus', 0], ['overrides', 0]] as const
  for (const at of mappings) {
    const mapping = document.getIn(at)
    if (!isMap(mapping) && at.length > 0) throw new Error(`The example of settings has no ${at.join('.')}.`)
    const known = at[0] === 'overrides' ? isSeq(document.get('overrides')) : true
    for (const key of known ? keysAt(at) : []) if (!document.hasIn([...at, key])) document.setIn([...at, key], 1)
  }
  return String(document)
}
