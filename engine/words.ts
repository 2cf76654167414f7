/** The names in a text, which stand apart by blanks: long lists of them, on few lines. */
export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}
