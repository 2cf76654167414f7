import { expect, test } from 'vitest'
import { accessNeeded } from '../../../bot/commands/access.ts'
import { commandNames, usage } from '../../../bot/commands/command.ts'
import { help } from '../../../bot/commands/help.ts'

test('help lists every command in its form, and who may ask for it', () => {
  const { reply = '', reaction } = help()
  expect(reaction).toBe('+1')
  const listed = Array.from(reply.matchAll(/^- `\/memorymark ([^`]+)` .*$/gm), ([line, form]) => [
    form,
    line.endsWith('(write access).'),
  ])
  expect(listed).toEqual(commandNames.map(name => [usage[name].form, accessNeeded(name) === 'write']))
})

test('who may only read can ask for what tells, and for nothing that does', () => {
  expect(commandNames.filter(name => accessNeeded(name) === 'anyone')).toEqual(['help', 'explain'])
})

test('no line of the help is a command itself', () => {
  expect(help().reply).not.toMatch(/^\/memorymark/m)
})
