/**
 * Where keys and tables stand in a TOML text. The parser tells no places: they are those of lines `key = value` under their table's
 * header. What stands within a text of several lines is told apart only where another line says the same key later.
 */
import type { Position } from '../../base/position.ts'

export interface TomlPlace {
  /** Of the value; of a table, of its header's line. */
  readonly at: Position
  /** The value as the file writes it, up to a comment or the line's end; of a table, its name. */
  readonly source: string
}

/** By the dotted names of keys and tables. */
export function tomlPlaces(text: string): ReadonlyMap<string, TomlPlace> {
  const places = new Map<string, TomlPlace>()
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
