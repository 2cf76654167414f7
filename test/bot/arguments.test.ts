import { expect, test } from 'vitest'
import { readCommand } from '../../bot/arguments.ts'

test.each([
  [[], { kind: 'serve' }],
  [['--help'], { kind: 'help' }],
  [['export', '--help'], { kind: 'help' }],
  [['--version'], { kind: 'version' }],
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
  [['--port', '3000']],
  [['--version', 'now']],
])('%j is refused with where the commands are listed', args => {
  expect(() => readCommand(args)).toThrow('`memorymark-bot --help` lists the commands')
})

test.each([
  [['docter'], '"docter" is not a command of memorymark-bot. Did you mean doctor?'],
  [['--hepl'], '"--hepl" is not an option of memorymark-bot. Did you mean --help?'],
])('%j is close to what was meant', (args, told) => {
  expect(() => readCommand(args)).toThrow(told)
})
