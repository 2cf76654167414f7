/** Where a text stops being JSON as Python's json takes it. JSON.parse knows whether it is JSON, but not always where it is not. */

type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'nothing'

const blank = /[\t\n\r ]*/y
const token =
  /"[ !#-[\]-\u{10ffff}]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\u{10ffff}]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|NaN|-?Infinity|[{}[\]:,]/uy

/**
 * The offset of the first character that JSON (RFC 8259) does not allow there, or nothing when the text is JSON. `NaN` and
 * `Infinity` are allowed, as Python writes and reads them.
 */
export function firstJsonError(text: string): number | undefined {
  if (isJson(text)) return undefined
  const open: string[] = []
  let expected: Expected = 'value'
  let offset = 0
  for (;;) {
    offset = skip(blank, text, offset)
    if (offset === text.length && expected === 'nothing') return undefined
    const end = skip(token, text, offset)
    const next: Expected | undefined =
      end === offset ? undefined : step(expected, text.slice(offset, Math.min(end, offset + 1)), open)
    if (next === undefined) return offset
    expected = next
    offset = end
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}

/** What may follow a token, given its first character; undefined if the token is not allowed there. */
function step(expected: Expected, first: string, open: string[]): Expected | undefined {
  const inObject = open.at(-1) === '{'
  switch (first) {
    case '{':
    case '[':
      if (expected !== 'value' && expected !== 'value-or-end') return undefined
      open.push(first)
      return first === '{' ? 'key-or-end' : 'value-or-end'
    case '}':
      return inObject && (expected === 'key-or-end' || expected === 'comma-or-end') ? close(open) : undefined
    case ']':
      return !inObject && (expected === 'value-or-end' || expected === 'comma-or-end') ? close(open) : undefined
    case ':':
      return expected === 'colon' ? 'value' : undefined
    case ',':
      if (expected !== 'comma-or-end') return undefined
      return inObject ? 'key' : 'value'
    default:
      if (expected === 'value' || expected === 'value-or-end') return afterValue(open)
      return first === '"' && (expected === 'key' || expected === 'key-or-end') ? 'colon' : undefined
  }
}

function close(open: string[]): Expected {
  open.pop()
  return afterValue(open)
}

function afterValue(open: readonly string[]): Expected {
  return open.length === 0 ? 'nothing' : 'comma-or-end'
}
