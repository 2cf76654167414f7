/** Settings that an enumeration names. */
import { expect, it } from 'vitest'
import { finetuning, problems, trained } from '../scripts.ts'

const made = (members: string, base = 'Enum') => `from enum import Enum, IntEnum\nclass Size(${base}):\n    ${members}`
const asked = 'per_device_train_batch_size=Size.SMALL.value'

it.each(['Enum', 'IntEnum', 'str, Enum'])('a member of class(%s) has the value that it is bound to', async base => {
  const { spec } = await trained(finetuning(made('SMALL = 12\n    LARGE = 48', base), asked))
  expect(spec.microBatch).toBe(12)
})

it.each([
  ['a class of other kind', made('SMALL = 12', 'object')],
  ['one that makes its values', made('SMALL = 6\n    def __init__(self, n):\n        self._value_ = n * 2')],
  ['a number that it counts', made('SMALL = auto()')],
])('%s is asked for', async (_, above) => {
  expect(await problems(finetuning(above, asked))).toMatchObject([{ code: 'not-in-file' }])
})
