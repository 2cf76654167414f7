/**
 * Writes the inputs and outputs of action.yml into README.md, between `<!-- inputs -->` and `<!-- /inputs -->` and the
 * like for outputs. `--check` compares instead, and fails when README.md is behind.
 */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { markdownTable } from 'markdown-table'
import { parse } from 'yaml'
import * as z from 'zod'

const described = z.object({ description: z.string() })
const actionFile = z.object({
  inputs: z.record(z.string(), described.extend({ default: z.string() })),
  outputs: z.record(z.string(), described),
})

const root = path.join(import.meta.dirname, '..')
const readmePath = path.join(root, 'README.md')

const { inputs, outputs } = actionFile.parse(parse(await readFile(path.join(root, 'action.yml'), 'utf8')))
const readme = await readFile(readmePath, 'utf8')
const documented = replaceSection(replaceSection(readme, 'inputs', inputTable()), 'outputs', outputTable())

if (!process.argv.includes('--check')) {
  await writeFile(readmePath, documented)
} else if (documented !== readme) {
  console.error('README.md is behind action.yml. Run npm run docs and commit it.')
  process.exitCode = 1
}

function inputTable(): string {
  const rows = Object.entries(inputs).map(([name, input]) => [
    code(name),
    input.default === '' ? '' : code(input.default),
    cell(input.description),
  ])
  return markdownTable([['Input', 'Default', 'Meaning'], ...rows])
}

function outputTable(): string {
  return markdownTable([
    ['Output', 'Meaning'],
    ...Object.entries(outputs).map(([name, { description }]) => [code(name), cell(description)]),
  ])
}

function replaceSection(text: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const from = text.indexOf(start)
  const to = text.indexOf(end, from)
  if (from < 0 || to < 0) throw new Error(`README.md has no ${start} … ${end}.`)
  return `${text.slice(0, from + start.length)}\n${content}\n${text.slice(to)}`
}

function code(text: string): string {
  return `\`${text}\``
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
