/** TOML, parsed with a bound on its depth, and where it cannot be. */
import { parse, TomlError, type TomlTable, type TomlValue } from 'smol-toml'

/** The parser calls itself for every level. */
const MAX_DEPTH = 64

/** Undefined for invalid TOML, and where tables lie too deep in each other. */
export function parsedToml(text: string): TomlTable | undefined {
  try {
    return parse(text, { maxDepth: MAX_DEPTH })
  } catch {
    return undefined
  }
}

export interface TomlFault {
  /** 1-based. */
  readonly line: number
  readonly column: number
  /** A clause in lower case, without the file's text. */
  readonly why: string
}

/** Where the parser gave up, for a text that it does not take; undefined where it says no place. */
export function tomlFault(text: string): TomlFault | undefined {
  try {
    parse(text, { maxDepth: MAX_DEPTH })
    return undefined
  } catch (error) {
    if (!(error instanceof TomlError)) return undefined
    const [, why = 'it cannot be parsed'] = /^Invalid TOML document: ([^\n]{1,200})/.exec(error.message) ?? []
    return { line: error.line, column: Math.max(1, error.column), why }
  }
}

/** Empty for any other value. */
export function tableOf(value: TomlValue | undefined): TomlTable {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date) ? value : {}
}
