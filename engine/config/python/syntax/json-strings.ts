/** The strings of a JSON text with where they stand, which JSON.parse does not tell. Takes linear time; nothing is nested in memory. */

export interface JsonString {
  /** Keys and indices from the top: `cells`, 3, `source`, 0. Deeper ones than `MAX_DEPTH` are left out. */
  readonly path: readonly (string | number)[]
  /** Of its content, behind the quotation mark. */
  readonly from: number
  readonly to: number
}

/** What is asked for stands four deep. */
const MAX_DEPTH = 5

/** Values, not keys, as long as the text is JSON; of what is none, some. */
export function* jsonStrings(text: string): Generator<JsonString> {
  const path: (string | number)[] = []
  let depth = 0
  const isWithin = () => depth <= MAX_DEPTH
  const marks = /["{}[\],]/g
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const [found] = mark
    switch (found) {
      case '{':
      case '[':
        depth += 1
        if (isWithin()) path.push(found === '{' ? '' : 0)
        break
      case '}':
      case ']':
        if (isWithin()) path.pop()
        depth = Math.max(0, depth - 1)
        break
      case ',': {
        const last = path.at(-1)
        if (isWithin() && typeof last === 'number') path[path.length - 1] = last + 1
        break
      }
      case '"': {
        const from = mark.index + 1
        const to = endOfString(text, from)
        marks.lastIndex = to + 1
        if (!isWithin()) break
        if (typeof path.at(-1) === 'string' && isKey(text, to + 1)) path[path.length - 1] = text.slice(from, to)
        else yield { path: [...path], from, to }
      }
    }
  }
}

/** The quotation mark that ends it, or the end of a text that has none. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (end - escapes > from && text[end - escapes - 1] === '\\') escapes++
    if (escapes % 2 === 0) return end
  }
  return text.length
}

const colon = /\s*:/y

function isKey(text: string, after: number): boolean {
  colon.lastIndex = after
  return colon.test(text)
}
