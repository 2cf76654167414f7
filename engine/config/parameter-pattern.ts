/**
 * Regular expressions for parameter names (`model\.layers\.3[01]\..+`), which say what trains. They come from the config, so only
 * those that cannot take long are run: at most two repetitions, each of a single character.
 */

const MAX_REPETITIONS = 2
const MAX_CHARACTERS = 200

/** A character, an escape, a class or the dot, perhaps repeated; or words to choose from. Each begins in its own way. */
const understood = /^\^?(?:(?:\w|-|\\[.dw]|\[[\w.-]+\]|\.)[*+?]?|\((?:\?:)?[\w|.\\]+\)\??)*\$?$/

/** Matches names from their start, as Python's re.match does; undefined for patterns that are not understood. */
export function parameterPattern(source: string): RegExp | undefined {
  if (source.length > MAX_CHARACTERS || !understood.test(source)) return undefined
  if ((source.match(/[*+]/g)?.length ?? 0) > MAX_REPETITIONS) return undefined
  try {
    return new RegExp(`^(?:${source})`)
  } catch {
    // A range out of order, or an escape in front of nothing.
    return undefined
  }
}
