/** Characters that cannot be seen, or that change how others are shown, written so that they can be read. */

/**
 * Control, format (bidi, zero-width, tags), private and unpaired characters, and line and paragraph separators; line breaks and
 * tabs stay.
 */
const invisible = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** As JSON writes them: `\u202e`. */
export function escapeInvisible(text: string): string {
  return text.replace(invisible, escaped)
}

/** A copy of plain data in which every text is escaped. */
export function withVisibleText<T>(data: T): T {
  return visible(data) as T
}

function visible(data: unknown): unknown {
  if (typeof data === 'string') return escapeInvisible(data)
  if (Array.isArray(data)) return data.map(visible)
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, visible(value)]))
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}
