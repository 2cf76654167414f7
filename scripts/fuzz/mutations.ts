/** Damages real configs in a few places: lines, values and characters. */
import fc from 'fast-check'
import type { SourceFile } from '../../engine/index.ts'
import { hostileStrings } from '../../test/render/hostile-strings.ts'
import { corpus } from './corpus.ts'

/** Positions are fractions of the text, so that one mutation applies to every text. */
type Mutation = (text: string) => string

const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

const values = [
  ...['-1', '0', '1e999', '.nan', '.inf', '0x7fffffffffffffff', '9'.repeat(400), '1_000', '017', '3.14159', '"8"'],
  ...['null', '~', 'yes', 'auto', '"auto"', '[]', '{}', '[1, [2, [3]]]', '{a: {b: {c: 1}}}', '&x 8', '*x', '*missing'],
  ...['!!binary aGk=', '!!set {a}', '!!js/function "x"', '!<tag:x> 1', '| \n  8', '> 8', '@8', '%8', '`8`'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: interpolations as configs write them
  ...['${train.batch}', '${oc.env:BATCH,8}', '{{ batch }}', '<BATCH>', '$BATCH'],
  ...hostileStrings.map(([, text]) => JSON.stringify(text)),
]

const expressions = [
  ...['None', '-1', `9${'0'.repeat(400)}`, '1e999', '0x7fffffffffffffff', '3j', '...', 'lambda: x', 'x if y else z'],
  ...[
    'x[1:2]',
    'x[y][z]',
    '**x',
    '*x',
    'x := 8',
    '[x for x in y]',
    '{**x, **y}',
    'not x',
    'a.b.c.d',
    "b'8'",
    "'''",
    '"',
  ],
  ...[
    'f"{x!r:>{y}}"',
    'f"{f\'{x}\'}"',
    'self.x',
    'x()()()',
    '"8"',
    "int('8')",
    'x and y or 8',
    '8 if True else 4',
    '1 << 3',
  ],
  ...hostileStrings.map(([, text]) => JSON.stringify(text)),
]

const statements = [
  ...[
    'x = x',
    'x = y\ny = x',
    'x, y = y, x',
    'def f(x=f()):\n    return f(x)',
    'class C(C):\n    x = C().x',
    'import train',
  ],
  ...[
    'from . import *',
    'from ... import x',
    'if x:\n    x = 1',
    'for batch in batch:\n    pass',
    'x += 1',
    '%matplotlib inline',
  ],
  ...[
    'try:\n    x = 1\nexcept:\n    x = 2',
    'with x as y:\n    pass',
    'return 8',
    'global x',
    '@x\ndef f(): pass',
    '!pip install x',
  ],
]

const keys = ['__proto__', 'constructor', 'prototype', 'toString', '<<', '', 'batch_size', 'model', 'memorymark', '? a']

const wholeLines = (change: (lines: string[], index: number) => void) => (at: number) => (text: string) => {
  const lines = text.split('\n')
  change(lines, Math.floor(at * lines.length))
  return lines.join('\n')
}

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  place.map(wholeLines((lines, index) => lines.splice(index, 1))),
  place.map(wholeLines((lines, index) => lines.splice(index, 0, lines[index] ?? ''))),
  fc.tuple(place, fc.nat(9)).map(([at, depth]) => wholeLines((lines, index) => indent(lines, index, depth))(at)),
  fc.tuple(place, fc.constantFrom(...values)).map(([at, value]) => replaceValue(at, value)),
  fc.tuple(place, fc.constantFrom(...keys)).map(([at, key]) => replaceKey(at, key)),
  fc.tuple(place, fc.constantFrom(...expressions)).map(([at, written]) => replaceArgument(at, written)),
  fc.tuple(place, fc.constantFrom(...statements)).map(([at, written]) => insertLines(at, written)),
  fc.tuple(place, fc.constantFrom(...corpus)).map(([at, other]) => splice(at, other.text)),
  fc.tuple(place, fc.string({ unit: 'binary', maxLength: 8 })).map(([at, noise]) => insert(at, noise)),
  place.map(at => (text: string) => text.slice(0, Math.floor(at * text.length))),
  fc.tuple(place, fc.integer({ min: 1, max: 400 })).map(([at, times]) => insert(at, '['.repeat(times))),
  fc.tuple(place, fc.integer({ min: 1, max: 400 })).map(([at, times]) => insert(at, 'f('.repeat(times))),
  fc.tuple(place, fc.integer({ min: 1, max: 400 })).map(([at, times]) => insert(at, ' + x'.repeat(times))),
  fc.tuple(place, fc.integer({ min: 1, max: 200 })).map(([at, times]) => insert(at, '\n- *x'.repeat(times))),
)

export const mutatedConfig: fc.Arbitrary<SourceFile> = fc
  .tuple(fc.constantFrom(...corpus), fc.array(mutation, { minLength: 1, maxLength: 4 }))
  .map(([{ path, text }, mutations]) => ({ path, text: mutations.reduce((changed, mutate) => mutate(changed), text) }))

function indent(lines: string[], index: number, depth: number): void {
  lines[index] = ' '.repeat(depth) + (lines[index] ?? '').trimStart()
}

/** Of one key among all, in YAML or JSON. */
function replaceValue(at: number, value: string): Mutation {
  return text => {
    const found = Array.from(text.matchAll(/(?<=["\w]\s*:[ \t]+)[^\s#,][^\n#,]*/g))
    const chosen = found[Math.floor(at * found.length)]
    return chosen === undefined ? text : replaceAt(text, chosen.index, chosen[0].length, value)
  }
}

/** Replaces an argument of a Python call, or the value bound to a name. */
function replaceArgument(at: number, written: string): Mutation {
  return text => {
    const found = Array.from(text.matchAll(/(?<=\w ?= ?)[^\s=,)][^\n,)]*/g))
    const chosen = found[Math.floor(at * found.length)]
    return chosen === undefined ? text : replaceAt(text, chosen.index, chosen[0].length, written)
  }
}

/** Indented like the following line. */
function insertLines(at: number, written: string): Mutation {
  return wholeLines((lines, index) => {
    const [depth = ''] = /^[ \t]*/.exec(lines[index] ?? '') ?? []
    lines.splice(index, 0, ...written.split('\n').map(line => depth + line))
  })(at)
}

function replaceKey(at: number, key: string): Mutation {
  return text => {
    const found = Array.from(text.matchAll(/[\w-]+(?="?:)/g))
    const chosen = found[Math.floor(at * found.length)]
    return chosen === undefined ? text : replaceAt(text, chosen.index, chosen[0].length, key)
  }
}

function splice(at: number, other: string): Mutation {
  return text => text.slice(0, Math.floor(at * text.length)) + other.slice(Math.floor(at * other.length))
}

function insert(at: number, text: string): Mutation {
  return original => replaceAt(original, Math.floor(at * original.length), 0, text)
}

function replaceAt(text: string, index: number, length: number, replacement: string): string {
  return text.slice(0, index) + replacement + text.slice(index + length)
}
