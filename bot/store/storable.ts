/**
 * Text that PostgreSQL can store. Its text and JSON allow neither U+0000 nor half of a surrogate pair, which a webhook,
 * a config or a comment may contain; a job with one would fail at every retry.
 */

/** Replaces such characters by U+FFFD at any depth, in keys too. Dates and the like stay as they are. */
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
