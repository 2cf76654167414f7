/** Values as Python and the shell write them; as YAML does: yaml-literal.ts. */
import type { Value } from './yaml-literal.ts'

/** With single quotes, which need no escape in the JSON of a notebook. */
export function pythonLiteral(value: Value): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return `'${value}'`
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`
  return `{${Object.entries(value)
    .map(([key, inner]) => `'${key}': ${pythonLiteral(inner)}`)
    .join(', ')}}`
}

/** One word of a command, as parsers of Python programs take it. */
export function shellWord(value: boolean | number | string): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return typeof value === 'string' && /[^\w./:-]/.test(value) ? `'${value}'` : String(value)
}
