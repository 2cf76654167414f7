/** From the schema's issues to problems with line, field and what was meant. */
import type * as z from 'zod'
import type { Problem } from '../base/errors.ts'
import { shown, suggest } from '../config/fields/fields.ts'
import { plain, quote } from '../config/text/quote.ts'
import type { Field, FieldValue, Place, Section } from '../config/text/section.ts'
import { keysAt } from './schema.ts'

type Issue = z.core.$ZodIssue

/** A value of the file, or the whole file. */
interface Spot {
  readonly value: FieldValue
  readonly at?: Place['at'] | undefined
  readonly source?: string
  /** Whether the issue's value is written at all; if not, the position is that of the mapping that lacks it. */
  readonly isWritten: boolean
}

export function problemsOf(issue: Issue, top: Section, file: string): Problem[] {
  const spot = spotOf(top, issue.path)
  const where = (at: Place['at'] | undefined, path: readonly PropertyKey[]) => ({
    file,
    ...at,
    ...(path.length > 0 && { field: fieldName(path) }),
  })
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => ({
      ...unknownKey(key, keysAt(issue.path)),
      ...where(fieldIn(spot.value, key)?.at, [...issue.path, key]),
    }))
  }
  return [{ ...refusal(issue, spot), ...where(spot.at, issue.path) }]
}

function spotOf(top: Section, path: readonly PropertyKey[]): Spot {
  let spot: Spot = { value: { kind: 'mapping', section: top }, isWritten: true }
  for (const key of path) {
    const inner = spot.value.kind === 'list' ? itemIn(spot.value, key) : fieldIn(spot.value, String(key))
    if (inner === undefined || inner.value.kind === 'empty')
      return { ...spot, at: inner?.at ?? spot.at, isWritten: false }
    spot = { value: inner.value, at: inner.at, source: inner.source, isWritten: true }
  }
  return spot
}

function fieldIn(value: FieldValue, key: string): Field | undefined {
  return value.kind === 'mapping' ? value.section.field(key) : undefined
}

function itemIn({ items }: Extract<FieldValue, { kind: 'list' }>, index: PropertyKey) {
  const item = items[Number(index)]
  return item && { value: item, at: item.at, source: item.source }
}

type Refusal = Pick<Problem, 'code' | 'message' | 'fix'>

function refusal(issue: Issue, { value, source = '', isWritten }: Spot): Refusal {
  if (issue.code === 'custom') {
    return { code: 'settings-refused', message: issue.message, fix: String(issue.params?.fix) }
  }
  if (!isWritten) {
    return { code: 'settings-refused', message: 'There is no value here', fix: `Write ${issue.message}.` }
  }
  const message = `${shown({ value, source })} is not ${issue.message}`
  if (issue.code === 'invalid_value' && value.kind === 'text') {
    return { code: 'unknown-value', message, fix: suggest(value.text, issue.values.map(String)) }
  }
  return { code: 'settings-refused', message, fix: `Write ${issue.message}.` }
}

function unknownKey(key: string, known: readonly string[]): Refusal {
  return { code: 'unknown-key', message: `Unknown key ${quote(key)}`, fix: suggest(key, known) }
}

/** `overrides[2].gpu`. */
function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${plain(String(key))}`))
    .join('')
}
