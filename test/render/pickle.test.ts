import { expect, test } from 'vitest'
import { pickle } from '../../engine/render/pickle.ts'

/** One opcode after the other, as `python -m pickletools` names them. */
test('is written in opcodes of protocol 2, a string that comes again only by its number', () => {
  const opcodes = [
    '80 02', // PROTO 2
    '5d 72 00000000 28', // EMPTY_LIST, LONG_BINPUT 0, MARK
    '58 02000000 61 62 72 01000000', // BINUNICODE "ab", LONG_BINPUT 1
    '6a 01000000', // LONG_BINGET 1
    '4b ff', // BININT1 255
    '4a 00010000', // BININT 256
    '4a ffffffff', // BININT -1
    '8a 08 000000007f000000', // LONG1 0x7f00000000
    '88', // NEWTRUE
    '7d 28 6a 01000000 89 75', // EMPTY_DICT, MARK, LONG_BINGET 1, NEWFALSE, SETITEMS
    '65 2e', // APPENDS, STOP
  ]
  const written = pickle(['ab', 'ab', 255, 256, -1, 0x7f_0000_0000, true, { ab: false }])
  expect(Buffer.from(written).toString('hex')).toBe(opcodes.join('').replaceAll(' ', ''))
})

test('has no number that is not whole', () => {
  expect(() => pickle([0.5])).toThrow('0.5 is not an integer')
})
