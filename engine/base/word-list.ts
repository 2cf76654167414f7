/** Long lists of names as text, where they stand apart by blanks. */
export function wordList(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

export function wordSet(text: string): ReadonlySet<string> {
  return new Set(wordList(text))
}
