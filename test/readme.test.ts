/** What README.md tells people to type, typed. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../scripts/bundles.ts'

const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const readme = read('README.md')

const commands = Array.from(readme.matchAll(/^memorymark (.+?) +# exit code (\d)/gm), ([, command = '', exitCode]) => ({
  command,
  exitCode: Number(exitCode),
}))

it('shows each command with its exit code', () => {
  expect(commands).toHaveLength(readme.match(/^memorymark /gm)?.length ?? 0)
  expect(new Set(commands.map(({ exitCode }) => exitCode))).toEqual(new Set([0, 1, 2]))
})

it.each(commands)('memorymark $command ends with $exitCode', ({ command, exitCode }) => {
  const run = spawnSync(process.execPath, ['engine/cli/main.ts', ...command.split(/ +/)], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(run.status, run.stdout + run.stderr).toBe(exitCode)
  // An exit code of 2 has its reason on standard error; everything else is no error.
  expect(run.stderr === '').toBe(exitCode !== 2)
})

it('names every variable that the bot reads', () => {
  const variables = Array.from(read('bot/settings.ts').matchAll(/^ {2}([A-Z][A-Z_]+): z\b/gm), ([, name = '']) => name)
  expect(variables).toContain('WEBHOOK_SECRET')
  expect(variables.filter(name => !readme.includes(`\`${name}\``))).toEqual([])
})

it('links to what exists', () => {
  const links = Array.from(readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g), ([, link = '']) => link)
  expect(links).toContain('LICENSE')
  expect(links.filter(link => !existsSync(path.join(root, link)))).toEqual([])
})
