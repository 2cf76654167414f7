/** Replaces whole numbers in a config in place; every other character of the file is kept. */
import type { Position } from '../../base/position.ts'

export interface NumberChange {
  /** Where the number is written. */
  readonly at: Position
  readonly from: number
  readonly to: number
}

export type Rewrite =
  | { readonly kind: 'rewritten'; readonly text: string }
  /** The number is not written there in plain digits, but for example behind an alias; `at` says where. */
  | { readonly kind: 'not-plain'; readonly at: Position }

/**
 * What may come after a number in YAML, JSON, Python and shell, so that `16` is not found in `16e3` or `16-bit`; in a notebook,
 * whose lines are strings of JSON, also what ends the string.
 */
const digits = /(\d{1,15})(?=[\s,\]})"';&|]|\\n|$)/y

/** All of `changes`, or none. */
export function rewriteNumbers(text: string, changes: readonly NumberChange[]): Rewrite {
  const bom = text.startsWith('\uFEFF') ? 1 : 0
  const starts = lineStarts(text, bom)
  let rewritten = text
  // From the end, so that what is written earlier stays where it was.
  for (const { at, from, to } of changes.toSorted((a, b) => b.at.line - a.at.line || b.at.column - a.at.column)) {
    const start = starts[at.line - 1]
    if (start === undefined) return { kind: 'not-plain', at }
    const offset = start + at.column - 1
    digits.lastIndex = offset
    const [, written] = digits.exec(text) ?? []
    if (written === undefined || Number(written) !== from || isAnchored(text.slice(start, offset)))
      return { kind: 'not-plain', at }
    rewritten = rewritten.slice(0, offset) + String(to) + rewritten.slice(offset + written.length)
  }
  return { kind: 'rewritten', text: rewritten }
}

/** Whether a line ends in an anchor, which names the value behind it for others to use: changing it would change them too. */
function isAnchored(line: string): boolean {
  const [word = '', rest] = line.split(/\s+/).slice(-2)
  return rest === '' && /&./.test(word)
}

/** Offsets at which lines begin; the first lies behind a byte order mark, which no column counts. */
function lineStarts(text: string, first: number): number[] {
  return [first, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
}
