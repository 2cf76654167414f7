/** Quoted text that goes on over lines indented less than YAML demands; PyYAML takes it, and so do the tools that read with it. */
import { CST, Lexer } from 'yaml'

/** Each is looked for from the start of the file. */
const MAX_QUOTES = 8

/** What the lexer adds to say what comes, and is not in the text. */
const marks: ReadonlySet<string> = new Set([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR])

const closed = { "'": /^'[^']*(?:''[^']*)*'$/, '"': /^"[^"\\]*(?:\\[\s\S][^"\\]*)*"$/ } as const
const upToClosing = { "'": /'[^']*(?:''[^']*)*'/y, '"': /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y } as const
type Quote = keyof typeof closed

const endOfDocument = /\n(?:---|\.\.\.)\s/

/** The same with such quotes on one line, each character where it was; the text itself where there are none or too many. */
export function withQuotesOnOneLine(text: string): string {
  let joined = text
  for (let count = 0; count <= MAX_QUOTES; count++) {
    const open = openQuoteIn(joined)
    if (open === undefined) return joined
    const { at, quote } = open
    upToClosing[quote].lastIndex = at
    const [quoted] = upToClosing[quote].exec(joined) ?? []
    if (quoted === undefined || endOfDocument.test(quoted)) break
    joined = joined.slice(0, at) + quoted.replace(/[\r\n]/g, ' ') + joined.slice(at + quoted.length)
  }
  return text
}

/** The first quote that the lexer does not see closed. */
function openQuoteIn(text: string): { readonly at: number; readonly quote: Quote } | undefined {
  let at = 0
  for (const lexeme of new Lexer().lex(text)) {
    const [first] = lexeme
    if ((first === "'" || first === '"') && !closed[first].test(lexeme)) return { at, quote: first }
    if (!marks.has(lexeme)) at += lexeme.length
  }
  return undefined
}
