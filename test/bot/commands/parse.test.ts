import { describe, expect, test } from 'vitest'
import { parseComment } from '../../../bot/commands/parse.ts'

const command = (body: string) => {
  const parsed = parseComment(body)
  return parsed.kind === 'command' ? parsed.command : parsed
}

describe('a command stands at the start of a line', () => {
  test.each([
    ['/memorymark help', { kind: 'help' }],
    ['/memorymark', { kind: 'help' }],
    ['/memorymark rerun please', { kind: 'rerun' }],
    ['/MemoryMark Explain', { kind: 'explain' }],
    ['Thanks for the numbers.\r\n\r\n/memorymark fix\r\n', { kind: 'fix' }],
    ['/memorymark\tfix  ', { kind: 'fix' }],
    ['/memorymark fix 2', { kind: 'fix', lever: 2 }],
    ['/memorymark fix #12', { kind: 'fix', lever: 12 }],
    ['/memorymark fix please', { kind: 'fix' }],
    ['/memorymark ok 0123ABC', { kind: 'ok', sha: '0123abc' }],
    ['/memorymark accept the A10 is shared', { kind: 'accept', reason: 'the A10 is shared', outOfMemory: false }],
    [
      '/memorymark accept see *logs*, `nvidia-smi` and a_b_c',
      { kind: 'accept', reason: 'see *logs*, `nvidia-smi` and a_b_c', outOfMemory: false },
    ],
    ['/memorymark accept 共享的 GPU', { kind: 'accept', reason: '共享的 GPU', outOfMemory: false }],
    [
      '/memorymark accept out-of-memory it runs on an H100',
      { kind: 'accept', reason: 'it runs on an H100', outOfMemory: true },
    ],
    ['/memorymark snooze 14', { kind: 'snooze', days: 14 }],
    ['/memorymark snooze 1 day', { kind: 'snooze', days: 1 }],
  ])('%j', (body, expected) => {
    expect(command(body)).toEqual(expected)
  })

  test('the first is taken, and those after it are counted', () => {
    const parsed = parseComment('/memorymark rerun\n/memorymark fix\n/memorymark help')
    expect(parsed).toEqual({ kind: 'command', command: { kind: 'rerun' }, others: 2 })
  })
})

describe('a comment is left alone', () => {
  test.each([
    ['says nothing to the bot', 'LGTM'],
    ['names it within a line', 'Try `/memorymark fix` or /memorymark fix'],
    ['calls something whose name only begins so', '/memorymarker fix'],
    ['indents the call, as code is', '    /memorymark fix'],
    ['quotes it', '> /memorymark fix'],
    ['quotes it, and the quotation runs on', '> You could\n/memorymark fix'],
    ['shows it between fences', '```\n/memorymark fix\n```'],
    ['shows it between tildes', '~~~ text\n/memorymark fix\n~~~'],
    ['shows it behind a fence that a shorter one does not close', '````\n```\n/memorymark fix\n````'],
    ['shows it behind a fence that nothing closes', '```\n/memorymark fix'],
    ['hides it', '<!--\n/memorymark fix\n-->'],
    ['hides it behind what is never closed', '<!-- see below\n\n/memorymark fix'],
    ['has it in the words for a picture', '<img alt="\n/memorymark fix\n">'],
    ['has it in the words for a Markdown picture', '![\n/memorymark fix\n](https://example.com/a.png)'],
    ['has it in an attribute of a block', '<div title="\n/memorymark fix\n">'],
    ['has it in an attribute within a line', 'Nice <b title="\n/memorymark fix\n">work</b>'],
    ['has it in CDATA', '<![CDATA[\n/memorymark fix\n]]>'],
    ['has it in a processing instruction', '<?php\n/memorymark fix\n?>'],
    ['has it in a declaration', '<!DOCTYPE\n/memorymark fix\n>'],
    ['has it in the title of a link', '[here](https://example.com "\n/memorymark fix\n")'],
    ['has it in the title of a definition', '[here]: https://example.com "\n/memorymark fix\n"'],
    ['has it in the text of a link', '[\n/memorymark fix\n](https://example.com)'],
    ['has it in code within a paragraph', 'Try `\n/memorymark fix\n`'],
    ['has it in a hidden remark within a paragraph', 'Nice <!--\n/memorymark fix\n--> work'],
    ['hides it behind a block that opens a remark', '<div><!--\n\n/memorymark fix'],
    ['folds it away', '<details>\n<summary>More</summary>\n\n/memorymark fix\n\n</details>'],
    ['folds it away in what is never closed', '<details>\n\n/memorymark fix'],
    ['pretends to have closed what folds it away', '<details title="</details>">\n\n/memorymark fix'],
    ['has it in the middle of an element', '<table><tr><td>\n\n/memorymark fix\n\n</td></tr></table>'],
    ['has it in a list', '- a\n/memorymark fix'],
    ['has it in a numbered list', '1. a\n\n   /memorymark fix'],
    ['has it in a footnote', '[^1]: a note\n/memorymark fix'],
    ['has it in a footnote of one word', '[^1]: note\n/memorymark fix'],
    ['has it in a formula', '$$\n/memorymark fix\n$$'],
    ['writes its slash with an escape', 'See\n/memorymarks\n\\/memorymark fix'],
    ['writes its slash by number', 'See\n/memorymarks\n&#47;memorymark fix'],
    ['puts an element before it', '<b></b>/memorymark fix'],
    ['shows it as preformatted HTML', '<pre>\n/memorymark fix\n</pre>'],
    ['is empty', ''],
  ])('that %s', (_, body) => {
    expect(parseComment(body)).toEqual({ kind: 'none' })
  })

  test.each([
    ['a fence', '```\ncode\n```\n/memorymark fix'],
    ['a quotation and a blank line', '> You could\n\n/memorymark fix'],
    ['a hidden remark', '<!-- from a template -->\n/memorymark fix'],
    ['a hidden remark of several lines', '<!--\nfrom a template\n-->\n/memorymark fix'],
    ['an opening of a remark that GitHub shows as it stands', 'See <!-- below\n/memorymark fix'],
    ['what is folded away', '<details><summary>Log</summary>\n\n```\nx\n```\n\n</details>\n\n/memorymark fix'],
    ['a picture', '<img src="https://example.com/a.png">\n\n/memorymark fix'],
    ['an element within its paragraph', 'Nice <b>work</b><br>\n/memorymark fix'],
    ['a link', '[here](https://example.com "title")\n/memorymark fix'],
    ['inline code', 'Since ``` is a fence, `x`\n/memorymark fix'],
  ])('but not behind %s', (_, body) => {
    expect(command(body)).toEqual({ kind: 'fix' })
  })
})

describe('a command that cannot be carried out is told why', () => {
  test.each([
    ['/memorymark ok', 'ok', 'It needs the whole SHA of the newest commit, 40 hexadecimal characters'],
    ['/memorymark ok 012', 'ok', 'It needs the whole SHA of the newest commit, 40 hexadecimal characters'],
    ['/memorymark ok main', 'ok', 'It needs the whole SHA of the newest commit, 40 hexadecimal characters'],
    ['/memorymark accept', 'accept', 'It needs a reason, which the check will show'],
    ['/memorymark accept \u200b', 'accept', 'It needs a reason, which the check will show'],
    ['/memorymark accept out-of-memory', 'accept', 'It needs a reason, which the check will show'],
    [`/memorymark accept ${'a'.repeat(501)}`, 'accept', 'The reason may be up to 500 characters long'],
    ['/memorymark snooze', 'snooze', 'It needs a number of days from 1 to 90'],
    ['/memorymark snooze 0', 'snooze', 'It needs a number of days from 1 to 90'],
    ['/memorymark snooze 91', 'snooze', 'It needs a number of days from 1 to 90'],
    ['/memorymark snooze for ever', 'snooze', 'It needs a number of days from 1 to 90'],
    ['/memorymark snooze -3', 'snooze', 'It needs a number of days from 1 to 90'],
  ])('%j', (body, name, problem) => {
    expect(parseComment(body)).toEqual({ kind: 'malformed', name, problem })
  })

  test('an unknown one with what was meant', () => {
    expect(parseComment('/memorymark rerum')).toEqual({ kind: 'unknown', word: 'rerum', meant: 'rerun' })
  })

  test('an unknown one that resembles none without', () => {
    expect(parseComment('/memorymark @everyone')).toEqual({ kind: 'unknown', word: '@everyone' })
  })
})

test.each([
  ['fences', '```\n'],
  ['quotations', '> a\n'],
  ['openings of hidden text', '<!--'],
  ['openings of raw text', '<pre'],
  ['calls', '/memorymark x\n'],
  ['blanks', ' '],
  ['nested quotations', '>'],
  ['nested lists', '- '],
  ['brackets', '['],
  ['pictures in pictures', '![[]()'],
  ['titles of links', "[a](b 'x\n"],
  ['definitions', '[a]: b\n'],
  ['code', '` `` ``` '],
  ['elements', '<b>'],
  ['elements that are closed before they open', '</i><b>'],
  ['attributes', '<a b="'],
  ['paragraphs in footnotes', '[^a]: b\n'],
  ['underlines', '===\n'],
])('a comment of nothing but %s is read to its end', (_, part) => {
  const parsed = parseComment(part.repeat(Math.floor(65_536 / part.length)))
  expect(['none', 'unknown']).toContain(parsed.kind)
})
