/** Sets a key of a TOML table in the text. */
import { tomlPlaces } from '../../config/text/toml-places.ts'
import type { Value } from '../../config/text/yaml-literal.ts'
import type { WrittenKey } from '../tools/tool.ts'
import { type Edited, offsetOf, spliced } from './text.ts'

export function setInToml({ text, anchor }: Edited, { at = [], keys, value }: WrittenKey): string | undefined {
  const literal = literalOf(value)
  if (literal === undefined) return undefined
  const places = tomlPlaces(text)
  const table = at.join('.')
  const [standing] = keys.flatMap(key => places.get(table === '' ? key : `${table}.${key}`) ?? [])
  if (standing !== undefined) {
    const start = offsetOf(text, standing.at)
    return start === undefined ? undefined : replaced(text, start, standing.source, literal)
  }
  const line = `${keys[0]} = ${literal}`
  const header = places.get(table)
  if (header !== undefined) return withLine(text, line, placeIn(text, header.at.line, anchor))
  return table === '' ? undefined : appended(text, [`[${table}]`, line])
}

/** Undefined for a list or a text that goes over lines. */
function replaced(text: string, start: number, source: string, literal: string): string | undefined {
  const end = start + source.length
  const isOpen = source.startsWith('[') && !source.endsWith(']')
  const isWhole = /^[ \t]*(?:#.*)?\r?$/.test(text.slice(end).split('\n', 1)[0] ?? '')
  return isOpen || !isWhole ? undefined : spliced(text, start, end, literal)
}

/** The line of the table behind which a key is added: the batch size's if it is there, or the header. */
function placeIn(text: string, header: number, anchor: number | undefined): number {
  if (anchor === undefined) return header
  const before = text.slice(0, anchor).split('\n')
  const own = before.findLastIndex(line => /^[ \t]*\[/.test(line))
  return own + 1 === header ? before.length : header
}

/** Indented as what follows the header. */
function withLine(text: string, added: string, after: number): string {
  const lines = text.split('\n')
  const end = text.includes('\r\n') ? '\r' : ''
  const indentOf = (line: string | undefined) => /^([ \t]{0,40})[\w.-]{1,200}[ \t]*=/.exec(line ?? '')?.[1]
  const indent = indentOf(lines[after - 1]) ?? indentOf(lines[after]) ?? ''
  return lines.toSpliced(after, 0, `${indent}${added}${end}`).join('\n')
}

function appended(text: string, lines: readonly string[]): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  return `${text}${text.endsWith('\n') ? '' : end}${['', ...lines, ''].join(end)}`
}

/** Undefined for mappings, which are tables. */
function literalOf(value: Value): string | undefined {
  return typeof value === 'object' && !Array.isArray(value) ? undefined : JSON.stringify(value)
}
