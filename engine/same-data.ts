/** Whether two values say the same: for what JSON can hold, which is all that specs and reports are made of. */

/** The order of keys is of no matter; a key that is undefined differs from one that is absent. */
export function isSameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (!isCompound(a) || !isCompound(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const [keysOfA, keysOfB] = [Object.keys(a), Object.keys(b)]
  return keysOfA.length === keysOfB.length && keysOfA.every(key => Object.hasOwn(b, key) && isSameData(a[key], b[key]))
}

function isCompound(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
