/** Waiting with a time limit. */

/**
 * Resolves to `too-late` if `promise` has not settled within `millis`. The promise continues, but its result is
 * ignored.
 */
export async function within<T>(millis: number, promise: Promise<T>): Promise<T | 'too-late'> {
  const late = Promise.withResolvers<'too-late'>()
  const timer = setTimeout(() => late.resolve('too-late'), millis)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
