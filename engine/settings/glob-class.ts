/** Classes of characters in a glob: `[abc]`, `[a-z]`, `[!x]`. */

interface ClassSource {
  readonly source: string
  /** Index behind the closing bracket. */
  readonly end: number
}

type Span = readonly [from: number, to: number]

const SLASH = 0x2f
const DOT = 0x2e
const NOTHING = '[^\\x00-\\x{10FFFF}]'

/** The class that begins at an index, as a pattern; undefined where there is none. `begins`: a name begins there, with no dot. */
export function classSource(glob: string, at: number, begins: boolean): ClassSource | undefined {
  if (glob[at] !== '[') return undefined
  const isNegated = glob[at + 1] === '!' || glob[at + 1] === '^'
  const start = at + (isNegated ? 2 : 1)
  // A bracket that comes first belongs to the class.
  const close = glob.indexOf(']', start + 1)
  if (close < 0) return undefined
  const spans = spansOf([...glob.slice(start, close)].map(character => character.codePointAt(0) ?? 0))
  return { source: isNegated ? without(spans, begins) : within(spans, begins), end: close + 1 }
}

function spansOf(characters: readonly number[]): readonly Span[] {
  const spans: Span[] = []
  for (let index = 0; index < characters.length; index++) {
    const from = characters[index] ?? 0
    const to = characters[index + 1] === 0x2d ? characters[index + 2] : undefined
    if (to !== undefined) index += 2
    if ((to ?? from) >= from) spans.push([from, to ?? from])
  }
  return spans
}

function within(spans: readonly Span[], begins: boolean): string {
  const isDotAlone = spans.length === 1 && spans[0]?.[0] === DOT && spans[0][1] === DOT
  const excluded = begins && !isDotAlone ? [DOT, SLASH] : [SLASH]
  const left = excluded.reduce<readonly Span[]>((rest, character) => rest.flatMap(span => cut(span, character)), spans)
  return left.length === 0 ? NOTHING : `[${left.map(written).join('')}]`
}

function without(spans: readonly Span[], begins: boolean): string {
  const excluded: readonly Span[] = begins ? [[DOT, SLASH]] : [[SLASH, SLASH]]
  return `[^${[...spans, ...excluded].map(written).join('')}]`
}

function cut([from, to]: Span, character: number): readonly Span[] {
  if (character < from || character > to) return [[from, to]]
  const parts: readonly Span[] = [
    [from, character - 1],
    [character + 1, to],
  ]
  return parts.filter(([first, last]) => first <= last)
}

function written([from, to]: Span): string {
  return `\\x{${from.toString(16)}}-\\x{${to.toString(16)}}`
}
