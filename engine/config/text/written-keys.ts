/** A test whether some text writes one of the keys with a colon after it, quoted or not. */
export function writesAny(keys: readonly string[]): (text: string) => boolean {
  const pattern = new RegExp(`(?:^|[\\s{,"'])(?:${keys.join('|')})["']?[ \\t]*:`, 'm')
  return text => pattern.test(text)
}
