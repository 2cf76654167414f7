/** Suggests known names for a mistyped one. */
import { closestMatch } from 'leven'

/** Longer than any known name. */
const MAX_NAME_CHARACTERS = 100

const MAX_EDITS = 2

/** With more matches than this, the list of all names serves better. */
const MAX_NAMES = 3

/** `Did you mean a10? Known: …`, or `advice` alone if no name in `known` is similar. */
export function didYouMean(given: string, known: readonly string[], advice = ''): string {
  const names = alike(given, known)
  const last = names.at(-1)
  if (last === undefined) return advice
  const listed = names.length === 1 ? last : `${names.slice(0, -1).join(', ')} or ${last}`
  return `Did you mean ${listed}? ${advice}`.trimEnd()
}

/** The closest name within two edits, ignoring case. */
export function closest<Name extends string>(given: string, known: readonly Name[]): Name | undefined {
  if (given.length > MAX_NAME_CHARACTERS) return undefined
  const maxDistance = Math.min(MAX_EDITS, Math.floor(given.length / 3))
  const lowered = known.map(name => name.toLowerCase())
  const found = closestMatch(given.toLowerCase(), lowered, { maxDistance })
  return found === undefined ? undefined : known[lowered.indexOf(found)]
}

/**
 * The closest name, or else the names that contain every part of `given`: `llama-8b` matches `meta-llama/Llama-3.1-8B`.
 */
function alike(given: string, known: readonly string[]): readonly string[] {
  const near = closest(given, known)
  // A known name was not mistyped: something else is wrong.
  if (near !== undefined) return near === given ? [] : [near]
  const parts = given.length > MAX_NAME_CHARACTERS ? [] : (given.toLowerCase().match(/[a-z]+|[\d.]+/g) ?? [])
  // Parts of one or two characters occur in almost any name.
  if (!parts.some(part => part.length > 2)) return []
  return known.filter(name => parts.every(part => name.toLowerCase().includes(part))).slice(0, MAX_NAMES)
}
