/** Regular expressions for parameter names (`model\.layers\.3[01]\..+`), which say what trains. They come from the config. */
import { type LinearPattern, startPattern } from '../base/re2.ts'

const MAX_CHARACTERS = 200
/** As many as the spec takes. */
export const MAX_PATTERNS = 200

const known = new WeakMap<readonly string[], LinearPattern>()

/** Matches names that one of the patterns matches from their start, as Python's re.match does. Compiled once for a list. */
export function parameterPatterns(sources: readonly string[]): LinearPattern {
  const compiled = known.get(sources) ?? compile(sources)
  known.set(sources, compiled)
  return compiled
}

function compile(sources: readonly string[]): LinearPattern {
  if (sources.some(source => source.length > MAX_CHARACTERS)) {
    return { kind: 'refused', why: `is longer than ${MAX_CHARACTERS} characters` }
  }
  return startPattern(sources)
}

/** Letters, dots, `.*`, and whole numbers between dots: `.*\.31\.`. */
const PLAIN_PATTERN = /^(?:[A-Za-z_]|\\\.(?:\d+\\\.)?|\.\*)+$/

/**
 * Layers that are alike have names that differ in their number alone. Which numbers the patterns name, so that all other layers are
 * alike to them too; undefined where they may tell layers apart in another way.
 */
export function layersNamed(sources: readonly string[]): ReadonlySet<number> | undefined {
  if (!sources.every(source => PLAIN_PATTERN.test(source))) return undefined
  return new Set(sources.join().match(/\d+/g)?.map(Number))
}
