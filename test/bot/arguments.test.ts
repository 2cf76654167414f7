import { expect, test } from 'vitest'
import { readCommand } from '../../bot/arguments.ts'

test.each([
  [[], { kind: 'serve' }],
  [['doctor'], { kind: 'doctor' }],
  [['export', '100'], { kind: 'export', installationId: 100 }],
  [['delete', '100'], { kind: 'delete', installationId: 100 }],
])('%j', (args, command) => {
  expect(readCommand(args)).toEqual(command)
})

test.each([
  [['serve']],
  [['doctor', 'now']],
  [['export']],
  [['delete', 'all']],
  [['delete', '100', '101']],
  [['delete', '-1']],
])('%j is refused with what can be asked', args => {
  expect(() => readCommand(args)).toThrow('`memorymark-bot delete <installation>`')
})
