/** A TOML file as dialects read mappings: by key, with the places of values. */
import type { TomlTable, TomlValue } from 'smol-toml'
import { plain } from './quote.ts'
import { type Field, type FieldValue, Section } from './section.ts'
import { type TomlPlace, tomlPlaces } from './toml-places.ts'
import { parsedToml, tableOf } from './toml-text.ts'

/** Tables lie no deeper in each other; what is below counts as nothing. */
const MAX_LEVELS = 8

/** Undefined for invalid TOML. */
export function tomlSection(text: string): Section | undefined {
  const top = parsedToml(text)
  return top && sectionOf(top, { name: '', level: 0 }, tomlPlaces(text))
}

interface Table {
  /** Its dotted name. */
  readonly name: string
  readonly level: number
}

type Places = ReadonlyMap<string, TomlPlace>

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
