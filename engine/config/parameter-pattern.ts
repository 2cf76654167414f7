/** Regular expressions for parameter names (`model\.layers\.3[01]\..+`), which say what trains. They come from the config. */
import { type LinearPattern, startPattern } from '../re2.ts'

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
