/** Pickles that are meant to run code, to fill memory or to take for ever, and such as are damaged; and what is said of each. */
import { opcodes } from '../../engine/snapshot/pickle-opcodes.ts'

export interface HostilePickle {
  readonly name: string
  readonly bytes: Uint8Array
  readonly said: RegExp
}

const { PROTO, STOP, MARK, EMPTY_LIST, EMPTY_DICT, APPEND, APPENDS, MEMOIZE, NONE } = opcodes

function pickled(...parts: readonly (number | string | readonly number[])[]): Uint8Array {
  const bytes = parts.map(part => (typeof part === 'number' ? Buffer.of(part) : Buffer.from(part as string)))
  return Buffer.concat([Buffer.of(PROTO, 4), ...bytes])
}

function repeated(count: number, ...bytes: readonly number[]): number[] {
  return Array.from({ length: count }, () => bytes).flat()
}

const long = (value: bigint) => Array.from({ length: 8 }, (_, byte) => Number((value >> BigInt(8 * byte)) & 0xffn))
const short = (text: string) => [opcodes.SHORT_BINUNICODE, text.length, ...Buffer.from(text)]

/** `{"device_traces": [trace, …]}`, with the same trace as often as told. */
function sharedTraces(traces: number, entries: number): Uint8Array {
  const entry = [
    EMPTY_DICT,
    MEMOIZE,
    MARK,
    ...short('action'),
    ...short('alloc'),
    ...short('addr'),
    opcodes.BININT1,
    1,
    ...short('size'),
    opcodes.BININT1,
    1,
    opcodes.SETITEMS,
  ]
  const trace = [EMPTY_LIST, MEMOIZE, MARK, ...entry, ...repeated(entries, opcodes.BINGET, 1), APPENDS]
  const all = [EMPTY_LIST, MARK, ...trace, ...repeated(traces, opcodes.BINGET, 0), APPENDS]
  return pickled([EMPTY_DICT, MARK, ...short('device_traces'), ...all, opcodes.SETITEMS, STOP])
}

/** Thirty lists, each of which holds the one before ten times. */
function laughs(): Uint8Array {
  const levels = Array.from({ length: 30 }, (_, level) => [
    EMPTY_LIST,
    MEMOIZE,
    MARK,
    ...repeated(10, opcodes.BINGET, Math.max(0, level - 1)),
    APPENDS,
  ])
  return pickled([EMPTY_LIST, MARK, ...levels.flat(), APPENDS, STOP].flat())
}

export const hostilePickles: readonly HostilePickle[] = [
  {
    name: 'os.system by GLOBAL and REDUCE',
    bytes: pickled(opcodes.GLOBAL, 'os\nsystem\n', MARK, short('touch pwned'), opcodes.TUPLE, opcodes.REDUCE, STOP),
    said: /at byte 2 it has the opcode GLOBAL, by which a pickle runs code when Python loads it; nothing of it was run/,
  },
  {
    name: 'os.system by STACK_GLOBAL',
    bytes: pickled(
      short('os'),
      short('system'),
      opcodes.STACK_GLOBAL,
      short('id'),
      opcodes.TUPLE1,
      opcodes.REDUCE,
      STOP,
    ),
    said: /at byte 14 it has the opcode STACK_GLOBAL, by which a pickle runs code/,
  },
  ...(['REDUCE', 'BUILD', 'INST', 'OBJ', 'NEWOBJ', 'NEWOBJ_EX', 'EXT1', 'PERSID', 'BINPERSID'] as const).map(name => ({
    name,
    bytes: pickled(EMPTY_LIST, EMPTY_LIST, opcodes[name], STOP),
    said: new RegExp(`at byte 4 it has the opcode ${name}, by which a pickle runs code`),
  })),
  {
    name: 'a set',
    bytes: pickled(opcodes.EMPTY_SET, STOP),
    said: /it has the opcode EMPTY_SET, which no snapshot of PyTorch has/,
  },
  { name: 'a byte that is no opcode', bytes: pickled(0xff, STOP), said: /it has the byte 0xff, which is no opcode/ },
  { name: 'lists of lists of lists', bytes: laughs(), said: /the file is no dictionary/ },
  {
    name: 'a million lists inside of each other, by APPEND',
    bytes: pickled(repeated(1_000_000, EMPTY_LIST), repeated(999_999, APPEND), STOP),
    said: /the file is no dictionary/,
  },
  {
    name: 'a million lists that are open',
    bytes: pickled(repeated(1_000_000, MARK)),
    said: /more than 100 lists are inside of each other/,
  },
  {
    name: 'a thousand devices',
    bytes: sharedTraces(1_000, 10),
    said: /it has more than 128 devices/,
  },
  {
    name: 'a hundred devices that share a hundred thousand events',
    bytes: sharedTraces(100, 100_000),
    said: /it has more than 8,000,000 events/,
  },
  {
    name: 'a string of 2^60 bytes',
    bytes: pickled(opcodes.BINUNICODE8, long(1n << 60n), 'abc', STOP),
    said: /where 1152921504606847000 bytes should follow byte 11: it is cut short or damaged/,
  },
  {
    name: 'bytes of 2^60 bytes',
    bytes: pickled(opcodes.BINBYTES8, long(1n << 60n), STOP),
    said: /it is cut short or damaged/,
  },
  {
    name: 'an integer of 2^31 − 1 bytes',
    bytes: pickled(opcodes.LONG4, [0xff, 0xff, 0xff, 0x7f], STOP),
    said: /it has an integer of 2147483647 bytes, and no size or address has so many/,
  },
  {
    name: 'an integer of 255 bytes',
    bytes: pickled(opcodes.LONG1, 255, repeated(255, 0xff), STOP),
    said: /it has an integer of 255 bytes/,
  },
  {
    name: 'the four-billionth entry of the memo',
    bytes: pickled(NONE, opcodes.LONG_BINPUT, [0xff, 0xff, 0xff, 0xff], STOP),
    said: /it remembers number 4294967295 before number 0/,
  },
  {
    name: 'what was never remembered',
    bytes: pickled(opcodes.BINGET, 7, STOP),
    said: /it names number 7, which it has not remembered/,
  },
  {
    name: 'a dictionary of a thousand keys',
    bytes: pickled(EMPTY_DICT, MARK, repeated(1_000, NONE, NONE), opcodes.SETITEMS, STOP),
    said: /a dictionary has more than 64 keys/,
  },
  {
    name: 'keys of a list',
    bytes: pickled(EMPTY_LIST, NONE, NONE, opcodes.SETITEM, STOP),
    said: /sets keys of what is no dictionary/,
  },
  { name: 'items of a dictionary', bytes: pickled(EMPTY_DICT, NONE, APPEND, STOP), said: /appends to what is no list/ },
  { name: 'a value from beyond a mark', bytes: pickled(NONE, MARK, opcodes.TUPLE1, STOP), said: /a value is missing/ },
  {
    name: 'a list that ends before it begins',
    bytes: pickled(NONE, APPENDS, STOP),
    said: /a list ends that has not begun/,
  },
  {
    name: 'two values',
    bytes: pickled(NONE, NONE, STOP),
    said: /it stops in the middle of a list or without a result/,
  },
  { name: 'nothing', bytes: pickled(STOP), said: /it stops in the middle of a list or without a result/ },
  { name: 'no end', bytes: pickled(EMPTY_DICT), said: /it ends at byte 3/ },
  { name: 'no byte at all', bytes: Buffer.alloc(0), said: /it is empty/ },
  { name: 'protocol 0', bytes: Buffer.from('(dp0\n.'), said: /it does not begin as a pickle of protocol 2 to 5 does/ },
  { name: 'protocol 6', bytes: Buffer.of(PROTO, 6, NONE, STOP), said: /its pickle protocol is 6, and 2 to 5 are read/ },
  {
    name: 'what torch.save writes',
    bytes: Buffer.from('PK\u0003\u0004'),
    said: /it is a zip archive, as torch\.save writes it/,
  },
  { name: 'what gzip writes', bytes: Buffer.of(0x1f, 0x8b, 8, 0), said: /it is compressed by gzip: unpack it first/ },
  { name: 'another dictionary', bytes: pickled(EMPTY_DICT, STOP), said: /it has neither device_traces nor segments/ },
]
