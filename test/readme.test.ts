/** What the guides tell people to type, typed; what they name, there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { commandNames, usage } from '../bot/commands/command.ts'
import { root } from '../scripts/bundles.ts'
import { runIn } from './cli/run-cli.ts'

const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const readme = read('README.md')
const guides = `${readme}\n${read('docs/command-line.md')}`

const commands = Array.from(guides.matchAll(/^memorymark (.+?) +# exit code (\d)/gm), ([, command = '', exitCode]) => ({
  command,
  exitCode: Number(exitCode),
}))

it('shows each command with its exit code', () => {
  expect(commands).toHaveLength(guides.match(/^memorymark /gm)?.length ?? 0)
  expect(new Set(commands.map(({ exitCode }) => exitCode))).toEqual(new Set([0, 1, 2]))
})

it.each(commands)('memorymark $command ends with $exitCode', async ({ command, exitCode }) => {
  const run = await runIn(root, command.split(/ +/))
  expect(run.exitCode, run.stdout + run.stderr).toBe(exitCode)
  // An exit code of 2 has its reason on standard error; everything else is no error.
  expect(run.stderr === '').toBe(exitCode !== 2)
})

it('docs/bot.md names every command for a comment', () => {
  const guide = read('docs/bot.md')
  expect(commandNames.filter(name => !guide.includes(`\`/memorymark ${usage[name].form}\``))).toEqual([])
})

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(path.join(root, 'docs')).filter(isMarkdown).map(inDocs),
]

it.each(documents)('%s links to what exists', file => {
  const links = Array.from(read(file).matchAll(/\]\((?!https?:)([^)#]+)\)/g), ([, link = '']) => link)
  expect(links.filter(link => !existsSync(path.join(root, path.dirname(file), link)))).toEqual([])
})

it('the README links to the licence, which a reader looks for', () => {
  expect(readme).toContain('](LICENSE)')
})

it('the README is read in one go, and leads to every guide', () => {
  expect(readme.split('\n').length).toBeLessThanOrEqual(150)
  for (const guide of documents.filter(file => file.startsWith('docs/'))) expect(readme).toContain(`](${guide})`)
})

function isMarkdown(name: string): boolean {
  return name.endsWith('.md')
}

function inDocs(name: string): string {
  return `docs/${name}`
}
