/** The rows of `engine/models/catalogue.json`, and its text. */
import { isDeepStrictEqual } from 'node:util'
import type { CatalogueRow } from '../engine/models/catalogue.ts'

/** A model's config.json: as it stands in the file, and what the schema of its family makes of it. */
export interface ReadModel {
  readonly id: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly config: { readonly model_type: string }
  /** Where the file is from, if not from the id. */
  readonly source?: string | undefined
}

/** The rows with one model more: in the row of the same facts, or else in its own after the last of its family. */
export function withModel(
  rows: readonly CatalogueRow[],
  { id, fields, config, source }: ReadModel,
): readonly CatalogueRow[] {
  const { model_type: type } = config
  const facts = { ...knownFields(fields, config), model_type: type }
  const same = rows.findIndex(row => row.source === source && isDeepStrictEqual(row.config, facts))
  if (same >= 0) return rows.map((row, index) => (index === same ? { ...row, ids: [...row.ids, id] } : row))
  const last = rows.findLastIndex(row => row.config.model_type === type)
  const row = { ids: [id], ...(source !== undefined && { source }), config: facts }
  return last < 0 ? [...rows, row] : rows.toSpliced(last + 1, 0, row)
}

/** Of `fields`, those that the schema kept in `parsed`, which holds its defaults too. */
function knownFields(fields: object, parsed: object): Record<string, unknown> {
  const theirs = new Map<string, unknown>(Object.entries(fields))
  const known = Object.entries(parsed).filter(([name]) => theirs.has(name))
  return Object.fromEntries(
    known.map(([name, value]) => {
      const field = theirs.get(name)
      return [name, isRecord(field) && isRecord(value) ? knownFields(field, value) : field]
    }),
  )
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The ids, the source and the facts of a row, each on a line. */
export function catalogueText(rows: readonly CatalogueRow[]): string {
  const blocks = rows.map(row => {
    const fields = Object.entries(row).map(([name, value]) => `${JSON.stringify(name)}: ${onOneLine(value)}`)
    return `  {\n    ${fields.join(',\n    ')}\n  }`
  })
  return `[\n${blocks.join(',\n')}\n]\n`
}

/** JSON with spaces between its parts. */
function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  if (!isRecord(value)) return JSON.stringify(value)
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${onOneLine(field)}`)
  return `{ ${fields.join(', ')} }`
}
