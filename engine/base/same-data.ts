/** Deep equality of JSON values, of which specs and reports consist. */

/** Ignores the order of keys. A key whose value is undefined differs from an absent one. */
export function isSameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (!isCompound(a) || !isCompound(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const [keysOfA, keysOfB] = [Object.keys(a), Object.keys(b)]
  return keysOfA.length === keysOfB.length && keysOfA.every(key => Object.hasOwn(b, key) && isSameData(a[key], b[key]))
}

function isCompound(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
