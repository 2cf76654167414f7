const SHOWN_CHARACTERS = 80
const SENTENCE_CHARACTERS = 400

/** Untrusted text without control and invisible formatting characters, on one line without its indentation, cut to 80 characters. */
export function plain(text: string): string {
  return cut(text, SHOWN_CHARACTERS)
}

/** A sentence with untrusted parts, as `plain` text of up to 400 characters. */
export function plainSentence(text: string): string {
  return cut(text, SENTENCE_CHARACTERS)
}

function cut(text: string, most: number): string {
  const characters = [...text.slice(0, 4 * most).replace(/[\p{C}\p{Zl}\p{Zp}]+\p{Zs}*/gu, ' ')]
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : characters.join('').trim()
}

/** `plain` text between quotation marks, as messages show what a file says; once where the file has them too. */
export function quote(text: string): string {
  const shown = plain(text)
  return /^"[^"]+"$/.test(shown) ? shown : `"${shown}"`
}

/** As many as a message can list. */
const MAX_WORDS = 100

/** `a, b or c`. */
export function oneOf(words: readonly string[]): string {
  return listed(words, 'or')
}

/** `a, b and c`. */
export function allOf(words: readonly string[]): string {
  return listed(words, 'and')
}

function listed(words: readonly string[], last: 'and' | 'or'): string {
  if (words.length > MAX_WORDS)
    return `${words.slice(0, MAX_WORDS).join(', ')} ${last} ${words.length - MAX_WORDS} more`
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}
