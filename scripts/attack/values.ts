/**
 * Values that are meant to take too much time or memory, written so that they are both JSON and YAML. All but one leave their file
 * below the limit on its size, so that more than the limit has to hold.
 */

interface HostileValue {
  /** In the name of a case, after the field. */
  readonly words: string
  readonly text: string
}

const list = (length: number, item: string) => `[${Array(length).fill(item).join(',')}]`
const quoted = (text: string) => JSON.stringify(text)

/** One kind a row. A field is given one value of each kind, its neighbour the next. */
const kinds: readonly (readonly [HostileValue, ...HostileValue[]])[] = [
  [
    { words: 'a billion', text: '1000000000' },
    { words: 'a number of 300 digits', text: '9'.repeat(300) },
    { words: 'a number beyond all', text: '1e999' },
    { words: 'a million', text: '1000000' },
    { words: 'a list of the numbers of a billion', text: '[1000000000,1000000000,1000000000,1000000000]' },
  ],
  [
    { words: '5,000 lists in each other', text: `${'['.repeat(5_000)}1${']'.repeat(5_000)}` },
    { words: '5,000 mappings in each other', text: `${'{"a": '.repeat(5_000)}1${'}'.repeat(5_000)}` },
  ],
  [
    { words: 'a text of 1 MB', text: quoted('x'.repeat(1_000_000)) },
    { words: 'a text of 400 kB', text: quoted('x'.repeat(400_000)) },
    { words: 'a text of 70,000 escapes', text: quoted('\u0001'.repeat(70_000)) },
    { words: 'a number of 400,000 digits', text: '7'.repeat(400_000) },
  ],
  [
    { words: 'a list of 100,000 numbers', text: list(100_000, '1') },
    { words: 'a list of 50,000 names', text: list(50_000, '"q_proj"') },
    {
      words: 'a mapping of 35,000 keys',
      text: `{${Array.from({ length: 35_000 }, (_, i) => `"k${i}": 1`).join(',')}}`,
    },
    { words: 'a key that stands 20,000 times', text: `{${Array(20_000).fill('"k": 1').join(',')}}` },
  ],
  [
    { words: '40 optional words', text: quoted(`${'\\w?'.repeat(40)}Z`) },
    { words: 'nested repetitions', text: quoted('((a+)+)+$') },
    { words: 'a list of patterns', text: list(500, quoted(`${'.*a'.repeat(20)}b`)) },
    { words: 'many stars', text: quoted('*a*a*a*a*a*a*a*a*a*b') },
    { words: 'a huge range', text: quoted('{1..99999999}') },
    {
      words: 'an interpolation of interpolations',
      text: quoted(`${'$'}{a${`.${'$'}{b`.repeat(2_000)}${'}'.repeat(2_001)}`),
    },
  ],
]

/** For the field with this index among its like. */
export function valuesFor(field: number): readonly HostileValue[] {
  return kinds.map(kind => kind[field % kind.length] ?? kind[0])
}
