/** File names and what files say, on a terminal. */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { report } from '../../engine/report/schema.ts'
import { Workspace } from './run-cli.ts'

const config = 'memorymark:\n  model: bert\n  batch_size: 3\n'
const invisible = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/u

/** Right-to-left override, an escape sequence that makes text red, a line break, and a separator of lines. */
const name = 'a\u202eyaml\u001b[31m\nfine: all\u2028.yaml'
const shown = 'a\\u202eyaml\\u001b[31m'

test.each([
  ['check', [name], config],
  ['check', ['.'], config],
  ['explain', [name], config],
  ['estimate', [name], config],
  ['sweep', [name, '--engine', 'estimate'], config],
])('%s shows what cannot be seen in the name of a config as an escape', async (command, args, text) => {
  await using workspace = await Workspace.with({ [name]: text })
  const { stdout, stderr } = await workspace.run(command, ...args)
  expect(stdout).toContain(shown)
  expect(stdout + stderr).not.toMatch(invisible)
  expect(stdout.split('\n').some(line => line.startsWith('fine: all'))).toBe(false)
})

test.each([
  ['estimate', [name], shown],
  ['check', ['--settings', name], shown],
  ['estimate', ['\u001b]0;title\u0007'], 'title'],
  ['\u001b[2J', [], '"\\u001b[2J" is not a command'],
])('%s %j shows it so in an error, on one line', async (command, args, words) => {
  await using workspace = await Workspace.with({ [name]: 'memorymark:\n  model: "\u202e\\e[31m"\n  batch_size: [3\n' })
  const { stdout, stderr, exitCode } = await workspace.run(command, ...args)
  expect(stderr + stdout).not.toMatch(invisible)
  expect(stderr).toContain(words)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(exitCode).toBe(2)
})

test('JSON has the name as it is', async () => {
  await using workspace = await Workspace.with({ [name]: config })
  const { stdout } = await workspace.run('check', '--json', '.')
  expect(report.parse(JSON.parse(stdout)).configs.map(({ path }) => path)).toEqual([name])
})

// Elsewhere the file system does not take such a name.
test.skipIf(process.platform !== 'linux')('check tells of names that are not UTF-8, and reads the others', async () => {
  await using workspace = await Workspace.with({ 'a.yaml': config })
  const at = (name: string) =>
    Buffer.concat([Buffer.from(`${workspace.folder}${path.sep}`), Buffer.from(name, 'latin1')])
  await writeFile(at('b\xff\n.yaml'), config)
  await mkdir(at('c\xfe'))
  await writeFile(at('c\xfe/d.yaml'), config)
  const { stdout, stderr } = await workspace.run('check', '.', '--json')
  expect(report.parse(JSON.parse(stdout)).configs.map(one => one.path)).toEqual(['a.yaml'])
  expect(stderr).toBe('b\ufffd\\n.yaml and 1 more cannot be read, because the name is not UTF-8. Rename it.\n')
})
