import { describe, expect, test } from 'vitest'
import {
  codeBlock,
  details,
  escapeText,
  htmlLink,
  inlineCode,
  inlinePath,
  table,
} from '../../engine/render/markdown.ts'
import { liveText, toHtml } from './rendered.ts'

const paragraphOf = (text: string) => toHtml(escapeText(text)).replaceAll('\u2060', '')

describe('untrusted prose', () => {
  test('is read as it was written', () => {
    const text = 'a *b* _c_ [d](e) `f` <g> & h | i ! ~~j~~ \\k # l'
    expect(liveText(paragraphOf(text))).toBe(text)
  })

  test.each([
    ['a mention', '@octocat', '@\u2060octocat'],
    ['a team', 'ask @org/team', 'ask @\u2060org/team'],
    ['an issue', '#12', '#\u206012'],
    ['an issue of another repository', 'org/repo#12', 'org/repo#\u206012'],
    ['an issue in the long form', 'GH-12', 'GH-\u206012'],
    ['a commit', 'deadbeefcafe', 'deadbe\u2060efcafe'],
    ['an address', 'https://example.com', 'https:\u2060//example.com'],
    ['an address without scheme', 'www.example.com', 'www\u2060.example.com'],
    ['a mail address', 'me@example.com', 'me@\u2060example.com'],
    ['an emoji code', ':tada:', ':\u2060tada:'],
  ])('%s leads nowhere', (_name, text, rendered) => {
    const html = toHtml(escapeText(text))
    expect(html).toBe(`<p>${rendered}</p>`)
  })

  test('a dollar sign opens no formula', () => {
    expect(escapeText('$x$')).toBe('<span>$</span>x<span>$</span>')
  })

  test('stays on one line and shows what is invisible', () => {
    expect(escapeText('a\r\n\n# b\u202Ec\u001B[31m\u200Bd')).toBe('a \\#\u2060 b�c�\\[31m�d')
  })

  test('opens no list', () => {
    expect(toHtml(escapeText(' - a'))).toBe('<p>\u2060- a</p>')
    expect(toHtml(escapeText('1. a'))).toBe('<p>\u20601. a</p>')
  })

  test('is cut at the length asked, by characters', () => {
    expect(escapeText('😀'.repeat(50), 10)).toBe(`${'😀'.repeat(9)}…`)
    expect(escapeText('x'.repeat(1_000_000)).length).toBeLessThan(1_000)
  })
})

describe('a name in code', () => {
  test.each([
    ['plain', 'configs/a_b*.yaml', '`configs/a_b*.yaml`'],
    ['with a backtick', 'a`b', '``a`b``'],
    ['with backticks at its ends', '``a`', '``` ``a` ```'],
    ['with spaces at both ends', ' a ', '`  a  `'],
    ['with a pipe', 'a|b', '`a`&#124;`b`'],
    ['with a backslash and a pipe', 'a\\|b', '`a\\`&#124;`b`'],
    ['empty', '', ''],
  ])('%s', (_name, text, markdown) => {
    expect(inlineCode(text)).toBe(markdown)
  })

  test('a pipe leaves a table its columns', () => {
    const html = toHtml(
      table(
        [
          ['name', 'size'],
          [inlineCode('a|b\\|c'), escapeText('1|2')],
        ],
        ['l', 'r'],
      ),
    )
    expect(html.match(/<td/g)).toHaveLength(2)
    expect(html).toContain('<code>a</code>|<code>b\\</code>|<code>c</code>')
  })

  test('a long path keeps its folder and its file name', () => {
    const shown = inlinePath(`configs/${'deep/'.repeat(100)}bert.yaml`)
    expect(shown).toMatch(/^`configs\/deep\/.*….*deep\/bert\.yaml`$/)
    expect(shown).toHaveLength(122)
  })
})

describe('constructs', () => {
  test('details hold Markdown and a plain summary', () => {
    expect(toHtml(details('a < b', '**c**'))).toBe(
      '<details><summary>a &#60; b</summary>\n<p><strong>c</strong></p>\n</details>',
    )
  })

  test('a code block names its language', () => {
    expect(codeBlock('text', 'a')).toBe('```text\na\n```')
  })

  test('a link goes to the web or nowhere', () => {
    expect(htmlLink('how', 'https://example.com/?a="b"&c')).toBe(
      '<a href="https://example.com/?a=%22b%22&#38;c">how</a>',
    )
    expect(htmlLink('how', 'javascript:alert(1)')).toBe('how')
    expect(htmlLink('how', 'not an address')).toBe('how')
  })
})
