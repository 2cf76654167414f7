/**
 * The lines of a comment that readers see as the author's own text: not in code, quotations, lists, links, pictures or
 * HTML, and not hidden or folded by an HTML element.
 */
import { Parser } from 'htmlparser2'
import MarkdownIt from 'markdown-it'

/**
 * As much of GitHub's Markdown as decides that. Emphasis is left as text, because a command's arguments are taken
 * literally. Nesting depth is bounded, so that parsing takes time linear in the text.
 */
const markdown = new MarkdownIt('commonmark', { html: true }).disable(['emphasis', 'text_join'])

type Token = ReturnType<typeof markdown.parse>[number]

/** Footnotes appear at the end of the comment, or not at all if nothing refers to them. */
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
  /** Raw HTML between the end of the previous line and this line's first word. */
  readonly htmlBefore: string
  /** Raw HTML after the first word. */
  readonly htmlWithin: string
  /** Whether the line begins with a plain word: not with code, a link, an escape or HTML. */
  readonly beginsPlain: boolean
}

/** Splits at the lines of the rendered page: a link or a tag across several source lines stays within one. */
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

/** For each line, whether it belongs to a footnote, which extends to the next blank line. */
function footnotesIn(text: string): readonly boolean[] {
  let isFootnote = false
  return text.split(/\r\n|\r|\n/).map(line => {
    isFootnote = line.trim() !== '' && (isFootnote || opensFootnote.test(line))
    return isFootnote
  })
}

/** The comment's HTML up to some point, as a browser parses it. */
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

  /** Whether the line is visible and in no element but its paragraph. */
  shows({ htmlBefore, htmlWithin, beginsPlain }: Line): boolean {
    this.write(htmlBefore)
    this.#hasShown = false
    // An unclosed comment or tag contains no text.
    this.write('text ')
    const isShown = beginsPlain && this.#hasShown && this.#open.length === 1
    this.write(htmlWithin)
    return isShown
  }
}
