/** The generated parts of a document, each between `<!-- name -->` and `<!-- /name -->`. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { root } from './bundles.ts'

/** Writes the sections into `document`; with `--check` compares them, and fails if they are out of date. */
export async function documentSections(
  document: string,
  sections: Readonly<Record<string, string>>,
  source: string,
): Promise<void> {
  const file = path.join(root, document)
  const before = await readFile(file, 'utf8')
  const after = Object.entries(sections).reduce(
    (text, [name, content]) => replaceSection(document, text, { name, content }),
    before,
  )
  if (!process.argv.includes('--check')) {
    await writeFile(file, after)
  } else if (after !== before) {
    console.error(`${document} is behind ${source}. Run npm run docs and commit it.`)
    process.exitCode = 1
  }
}

function replaceSection(
  document: string,
  text: string,
  { name, content }: { readonly name: string; readonly content: string },
): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const from = text.indexOf(start)
  const to = text.indexOf(end, from)
  if (from < 0 || to < 0) throw new Error(`${document} has no ${start} … ${end}.`)
  return `${text.slice(0, from + start.length)}\n${content}\n${text.slice(to)}`
}
