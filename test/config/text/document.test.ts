import { describe, expect, it } from 'vitest'
import type { Problem } from '../../../engine/base/errors.ts'
import { parseFile } from '../../../engine/config/text/document.ts'
import type { Section } from '../../../engine/config/text/section.ts'

function topOf(text: string, path = 'a.yaml'): Section {
  const parsed = parseFile({ path, text })
  const first = parsed.kind === 'document' ? parsed.mappings[0] : undefined
  if (first === undefined) throw new Error(JSON.stringify(parsed))
  return first
}

function problemsOf(text: string, path = 'a.yaml'): readonly Problem[] {
  const parsed = parseFile({ path, text })
  return parsed.kind === 'unreadable' ? parsed.problems : []
}

/** Each list holds the one before it, so many brackets deep. */
function nestingByAliases(lists: number, brackets: number): string {
  const inner = (list: number) => (list === 0 ? '1' : `*a${list - 1}`)
  const line = (list: number) => `l${list}: &a${list} ${'['.repeat(brackets)}${inner(list)}${']'.repeat(brackets)}\n`
  return Array.from({ length: lists + 1 }, (_, list) => line(list)).join('')
}

describe('quoted text that goes on over lines indented less than YAML demands', () => {
  const text = "run:\n    tokens: '[<a>, it''s,\n    <b>]'\n    note: \"one \\\"\n  two\"\n    batch: 16\n"

  it('is read as PyYAML reads it, with the lines as they are', () => {
    const run = topOf(text).nested(1)[1]
    expect(run?.field('tokens')?.value).toEqual({ kind: 'text', text: expect.stringMatching(/^\[<a>, it's,\s+<b>\]$/) })
    expect(run?.field('note')?.value).toEqual({ kind: 'text', text: expect.stringMatching(/^one "\s+two$/) })
    expect(run?.field('batch')).toMatchObject({ at: { line: 6, column: 12 }, source: '16' })
  })

  it('is a mistake where the quote is never closed, or something follows it', () => {
    expect(problemsOf("run:\n    a: 'x\n    b: 16\n")).toMatchObject([{ code: 'not-yaml', line: 4 }])
    expect(problemsOf("run:\n    a: 'x\n    b: 'y'\n")).toMatchObject([{ code: 'not-yaml', line: 2 }])
    expect(problemsOf("a: 'x\n---\nb: y'\n")[0]).toMatchObject({ code: 'not-yaml', line: 1 })
  })

  it('is a mistake where it is in many places, each of which would be looked for from the start', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `k${at}: 'x\ny'\n`).join('')
    expect(problemsOf(many(8))).toEqual([])
    expect(problemsOf(many(9))[0]).toMatchObject({ code: 'not-yaml', line: 1 })
  })
})

describe('positions', () => {
  it('are those of the value, counted from 1', () => {
    expect(topOf('a: 1\nbatch:   16 # sixteen\n').field('batch')).toMatchObject({
      name: 'batch',
      at: { line: 2, column: 10 },
      source: '16',
      value: { kind: 'number', number: 16 },
    })
  })

  it('hold in JSON, with tabs too', () => {
    expect(topOf('{\n\t"a": {\n\t\t"b": 16\n\t}\n}', 'a.json').nested(1)[1]?.field('b')).toMatchObject({
      name: 'a.b',
      at: { line: 3, column: 8 },
    })
  })

  it('hold with Windows line ends and a byte order mark', () => {
    expect(topOf('\uFEFFa: 1\r\nb: 2\r\n').field('a')?.at).toEqual({ line: 1, column: 4 })
    expect(topOf('\uFEFFa: 1\r\nb: 2\r\n').field('b')?.at).toEqual({ line: 2, column: 4 })
  })

  it('count from the top of the file in a later document', () => {
    const parsed = parseFile({ path: 'a.yaml', text: 'a: 1\n---\nb: 2\n' })
    expect(parsed.kind === 'document' && parsed.mappings[1]?.field('b')?.at).toEqual({ line: 3, column: 4 })
  })

  it('of an alias are where it is used, and of a merged value where it is written', () => {
    const top = topOf('base: &base\n  a: &n 16\nrun:\n  <<: *base\n  b: *n\n').nested(1)[2]
    expect(top?.field('a')).toMatchObject({ name: 'run.a', at: { line: 2, column: 9 } })
    expect(top?.field('b')).toMatchObject({ at: { line: 5, column: 6 }, value: { kind: 'number', number: 16 } })
  })

  it('of a missing value are those of its key', () => {
    expect(topOf('a: 1\nbatch:\n').field('batch')).toMatchObject({
      at: { line: 2, column: 1 },
      value: { kind: 'empty' },
    })
  })
})

describe('values', () => {
  it('are no flags where they are the letters y and n, which are text to PyYAML, as keys too', () => {
    const top = topOf('n: 2\na: y\nb: N\nc: no\n')
    expect(['n', 'a', 'b', 'c'].map(key => top.field(key)?.value)).toEqual([
      { kind: 'number', number: 2 },
      { kind: 'text', text: 'y' },
      { kind: 'text', text: 'N' },
      { kind: 'flag', flag: false },
    ])
  })

  it('are read as PyYAML reads them', () => {
    const top = topOf('a: yes\nb: off\nc: "yes"\nd: 1_000\ne: ~\nf: [1]\n')
    expect(['a', 'b', 'c', 'd', 'e', 'f'].map(key => top.field(key)?.value)).toEqual([
      { kind: 'flag', flag: true },
      { kind: 'flag', flag: false },
      { kind: 'text', text: 'yes' },
      { kind: 'number', number: 1000 },
      { kind: 'empty' },
      { kind: 'list', items: [{ kind: 'number', number: 1, at: { line: 6, column: 5 }, source: '1' }] },
    ])
  })

  it('that a mapping sets itself win over merged ones, and earlier merges over later', () => {
    const top = topOf('x: &x {a: 1, b: 1}\ny: &y {b: 2, c: 2}\nrun:\n  a: 3\n  <<: [*x, *y]\n').nested(1)[3]
    expect(['a', 'b', 'c'].map(key => top?.field(key)?.source)).toEqual(['3', '1', '2'])
  })

  it('under __proto__ are a key like any other', () => {
    const top = topOf('__proto__:\n  polluted: true\n')
    expect(top.field('__proto__')?.value.kind).toBe('mapping')
    expect(top.field('toString')).toBeUndefined()
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })
})

describe('what cannot be read', () => {
  it('names line and column of a syntax error', () => {
    expect(problemsOf('a: 1\nb: "open\n')).toMatchObject([{ code: 'not-yaml', file: 'a.yaml', line: 3, column: 1 }])
    expect(problemsOf('a: 1\nreport_to:wandb\nb: 2\n')).toMatchObject([
      { code: 'not-yaml', line: 2, fix: 'Write the line as key: value.' },
    ])
    expect(problemsOf('a: 1\n\tb: 2\n')).toMatchObject([{ code: 'not-yaml', line: 2 }])
  })

  it('names line and column of what is not JSON, comments and trailing commas included', () => {
    expect(problemsOf('{\n  "a": 1, // one\n}', 'a.json')).toMatchObject([{ code: 'not-json', line: 2, column: 11 }])
    expect(problemsOf('{\n  "a": 1,\n}', 'a.json')).toMatchObject([{ code: 'not-json', line: 3, column: 1 }])
    expect(problemsOf('{"a": 1', 'a.json')).toMatchObject([{ code: 'not-json', message: 'The JSON ends early' }])
    expect(problemsOf('a: 1', 'a.JSON')).toMatchObject([{ code: 'not-json', line: 1, column: 1 }])
  })

  it.each([
    ['{"a": GB_SIZE, "b": 1}', 'GB_SIZE'],
    [`{"a": \${BATCH}}`, `\${BATCH}`],
    ['{"a": {{ batch }} }', '{{ batch }}'],
    ['{"a": [<batch>]}', '<batch>'],
  ])('tells %s for the template that it is', (text, placeholder) => {
    const [problem, ...others] = problemsOf(text, 'a.json')
    expect(others).toEqual([])
    expect(problem).toMatchObject({ code: 'template', line: 1 })
    expect(problem?.message).toContain(`A template: a script replaces "${placeholder}" with a value`)
  })

  it.each(['{"a": Infinitely}', '{A_KEY: 1}', '{"a": "b" GB_SIZE}'])('takes %s for broken JSON', text => {
    expect(problemsOf(text, 'a.json')).toMatchObject([{ code: 'not-json' }])
  })

  it('tells Jinja in YAML for the template that it is', () => {
    for (const text of ['a:\n{% if gpus %}\n  b: 1\n{% endif %}\n', 'a: {{ batch }} x\nb: [\n']) {
      const [problem, ...others] = problemsOf(text)
      expect(others).toEqual([])
      expect(problem).toMatchObject({ code: 'template' })
      expect(problem?.message).toMatch(/^A template: a script replaces "\{[{%]/)
    }
    expect(problemsOf('a: [1\n')).toMatchObject([{ code: 'not-yaml' }])
  })

  it('names every key that is set twice, of which the last counts', () => {
    const repeated = (text: string, path?: string) => {
      const parsed = parseFile({ path: path ?? 'a.yaml', text })
      return parsed.kind === 'document' ? parsed.repeated : []
    }
    expect(repeated('a: 1\nb: 2\na: 3\nc: {d: 1, d: 2}\n')).toMatchObject([
      { code: 'duplicate-key', line: 3, column: 1, message: 'The key "a" is set twice in the same mapping' },
      { code: 'duplicate-key', line: 4, column: 11 },
    ])
    expect(repeated('{"a": 1, "a": 1}', 'a.json')).toMatchObject([{ code: 'duplicate-key', line: 1, column: 10 }])
    expect(topOf('a: 1\nb: 2\na: 3\n').field('a')?.value).toEqual({ kind: 'number', number: 3 })
  })

  it('is a file above 500 kB, which is told its size', () => {
    expect(problemsOf(`a: ${'x'.repeat(5 * 2 ** 20)}`)).toEqual([
      {
        code: 'file-too-large',
        message: 'The file is 5,243 kB; training configs are read up to 500 kB',
        fix: 'Move data out of the config, or exclude the file from the check.',
        file: 'a.yaml',
      },
    ])
  })

  it.each([
    ['a list', '[{"batch_size": 1}, "'],
    ['a tokenizer', '{\n  "version": "1.0",\n  "truncation": null,\n  "model": "'],
  ])('is no JSON above 500 kB that is data, even cut short: %s', (_, start) => {
    const large = start + 'x'.repeat(600_000)
    expect(parseFile({ path: 'a.json', text: large })).toEqual({ kind: 'document', mappings: [], repeated: [] })
    expect(problemsOf(large)).toMatchObject([{ code: 'file-too-large' }])
    expect(problemsOf(`{"batch_size": 1, "x": ${large}`, 'a.json')).toMatchObject([{ code: 'file-too-large' }])
  })

  it.each([
    ['flow lists', '['.repeat(10_000), 1],
    ['closed flow lists', '['.repeat(10_000) + ']'.repeat(10_000), 1],
    ['flow mappings', '{a: '.repeat(10_000), 1],
    ['block lists', '- '.repeat(10_000), 1],
    ['explicit keys', '? '.repeat(10_000), 1],
    ['indented mappings', Array.from({ length: 900 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'), 101],
  ])('is a nesting of thousands of levels: %s', (_, text, line) => {
    expect(problemsOf(text)).toMatchObject([{ code: 'file-too-deep', line }])
  })

  it('is a nesting of thousands of levels in JSON', () => {
    const text = `{"a": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`
    expect(problemsOf(text, 'a.json')).toMatchObject([{ code: 'file-too-deep', line: 1 }])
  })

  it('is not a nesting of 100 levels, nor brackets within text', () => {
    expect(problemsOf('['.repeat(100) + ']'.repeat(100))).toEqual([])
    expect(problemsOf('['.repeat(101) + ']'.repeat(101))).toMatchObject([{ code: 'file-too-deep' }])
    expect(problemsOf(`a: "${'['.repeat(500)}"\nb: x ${'['.repeat(500)} # ${'{'.repeat(500)}\n`)).toEqual([])
  })

  it('is an alias bomb', () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `l${level + 1}: &l${level + 1} [${Array(9).fill(`*l${level}`)}]`,
    )
    expect(problemsOf(`l0: &l0 [x]\n${levels.join('\n')}\n`)).toMatchObject([
      { code: 'bad-alias', line: 6, column: 22 },
    ])
  })

  it.each([
    ['an alias of nothing', 'a: 1\nb: *x\n', 2, 4],
    ['an alias before its anchor', 'a: *x\nb: &x 1\n', 1, 4],
    ['an alias of another document', 'a: &x 1\n---\nb: *x\n', 3, 4],
    ['an alias within its own anchor', 'a: &a\n  b: *a\n', 2, 6],
    ['a list within itself', 'a: &a [1, *a]\n', 1, 11],
    ['a merge of itself', 'a: &a\n  <<: *a\n', 2, 7],
    ['a merge of a number', 'a: &a 1\nb:\n  <<: *a\n', 3, 7],
    ['a nesting by aliases', nestingByAliases(3, 40), 3, 49],
  ])('is %s', (_, text, line, column) => {
    expect(problemsOf(text)).toMatchObject([{ code: 'bad-alias', line, column }])
  })

  it('is told once a line and ten times a file at most', () => {
    expect(problemsOf('a: 1\n- b\n c: d\n').map(({ line }) => line)).toEqual([2])
    const parsed = parseFile({ path: 'a.yaml', text: 'a: 1\n'.repeat(50) })
    expect(parsed.kind === 'document' && parsed.repeated).toHaveLength(10)
  })
})

/** What a file may hold is bounded before any of it is built: each of these took seconds and up to gigabytes. */
describe('too much of anything', () => {
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}: 1`).join(', ')

  it.each([
    ['a long list', `a: [${'1,'.repeat(240_000)}]`],
    ['empty documents', '---\n'.repeat(100_000)],
    ['keys without names', ': \n'.repeat(100_000)],
    ['keys', `{${keys(40_000)}}`],
    ['commas', `a: [${','.repeat(490_000)}]`],
    ['complex keys', '? a\n: 1\n'.repeat(60_000)],
    ['comments', '# x\n'.repeat(120_000)],
    ['blank lines', '\n'.repeat(500_000)],
    ['anchors', '&a '.repeat(160_000)],
    ['tags', '!t '.repeat(160_000)],
    ['directives', '%YAML 1.1\n'.repeat(49_000)],
    ['escapes that are none', `a: "${'\\q'.repeat(240_000)}"`],
    ['lists in lists', `a: [${`${'['.repeat(80)}${']'.repeat(80)},`.repeat(3_000)}]`],
  ])('is refused where it gets too much: %s', (_, text) => {
    const [problem, ...others] = problemsOf(text)
    expect(others).toEqual([])
    expect(['file-too-long', 'too-many-documents']).toContain(problem?.code)
    expect(problem?.line).toBeGreaterThan(0)
  })

  it.each([
    ['aliases of a long list', `a: &a [${'1,'.repeat(10_000)}]\nb: [${'*a,'.repeat(90)}]\n`],
    [
      'merges of many keys',
      `a: &a {${keys(5_000)}}\n${Array.from({ length: 95 }, (_, index) => `m${index}: {<<: *a}\n`).join('')}`,
    ],
    [
      'merges of merges',
      `a: &a0 {${keys(2_000)}}\n${Array.from({ length: 95 }, (_, index) => `m${index}: &a${index + 1} {<<: *a${index}}\n`).join('')}`,
    ],
    ['mappings merged one into another', `a: ${'{<<: '.repeat(95)}{${keys(5_000)}}${'}'.repeat(95)}\n`],
    ['aliases over several documents', `---\na: &a [${'1,'.repeat(3_000)}]\nb: [*a, *a, *a, *a]\n`.repeat(5)],
  ])('is refused before it is expanded: %s', (_, text) => {
    expect(problemsOf(text)).toMatchObject([{ code: 'bad-alias', message: expect.stringContaining('60,000 values') }])
  })

  it.each([
    ['closing brackets', ']'.repeat(300_000)],
    ['closing brackets, one a line', ']\n'.repeat(240_000)],
    ['closing braces', '}'.repeat(300_000)],
  ])('is refused after the first mistakes: %s', (_, text) => {
    const problems = problemsOf(`a: 1\n${text}`)
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.length).toBeLessThanOrEqual(10)
    expect(problems[0]).toMatchObject({ code: 'not-yaml', line: 2 })
  })

  it('is no problem in a list of JSON, which is no training config', () => {
    expect(parseFile({ path: 'results.json', text: `[${'{"batch_size": 1},'.repeat(27_000)}{}]` })).toEqual({
      kind: 'document',
      mappings: [],
      repeated: [],
    })
  })

  it('is read while it is not too much', () => {
    const top = topOf(`a: &a [${'1,'.repeat(2_000)}]\nb: [${'*a,'.repeat(20)}]\nc: {${keys(5_000)}}\n`)
    expect(top.field('b')?.value).toMatchObject({ kind: 'list', items: { length: 20 } })
    expect(top.at('c', 'k4999')?.value).toEqual({ kind: 'number', number: 1 })
  })
})

describe('a reference to another value of the file', () => {
  const text = `sizes:
  batch: 16
  again: \${sizes.batch}
  lora: { r: 8 }
train:
  batch: \${sizes.again}
  outside: \${elsewhere.batch}
  round: \${train.back}
  back: \${train.round}
  itself: \${train.itself}
  lora: \${sizes.lora}
  text: run-\${sizes.batch}
`

  it('has its value, through further references too, and stands where it is used', () => {
    expect(topOf(text).at('train', 'batch')).toMatchObject({
      name: 'train.batch',
      at: { line: 6, column: 10 },
      source: '16',
      value: { kind: 'number', number: 16 },
    })
    expect(topOf(text).at('train', 'lora', 'r')?.value).toEqual({ kind: 'number', number: 8 })
  })

  it.each(['outside', 'round', 'itself', 'text'])('stays as written where the file has no value for it: %s', key => {
    expect(topOf(text).at('train', key)?.value.kind).toBe('text')
  })
})
