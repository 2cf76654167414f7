/**
 * What PostgreSQL can keep. Neither its text nor its JSON has the character U+0000 or half of a surrogate pair, both of which a
 * payload, a config or a comment can have; what it refuses would fail at every try, so that no job with it ever ended.
 */

/** The same with U+FFFD in place of what cannot be kept, at any depth, in keys too. Dates and the like stay as they are. */
export function storable<T>(value: T): T
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\uFFFD')
  if (Array.isArray(value)) return value.map(item => storable(item))
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storable(key), storable(item)]))
}

/** For a JSON column. */
export function storableJson(value: unknown): string {
  return JSON.stringify(storable(value))
}
