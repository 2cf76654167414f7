/**
 * Globs in the settings: `*` and `?` within a folder, `**` across folders, classes such as `[a-z]`, and alternatives
 * such as `{yaml,yml}`. As in node:path's matchesGlob, a leading dot is matched only by a dot. Its further syntax, such
 * as `+(a|b)` and `{1..9}`, is refused. Matching takes time linear in the path.
 */
import { type LinearPattern, wholePattern } from '../base/re2.ts'
import { classSource } from './glob-class.ts'

/** With all alternatives written out. */
const MAX_EXPANDED_CHARACTERS = 2_000

const tooLong = { kind: 'refused', why: 'is too long, or has too many alternatives: write several globs' } as const

const unsupported: readonly (readonly [syntax: RegExp, why: string])[] = [
  [/[@!?+*]\(/, 'uses an extended glob such as +(a|b), which is not supported: write the alternatives as {a,b}'],
  [/\{[^{},]*\.\.[^{},]*\}/, 'uses a range such as {1..9}, which is not supported: write [1-9] or {1,2,3}'],
  [/\\/, 'has a backslash: write / between folders'],
  [/\[\[:/, 'uses a named class, which is not supported: write [a-z]'],
]

/** `path` is `/`-separated, from the root of the repository. */
export function compileGlob(glob: string): LinearPattern {
  if (glob.length > MAX_EXPANDED_CHARACTERS) return tooLong
  const found = unsupported.find(([syntax]) => syntax.test(glob))
  if (found !== undefined) return { kind: 'refused', why: found[1] }
  const plain = alternativesOf(glob)
  return plain === undefined ? tooLong : wholePattern(plain.map(sourceOf).join('|'))
}

/** Several globs, of which one has to match. */
export type GlobList = readonly LinearPattern[]

const known = new WeakMap<readonly string[], GlobList>()

/** Compiled once for a list. A glob that the schema would have refused matches nothing. */
export function matchesAny(path: string, globs: readonly string[]): boolean {
  const compiled = known.get(globs) ?? globs.map(compileGlob)
  known.set(globs, compiled)
  return compiled.some(glob => glob.kind === 'pattern' && glob.matches(path))
}

/** `a/{b,c}` → a/b, a/c. Undefined if the result would be too large. A brace without a comma or an end is literal. */
function alternativesOf(glob: string): readonly string[] | undefined {
  const done: string[] = []
  const open = [glob]
  let characters = 0
  while (open.length > 0) {
    const next = open.pop() ?? ''
    const braces = firstBraces(next)
    characters += next.length
    if (characters > MAX_EXPANDED_CHARACTERS) return undefined
    if (braces === undefined) done.push(next)
    else open.push(...braces.choices.map(choice => next.slice(0, braces.start) + choice + next.slice(braces.end)))
  }
  return done
}

interface Braces {
  readonly start: number
  readonly end: number
  readonly choices: readonly string[]
}

/** The first closed braces with a comma directly inside. */
function firstBraces(glob: string): Braces | undefined {
  const open: { readonly start: number; readonly commas: number[] }[] = []
  let found: Braces | undefined
  for (let at = 0; at < glob.length; at++) {
    const character = glob[at]
    if (character === '{') open.push({ start: at, commas: [] })
    if (character === ',') open.at(-1)?.commas.push(at)
    if (character !== '}') continue
    const { start, commas = [] } = open.pop() ?? {}
    if (start === undefined || commas.length === 0 || (found !== undefined && found.start < start)) continue
    const ends = [...commas, at]
    found = { start, end: at + 1, choices: ends.map((end, index) => glob.slice((ends[index - 1] ?? start) + 1, end)) }
  }
  return found
}

/** A name that `*` matches, so without a leading dot. RE2 has no look-ahead, so the first character is spelled out. */
const NAME = '[^/.][^/]*'

function sourceOf(glob: string): string {
  const segments = glob.split('/').filter((segment, index, all) => {
    const isInside = index > 0 && index < all.length - 1
    return !(isInside && (segment === '' || segment === '.')) && !(segment === '**' && all[index - 1] === '**')
  })
  const last = segments.length - 1
  const parts = segments.map((segment, index) => {
    if (segment === '**') return index === last ? `${NAME}(?:/${NAME})*` : `(?:${NAME}/)*`
    return index === last ? nameSource(segment) : `${nameSource(segment)}/`
  })
  return parts.join('')
}

/** One name of a path. */
function nameSource(glob: string): string {
  const stars = /^\*+/.exec(glob)?.[0] ?? ''
  const rest = glob.slice(stars.length)
  if (stars === '') return partsSource(glob, true)
  if (rest === '') return NAME
  return `(?:[^/.][^/]*${partsSource(rest, false)}${rest.startsWith('.') ? '' : `|${partsSource(rest, true)}`})`
}

/** `begins`: whether `glob` is at the start of a name. */
function partsSource(glob: string, begins: boolean): string {
  let source = ''
  for (let at = 0; at < glob.length; ) {
    const isFirst = begins && at === 0
    const written = classSource(glob, at, isFirst)
    if (written !== undefined) {
      source += written.source
      at = written.end
      continue
    }
    const character = String.fromCodePoint(glob.codePointAt(at) ?? 0)
    at += character.length
    if (character === '*') source += '[^/]*'
    else if (character === '?') source += isFirst ? '[^/.]' : '[^/]'
    else source += literal(character)
  }
  return source
}

function literal(character: string): string {
  return /[\w/-]/.test(character) || character > '\x7f' ? character : `\\${character}`
}
