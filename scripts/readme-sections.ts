/** The generated parts of README.md, each between `<!-- name -->` and `<!-- /name -->`. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { root } from './bundles.ts'

const readmePath = path.join(root, 'README.md')

/** Writes the sections, or with `--check` compares them and fails when README.md is behind `source`. */
export async function documentSections(sections: Readonly<Record<string, string>>, source: string): Promise<void> {
  const readme = await readFile(readmePath, 'utf8')
  const documented = Object.entries(sections).reduce(
    (text, [name, content]) => replaceSection(text, name, content),
    readme,
  )
  if (!process.argv.includes('--check')) {
    await writeFile(readmePath, documented)
  } else if (documented !== readme) {
    console.error(`README.md is behind ${source}. Run npm run docs and commit it.`)
    process.exitCode = 1
  }
}

function replaceSection(text: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const from = text.indexOf(start)
  const to = text.indexOf(end, from)
  if (from < 0 || to < 0) throw new Error(`README.md has no ${start} … ${end}.`)
  return `${text.slice(0, from + start.length)}\n${content}\n${text.slice(to)}`
}
