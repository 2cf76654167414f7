/**
 * The lines of a comment that a reader of the rendered page sees as a line of its author's own text: not those in code, quotations,
 * lists, links, pictures or HTML, and none that an HTML element hides or folds away.
 */
import { Parser } from 'htmlparser2'
import MarkdownIt from 'markdown-it'

/**
 * GitHub's Markdown as far as it decides that. Emphasis stays as it is written, because the words behind a command are taken as they
 * are. Deeper nesting is not looked into, so that reading takes time linear in the length of the text.
 */
const markdown = new MarkdownIt('commonmark', { html: true }).disable(['emphasis', 'text_join'])

type Token = ReturnType<typeof markdown.parse>[number]

/** The text of a footnote stands at the end of the comment, and nowhere while nothing refers to it. */
const opensFootnote = /^ {0,3}\[\^/

/** Opens and closes a formula, which GitHub shows as one. */
const FORMULA = '$$'

export function visibleLines(text: string): string[] {
  const isFootnote = footnotesIn(text)
  const page = new Page()
  return markdown.parse(text, {}).flatMap(token => {
    if (token.type === 'html_block') page.write(token.content)
    if (token.type !== 'inline') return []
    const [firstLine = 0] = token.map ?? []
    const isOwnText = token.level === 1 && !token.content.includes(FORMULA) && isFootnote[firstLine] !== true
    page.write('<p>')
    const visible = linesOf(token.children ?? []).filter(line => page.shows(line) && isOwnText)
    page.write('</p>')
    return visible.map(({ text }) => text)
  })
}

interface Line {
  readonly text: string
  /** Raw HTML before its first word, from the end of the line before. */
  readonly htmlBefore: string
  /** From the first word on. */
  readonly htmlWithin: string
  /** Begins with a word as it was written: not with code, a link, an escape or HTML. */
  readonly beginsPlain: boolean
}

/** Each begins where the reader's line begins: what a link or a tag spans over several lines is inside of it. */
function linesOf(tokens: readonly Token[]): Line[] {
  const lines: Token[][] = [[]]
  for (const token of tokens) {
    const isBreak = token.level === 0 && (token.type === 'softbreak' || token.type === 'hardbreak')
    if (isBreak) lines.push([])
    else lines.at(-1)?.push(token)
  }
  return lines.map(line => {
    const first = line.findIndex(({ type, content }) => type !== 'html_inline' && content !== '')
    const begin = first < 0 ? line.length : first
    return {
      text: line.map(written).join(''),
      htmlBefore: line.slice(0, begin).map(html).join(''),
      htmlWithin: line.slice(begin).map(html).join(''),
      beginsPlain: line[0]?.type === 'text',
    }
  })
}

function written({ type, content, markup }: Token): string {
  if (type === 'html_inline') return ''
  return type === 'code_inline' ? `${markup}${content}${markup}` : content
}

function html({ type, content }: Token): string {
  return type === 'html_inline' ? content : ''
}

/** By line. What begins as a footnote goes on to the next blank line. */
function footnotesIn(text: string): readonly boolean[] {
  let isFootnote = false
  return text.split(/\r\n|\r|\n/).map(line => {
    isFootnote = line.trim() !== '' && (isFootnote || opensFootnote.test(line))
    return isFootnote
  })
}

/** The page's HTML up to some point, as a browser reads it. */
class Page {
  #open: string[] = []
  #hasShown = false
  readonly #parser = new Parser({
    onopentagname: name => this.#open.push(name),
    onclosetag: () => this.#open.pop(),
    ontext: () => {
      this.#hasShown = true
    },
  })

  write(html: string): void {
    this.#parser.write(html)
  }

  /** Whether text at this point is seen, in no element but its paragraph. */
  shows({ htmlBefore, htmlWithin, beginsPlain }: Line): boolean {
    this.write(htmlBefore)
    this.#hasShown = false
    // Inside a comment or a tag that is not closed there is no text.
    this.write('text ')
    const isShown = beginsPlain && this.#hasShown && this.#open.length === 1
    this.write(htmlWithin)
    return isShown
  }
}
