import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { MemoryMarkError } from '../../engine/base/errors.ts'
import { readSnapshot } from '../../engine/snapshot/read.ts'
import { type Pickled, PickledDictionary, unpickle } from '../../engine/snapshot/unpickle.ts'
import { coldPython } from '../probes/python.ts'
import { hostilePickles } from './hostile-pickles.ts'

describe('a hostile or damaged pickle is refused, and it is said why:', () => {
  test.each(hostilePickles)('$name', ({ bytes, said }) => {
    expect(() => readSnapshot(bytes, 'run.pickle')).toThrow(MemoryMarkError)
    expect(() => readSnapshot(bytes, 'run.pickle')).toThrow(said)
  })

  test('wherever a snapshot is cut short', () => {
    const whole = Buffer.from(written[0]![1], 'hex')
    for (let length = 0; length < whole.length; length++) {
      expect(() => unpickle(whole.subarray(0, length))).toThrow(/cut short|empty|protocol is missing/)
    }
  })
})

const literal =
  "[1, -2, 300, 70000, 2**40, -(2**70), 1.5, None, True, (), (1, 2, 3, 4), (1,), (1, 2), (1, 2, 3), {'a': 'x', 'b': '\\u00fc'}, 'a', 'a']"
const values = [
  ...[1, -2, 300, 70_000, 2 ** 40, -(2n ** 70n), 1.5, null, true],
  ...[[], [1, 2, 3, 4], [1], [1, 2], [1, 2, 3]],
  ...[{ a: 'x', b: 'ü' }, 'a', 'a'],
]

/** `literal`, as Python 3.11 writes it. */
const written: readonly (readonly [protocol: number, hex: string])[] = [
  [
    2,
    '80025d7100284b014afeffffff4d2c014a701101008a060000000000018a090000000000000000c0473ff80000000000004e8829284b014b024b034b047471014b018571024b014b028671034b014b024b038771047d7105285801000000617106580100000078710758010000006271085802000000c3bc71097568066806652e',
  ],
  [
    4,
    '80049569000000000000005d94284b014afeffffff4d2c014a701101008a060000000000018a090000000000000000c0473ff80000000000004e8829284b014b024b034b0474944b0185944b014b0286944b014b024b0387947d94288c0161948c0178948c0162948c02c3bc947568066806652e',
  ],
]

test.each(written)('a pickle of protocol %i is read', (_, hex) => {
  expect(plain(unpickle(Buffer.from(hex, 'hex')))).toEqual(values)
})

const hasPython = (() => {
  try {
    execFileSync(coldPython, ['--version'], { stdio: 'ignore', timeout: 60_000 })
    return true
  } catch {
    return false
  }
})()

describe.skipIf(!hasPython)('with Python, what its own pickler writes is read', () => {
  test.each([2, 3, 4, 5])('in protocol %i', protocol => {
    const program = `import pickle, sys; sys.stdout.buffer.write(pickle.dumps(${literal}, protocol=${protocol}))`
    const read = unpickle(execFileSync(coldPython, ['-c', program]))
    expect(plain(read)).toEqual(values)
  })

  test.each([3, 4, 5])('with bytes in protocol %i, which protocol 2 can only write as a call', protocol => {
    const program = (version: number) =>
      `import pickle, sys; sys.stdout.buffer.write(pickle.dumps([b'ab', b'', b'x' * 300], protocol=${version}))`
    const read = unpickle(execFileSync(coldPython, ['-c', program(protocol)]))
    expect(plain(read)).toEqual(['ab', '', 'x'.repeat(300)])
    expect(() => unpickle(execFileSync(coldPython, ['-c', program(2)]))).toThrow(
      /opcode GLOBAL, by which a pickle runs code/,
    )
  })
})

function plain(value: Pickled): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  if (value instanceof PickledDictionary) {
    const keys = value.items.filter((_, at) => at % 2 === 0)
    return Object.fromEntries(keys.map((key, at) => [String(key), plain(value.items[2 * at + 1]!)]))
  }
  return value
}
