/** Waiting with an end. */

/** `too-late` when `promise` has not settled within `millis`; it goes on, and what it comes to then is not looked at. */
export async function within<T>(millis: number, promise: Promise<T>): Promise<T | 'too-late'> {
  const late = Promise.withResolvers<'too-late'>()
  const timer = setTimeout(() => late.resolve('too-late'), millis)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
