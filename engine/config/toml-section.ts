/** A TOML file as dialects read mappings: by key, with the places of values. */
import type { TomlTable, TomlValue } from 'smol-toml'
import { parsedToml, tableOf } from './pinned/toml-file.ts'
import { plain } from './quote.ts'
import type { Position } from './reading.ts'
import { type Field, type FieldValue, Section } from './section.ts'

/** Tables lie no deeper in each other; what is below counts as nothing. */
const MAX_LEVELS = 8

/** Undefined for invalid TOML. */
export function tomlSection(text: string): Section | undefined {
  const top = parsedToml(text)
  return top && sectionOf(top, { name: '', level: 0 }, placesIn(text))
}

interface Table {
  /** Its dotted name. */
  readonly name: string
  readonly level: number
}

/** By the dotted names of keys. */
type Places = ReadonlyMap<string, Written>

interface Written {
  readonly at: Position
  /** The value as the file writes it, up to a comment or the line's end. */
  readonly source: string
}

function sectionOf(table: TomlTable, { name, level }: Table, places: Places): Section {
  const fields = Object.entries(table).map(([key, value]): Field => {
    const full = name === '' ? key : `${name}.${key}`
    const written = places.get(full) ?? { at: { line: 1, column: 1 }, source: key }
    return {
      key,
      name: plain(full),
      value: fieldValueOf(value, { name: full, level: level + 1 }, places),
      at: written.at,
      source: plain(written.source),
    }
  })
  return Section.of(fields, name)
}

function fieldValueOf(value: TomlValue, place: Table, places: Places): FieldValue {
  if (place.level > MAX_LEVELS) return { kind: 'empty' }
  if (typeof value === 'string') return { kind: 'text', text: value }
  if (typeof value === 'boolean') return { kind: 'flag', flag: value }
  if (typeof value === 'number' || typeof value === 'bigint') return { kind: 'number', number: Number(value) }
  if (value instanceof Date) return { kind: 'text', text: String(value) }
  if (!Array.isArray(value)) return { kind: 'mapping', section: sectionOf(tableOf(value), place, places) }
  const { at, source } = places.get(place.name) ?? { at: { line: 1, column: 1 }, source: place.name }
  const inList = { ...place, level: place.level + 1 }
  return {
    kind: 'list',
    items: value.map(item => ({ ...fieldValueOf(item, inList, places), at, source: plain(source) })),
  }
}

/**
 * The parser tells no places: they are those of lines `key = value` under their table's header. What stands within a text of several
 * lines is told apart only where another line says the same key later; the values themselves are the parser's.
 */
function placesIn(text: string): Places {
  const places = new Map<string, Written>()
  let table = ''
  for (const [index, line] of text.split('\n').entries()) {
    const header = /^[ \t]*\[[ \t]*([\w.-]{1,200})[ \t]*\][ \t]*(?:#.*)?\r?$/.exec(line)
    if (header?.[1] !== undefined) {
      table = header[1]
      places.set(table, { at: { line: index + 1, column: 1 }, source: table })
    }
    const [, start, key, written] = /^([ \t]*([\w.-]{1,200})[ \t]*=[ \t]*)(\S.*)$/.exec(line) ?? []
    if (start === undefined || key === undefined || written === undefined) continue
    const name = table === '' ? key : `${table}.${key}`
    places.set(name, { at: { line: index + 1, column: start.length + 1 }, source: valueIn(written) })
  }
  return places
}

/** Up to a comment: a text in quotes whole, anything else until white space or `#`. */
function valueIn(written: string): string {
  const quoted = /^(?:"(?:[^"\\]|\\.){0,500}"|'[^']{0,500}')/.exec(written)
  return quoted?.[0] ?? /^[^#]{0,500}/.exec(written)![0].trimEnd()
}
