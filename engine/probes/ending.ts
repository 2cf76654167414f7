/** Ends a process when its signal is aborted, whether its work is done or not. */
export async function endedBy<T>(
  signal: AbortSignal | undefined,
  process: AsyncDisposable,
  work: Promise<T>,
): Promise<T> {
  const end = () => void process[Symbol.asyncDispose]()
  if (signal?.aborted) end()
  signal?.addEventListener('abort', end, { once: true })
  try {
    return await work
  } finally {
    signal?.removeEventListener('abort', end)
  }
}
