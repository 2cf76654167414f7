/**
 * Regular expressions from a repository, matched in time linear in the text: RE2 does not backtrack. The package is
 * loaded at the first pattern, since few runs have one.
 */

export type LinearPattern =
  | { readonly kind: 'pattern'; readonly matches: (text: string) => boolean }
  /** `why`: what is wrong, to follow the word "it". */
  | { readonly kind: 'refused'; readonly why: string }

/** Instructions of the compiled program, which bound the steps for one character. */
const MAX_PROGRAM = 2_000
/** The same limit for several patterns compiled as one program. */
const MAX_JOINED_PROGRAM = 20_000

/** Syntax of Python's `re` that RE2 refuses or reads differently, and syntax that only RE2 has. */
const unsupported: readonly (readonly [syntax: RegExp, name: string])[] = [
  [/\(\?<?[=!]/, 'uses look-around, which cannot be matched in linear time'],
  [/\\[1-9]|\(\?P=/, 'refers back to a group, which cannot be matched in linear time'],
  [/\(\?\(/, 'depends on whether a group matched, which cannot be matched in linear time'],
  [/\(\?>|[*+?}]\+/, 'uses possessive repetition, which cannot be matched in linear time'],
  [/\[\[:|\\[pPQEz]|\(\?<\w|\(\?\w*U/, 'uses syntax that Python does not have'],
  [/\{,/, 'repeats up to a number without saying from which: write {0,'],
]

type Re2 = typeof import('re2js')

let provided: Re2 | undefined

/** Thrown where there is no Node to load the package. The catcher loads it, calls `provideRe2` and tries again. */
export class Re2NotLoaded extends Error {}

export function provideRe2(loaded: Re2): void {
  provided = loaded
}

function re2(): Re2 {
  if (provided !== undefined) return provided
  if (typeof process === 'undefined') throw new Re2NotLoaded()
  const load = process.getBuiltinModule('node:module').createRequire(import.meta.url)
  return load('re2js')
}

/** A pattern that must match the whole text, line ends included, like Python's re.fullmatch with DOTALL. */
export function wholePattern(source: string): LinearPattern {
  return compiled(source, () => re2().RE2JS.compile(source, re2().RE2JS.DOTALL), MAX_PROGRAM)
}

/** Matches if one of the patterns matches from the start of the text, like Python's re.match. */
export function startPattern(sources: readonly string[]): LinearPattern {
  // Most configs name none, and then RE2 need not be loaded.
  if (sources.length === 0) return { kind: 'pattern', matches: () => false }
  const refused = sources
    .map(source => compiled(source, () => re2().RE2JS.compile(source), MAX_PROGRAM))
    .find(({ kind }) => kind === 'refused')
  if (refused !== undefined) return refused
  const joined = sources.map(source => `(?:${source}).*`).join('|')
  return compiled('', () => re2().RE2JS.compile(joined), MAX_JOINED_PROGRAM)
}

function compiled(source: string, compile: () => import('re2js').RE2JS, maxProgram: number): LinearPattern {
  const found = unsupported.find(([syntax]) => syntax.test(source))
  if (found !== undefined) return { kind: 'refused', why: found[1] }
  try {
    const pattern = compile()
    if (pattern.programSize() > maxProgram) return { kind: 'refused', why: 'repeats too much' }
    return { kind: 'pattern', matches: text => pattern.testExact(text) }
  } catch (error) {
    if (error instanceof re2().RE2JSSyntaxException) return { kind: 'refused', why: `has an ${error.error}` }
    throw error
  }
}
