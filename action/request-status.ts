/** The HTTP status that a request to GitHub failed with; undefined for every other error. */
export function requestStatus(error: unknown): number | undefined {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : undefined
}
