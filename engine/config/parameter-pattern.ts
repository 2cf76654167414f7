/**
 * Regular expressions of parameter names (`model\.layers\.3[01]\..+`), by which tools are told what trains. They come with the
 * config, so only those are run that cannot take long: two repetitions at most, of single characters alone.
 */

const MAX_REPETITIONS = 2
const MAX_CHARACTERS = 200

/** A character, an escape, a class or the dot, perhaps repeated; or words to choose from. Each begins in its own way. */
const understood = /^\^?(?:(?:\w|-|\\[.dw]|\[[\w.-]+\]|\.)[*+?]?|\((?:\?:)?[\w|.\\]+\)\??)*\$?$/

/** What matches names from their start, as Python's re.match does; undefined for what is not understood. */
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
