/** Text from elsewhere as JSON, for a schema to look at: undefined, which no schema takes, where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
