/**
 * Untrusted text in GitHub's Markdown. GitHub looks for mentions, issue and commit references in the *rendered* text,
 * so escaping with a backslash or a character reference (`&#64;`) does not stop them; only a code span, or a character
 * in between, does. Names therefore go into code spans, and prose gets an invisible word joiner (U+2060, which unlike
 * the zero-width space allows no line break) wherever a reference could start.
 */
import { markdownTable, type Options as TableOptions } from 'markdown-table'
import { plainPath, plainText } from './plain.ts'

const joiner = '\u2060'

/** Prose, inline, anywhere outside a code span or raw HTML; also inside a table cell. */
export function escapeText(text: string, maxLength?: number): string {
  return escapeStructure(breakReferences(plainText(text, maxLength).trim()))
}

/** A name in a code span; also inside a table cell. */
export function inlineCode(text: string, maxLength?: number): string {
  return codeSpans(plainText(text, maxLength))
}

/** A path in a code span, shortened in the middle. */
export function inlinePath(path: string): string {
  return codeSpans(plainPath(path))
}

/** `cells` are Markdown already; the first row is the header. Text left, figures right. */
export function table(cells: readonly (readonly string[])[], align: TableOptions['align']): string {
  return markdownTable(cells, { align: align ?? null })
}

/** `summary` is plain text: Markdown is not read between HTML tags on one line. */
export function details(summary: string, body: string): string {
  return `<details><summary>${escapeHtml(summary)}</summary>\n\n${body}\n\n</details>`
}

/** `language` is ours, and so must be the absence of fences in `body`. */
export function codeBlock(language: string, body: string): string {
  return `\`\`\`${language}\n${body}\n\`\`\``
}

/** Lines in a code block as they stand; their author's backticks cannot close it. `isPlainLine` must hold of each. */
export function fencedLines(language: string, lines: readonly string[]): string {
  const body = lines.join('\n')
  const longestRun = Math.max(2, ...Array.from(body.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longestRun + 1)
  return `${fence}${language}\n${body}\n${fence}`
}

/** A link for text and address that come from our own settings; anything but http(s) is left as text. */
export function htmlLink(text: string, url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const isWeb = parsed?.protocol === 'https:' || parsed?.protocol === 'http:'
  return isWeb ? `<a href="${escapeHtml(parsed.href)}">${escapeHtml(text)}</a>` : escapeHtml(text)
}

/** What GitHub and GFM turn into links or pictures by themselves, once the text is rendered. */
function breakReferences(text: string): string {
  return text
    .replace(/[@#]/g, `$&${joiner}`)
    .replace(/\bgh-(?=\d)/gi, `$&${joiner}`)
    .replace(/:(?=\S)/g, `:${joiner}`)
    .replace(/www(?=\.)/gi, `$&${joiner}`)
    .replace(/[0-9a-f]{7,}/gi, run => run.replace(/.{6}(?=.)/g, `$&${joiner}`))
    .replace(/^(?=[-+=]|\d+[.)](?:\s|$))/, joiner) // a list or an underline, where text opens a line
}

function escapeStructure(text: string): string {
  return text
    .replace(/[\\`*_~[\](){}!#]/g, '\\$&')
    .replace(/[&<>|]/g, character => `&#${character.charCodeAt(0)};`)
    .replaceAll('$', '<span>$</span>') // GitHub's documented way to keep a dollar sign from opening a formula
}

/**
 * A table splits its rows at every `|`, code span or not, and readers disagree about a backslash before `\|`. So a pipe
 * stands between two code spans, as a character reference.
 */
function codeSpans(text: string): string {
  return text.split('|').map(codeSpan).join('&#124;')
}

function codeSpan(text: string): string {
  if (text === '') return ''
  const longestRun = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longestRun + 1)
  const padding = /^`|`$|^ .* $/.test(text) ? ' ' : ''
  return `${fence}${padding}${text}${padding}${fence}`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
