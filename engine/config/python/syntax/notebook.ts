/** A notebook's code cells as one Python text, with where each line stands in the notebook's JSON. */
import type { CellPosition, Position } from '../../../base/position.ts'
import { MIB } from '../../../base/units.ts'
import { jsonStrings } from './json-strings.ts'

export interface Notebook {
  /** Python, in which IPython's own syntax is replaced by no-ops. */
  readonly text: string
  /** By the offset in `text`. */
  positionOf(offset: number): Position & { readonly cell: CellPosition }
}

/** Outputs, with their images, are most of a notebook: as much as is read of any file. */
export const MAX_NOTEBOOK_BYTES = 16 * MIB

/** One of a cell, as it is written: escapes and all. */
interface Line {
  readonly cell: CellPosition
  /** Offsets in the JSON. */
  readonly from: number
  readonly to: number
  readonly text: string
}

/** Undefined for a file that is not a notebook with code. */
export function notebookOf(json: string): Notebook | undefined {
  const cells = codeCells(json)
  if (cells.length === 0) return undefined
  const starts = [0, ...Array.from(json.matchAll(/\n/g), ({ index }) => index + 1)]
  const lines = cells.flat()
  const kept = cells.flatMap(withoutMagics)
  const positionIn = ({ cell, from }: Line, column: number) => {
    const offset = from + rawLength(json, from, column)
    const row = lastAtMost(starts, offset)
    return { line: row + 1, column: offset - (starts[row] ?? 0) + 1, cell }
  }
  const begins: number[] = []
  let offset = 0
  for (const text of kept) {
    begins.push(offset)
    offset += text.length + 1
  }
  const positionOf = (at: number) => {
    const index = lastAtMost(begins, at)
    return positionIn(lines[index]!, at - (begins[index] ?? 0))
  }
  return { text: kept.join('\n'), positionOf }
}

/** A notebook that holds more of them, or of strings in them, mostly a line each, is written by a program. */
const MAX_CELLS = 2_000
const MAX_STRINGS = 50_000

function codeCells(json: string): readonly (readonly Line[])[] {
  const sources = new Map<number, { from: number; to: number }[]>()
  const isCode = new Set<number>()
  let strings = 0
  for (const { path, from, to } of jsonStrings(json)) {
    const [top, index, key] = path
    if (top !== 'cells' || typeof index !== 'number' || index >= MAX_CELLS) continue
    if (key === 'cell_type' && path.length === 3 && json.slice(from, to) === 'code') isCode.add(index)
    const isSource = key === 'source' && (path.length === 3 || (path.length === 4 && typeof path[3] === 'number'))
    if (!isSource) continue
    if (++strings > MAX_STRINGS) return []
    const known = sources.get(index)
    if (known === undefined) sources.set(index, [{ from, to }])
    else known.push({ from, to })
  }
  return [...isCode]
    .toSorted((a, b) => a - b)
    .map((index, position) => linesOf(json, position + 1, sources.get(index) ?? []))
}

/** Each string of a cell may hold several lines, and a line may stand in several strings. */
function linesOf(json: string, number: number, strings: readonly { from: number; to: number }[]): readonly Line[] {
  const lines: Line[] = []
  for (const { from, to } of strings) {
    for (const line of writtenLines(json, from, to)) {
      lines.push({ ...line, cell: { number, line: lines.length + 1 } })
    }
  }
  return lines
}

function* writtenLines(json: string, from: number, to: number): Generator<Omit<Line, 'cell'>> {
  const raw = json.slice(from, to)
  let start = 0
  for (const { 0: written, index } of raw.matchAll(/\\[\s\S]/g)) {
    if (written !== '\\n') continue
    yield { from: from + start, to: from + index, text: decoded(raw.slice(start, index)) }
    start = index + 2
  }
  if (start < raw.length) yield { from: from + start, to, text: decoded(raw.slice(start)) }
}

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}
const escaped = /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g

/** Keeps the number of lines: other characters that break lines become blanks. */
function decoded(raw: string): string {
  const text = raw.replace(escaped, (_, code: string | undefined, character: string | undefined) =>
    code === undefined ? (escapes[character ?? ''] ?? ' ') : String.fromCharCode(Number.parseInt(code, 16)),
  )
  return text.replace(/[\r\n]/g, ' ')
}

/** How much of the JSON stands for the first `characters` of the line. */
function rawLength(json: string, from: number, characters: number): number {
  let offset = from
  for (let index = 0; index < characters; index++) {
    if (json[offset] !== '\\') offset += 1
    else offset += json[offset + 1] === 'u' ? 6 : 2
  }
  return offset - from
}

/** Cell magics whose cell is Python all the same. */
const aroundPython = /^%%(?:capture|time|timeit|prun|memit|mprun|skip|notify)\b/

/** A line for each. */
function withoutMagics(cell: readonly Line[]): readonly string[] {
  const first = cell.find(({ text }) => text.trim() !== '')?.text.trim() ?? ''
  if (first.startsWith('%%') && !aroundPython.test(first)) return cell.map(() => '')
  let isContinued = false
  return cell.map(({ text }) => {
    const wasContinued = isContinued
    const [, indent = '', sign = ''] = /^(\s*)(%%|!(?!=)|%(?=[A-Za-z]))/.exec(text) ?? []
    const [, assigned] = /^(\s*[\w.,][\w., ]*=\s*)(?:!(?!=)|%(?=[A-Za-z]))/.exec(text) ?? []
    const isMagic = wasContinued || sign !== ''
    isContinued = isMagic && text.endsWith('\\')
    if (wasContinued) return ''
    if (isMagic) return `${indent}pass`
    return assigned === undefined ? text : `${assigned}None`
  })
}

function lastAtMost(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length]
  while (low + 1 < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! <= value) low = middle
    else high = middle
  }
  return low
}
