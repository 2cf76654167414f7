/** What a string literal of Python stands for. */

const literal = /^(?<prefix>[A-Za-z]{0,2})(?<quote>"""|'''|"|')(?<content>[\s\S]*)\k<quote>$/

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['0', '\0'],
  ['\n', ''],
])

/** Undefined for bytes, and for what is not closed. */
export function textOfString(source: string): string | undefined {
  const { prefix = '', content } = literal.exec(source)?.groups ?? {}
  if (content === undefined || /b/i.test(prefix)) return undefined
  if (/r/i.test(prefix)) return content
  return content.replace(/\\([\s\S])/g, (_, character: string) => escapes.get(character) ?? character)
}
