/** What is parsed once, and what is not taken for it. */
import { expect, it } from 'vitest'
import { callExpression } from '../../../../engine/config/python/syntax/module.ts'
import { parsedModule } from '../../../../engine/config/python/syntax/parsed-modules.ts'

it('a text that is read again is not parsed again', () => {
  const module = parsedModule('train.py', 'batch = 8\n')
  expect(parsedModule('train.py', 'batch = 8\n')).toBe(module)
  expect(parsedModule('train.py', 'batch = 8\n', { readFor: 'train.py' })).toBe(module)
})

it('a call that is looked at again is not taken apart again', () => {
  const [call] = parsedModule('train.py', 'parser.add_argument("--batch", default=8)\n').calls.get('add_argument')!
  expect(callExpression(call!)?.arguments).toHaveLength(2)
  expect(callExpression(call!)).toBe(callExpression(call!))
})

it.each([
  ['another file', 'a.py', 'batch = 8\n', {}],
  ['another text', 'train.py', 'batch = 4\n', {}],
  ['one read for its launcher', 'train.py', 'batch = 8\n', { readFor: 'run.sh' }],
  ['one that is imported', 'train.py', 'batch = 8\n', { isImported: true }],
])('%s is another module', (_, path, text, options) => {
  const module = parsedModule('train.py', 'batch = 8\n')
  expect(parsedModule(path, text, options)).not.toBe(module)
})

it('few and short ones are kept', () => {
  const first = parsedModule('train.py', 'batch = 8\n')
  for (let index = 0; index < 16; index++) parsedModule(`${index}.py`, '')
  expect(parsedModule('train.py', 'batch = 8\n')).not.toBe(first)
  const long = parsedModule('long.py', `# ${'x'.repeat(1_000_000)}`)
  expect(parsedModule('long.py', long.text)).not.toBe(long)
})
