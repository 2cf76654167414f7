/** Writes the inputs and outputs of action.yml into docs/action.md; `--check` compares. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { markdownTable } from 'markdown-table'
import { parse } from 'yaml'
import * as z from 'zod'
import { root } from './bundles.ts'
import { documentSections } from './document-sections.ts'

const described = z.object({ description: z.string() })
const actionFile = z.object({
  inputs: z.record(z.string(), described.extend({ default: z.string() })),
  outputs: z.record(z.string(), described),
})

const { inputs, outputs } = actionFile.parse(parse(await readFile(path.join(root, 'action.yml'), 'utf8')))
await documentSections('docs/action.md', { inputs: inputTable(), outputs: outputTable() }, 'action.yml')

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

function code(text: string): string {
  return `\`${text}\``
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
