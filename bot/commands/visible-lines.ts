/** The lines of a comment that its author says in their own voice: no code, no quotation, nothing hidden. */

/** CommonMark: at least three, indented by at most three spaces; a fence of backticks has none in its info. */
const opensFence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const closesFence = /^ {0,3}(`{3,}|~{3,})[ \t]*$/
/** The blocks of raw HTML that show text as it stands. */
const opensRaw = /<(pre|code|script|style|textarea)\b/i

type Block =
  | { readonly kind: 'fence'; readonly mark: string }
  | { readonly kind: 'hidden' }
  | { readonly kind: 'raw'; readonly tag: string }
  /** A paragraph that follows a quoted line belongs to the quotation, up to the next blank line. */
  | { readonly kind: 'quote' }
  | undefined

/** Takes time linear in the length of the text. */
export function visibleLines(text: string): string[] {
  const visible: string[] = []
  let block: Block
  for (const line of text.split(/\r\n|\r|\n/)) {
    const before: Block = block
    block = blockAfter(line, before)
    if (before === undefined && block?.kind !== 'fence' && block?.kind !== 'quote') visible.push(line)
  }
  return visible
}

/** The block that is open behind `line`. */
function blockAfter(line: string, open: Block): Block {
  switch (open?.kind) {
    case 'fence':
      return closes(line, open.mark) ? undefined : open
    case 'hidden':
      return line.includes('-->') ? undefined : open
    case 'raw':
      return line.toLowerCase().includes(`</${open.tag}>`) ? undefined : open
    case 'quote':
      if (line.trim() === '') return undefined
      return openedBy(line) ?? open
    case undefined:
      return openedBy(line)
  }
}

function openedBy(line: string): Block {
  const fence = opensFence.exec(line)?.[1]
  if (fence !== undefined) return { kind: 'fence', mark: fence }
  if (/^ {0,3}>/.test(line)) return { kind: 'quote' }
  const hidden = line.lastIndexOf('<!--')
  if (hidden >= 0 && !line.includes('-->', hidden)) return { kind: 'hidden' }
  const tag = opensRaw.exec(line)?.[1]?.toLowerCase()
  return tag === undefined || line.toLowerCase().includes(`</${tag}>`) ? undefined : { kind: 'raw', tag }
}

function closes(line: string, mark: string): boolean {
  const closing = closesFence.exec(line)?.[1]
  return closing !== undefined && closing[0] === mark[0] && closing.length >= mark.length
}
