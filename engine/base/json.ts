/** Parses untrusted text as JSON for a schema to validate; undefined, which no schema accepts, if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
