/** The places of a YAML or JSON text that hold a value, each of which can be made to hold another. */
import { isPair, isScalar, parseAllDocuments, visit } from 'yaml'
import { valuesFor } from './values.ts'

interface FieldOfText {
  /** Its keys, joined by dots. */
  readonly name: string
  readonly start: number
  readonly end: number
}

export function fieldsOf(text: string): readonly FieldOfText[] {
  const fields: FieldOfText[] = []
  for (const document of parseAllDocuments(text, { version: '1.1', logLevel: 'silent' })) {
    visit(document, {
      Pair(_, { key, value }, ancestors) {
        const keys = ancestors.flatMap(ancestor => (isPair(ancestor) ? [ancestor.key] : []))
        const range = rangeOf(value)
        if (range !== undefined) fields.push({ name: [...keys, key].map(written).join('.'), ...range })
      },
    })
  }
  return fields
}

/** The text once for every kind of value, each time with that value in the field. */
export function withHostileValues(
  text: string,
  { name, start, end }: FieldOfText,
  index: number,
): readonly { readonly name: string; readonly text: string }[] {
  return valuesFor(index).map(value => ({
    name: `${name}: ${value.words}`,
    text: `${text.slice(0, start)}${value.text}${endsLine(text, end) ? '\n' : ''}${text.slice(end)}`,
  }))
}

/** The value of a block of lines ends where the next key begins. */
function endsLine(text: string, end: number): boolean {
  return text[end - 1] === '\n'
}

function rangeOf(value: unknown): { start: number; end: number } | undefined {
  if (typeof value !== 'object' || value === null || !('range' in value) || !Array.isArray(value.range))
    return undefined
  const [start, end] = value.range
  return typeof start === 'number' && typeof end === 'number' && end > start ? { start, end } : undefined
}

function written(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key)
}
