/** Writes docs/memorymark.schema.json, by which editors complete `.github/memorymark.yml`; `--check` compares. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { settingsFileForEditors } from '../engine/settings/schema.ts'
import { root } from './bundles.ts'

const file = path.join(root, 'docs/memorymark.schema.json')

// Draft 7 is what editors' YAML support reads without a gap.
const { $schema, ...schema } = z.toJSONSchema(settingsFileForEditors, { io: 'input', target: 'draft-7' })
const written = `${JSON.stringify({ $schema, title: 'MemoryMark settings', ...schema }, undefined, 2)}\n`

if (!process.argv.includes('--check')) {
  await writeFile(file, written)
} else if (written !== (await readFile(file, 'utf8'))) {
  console.error('docs/memorymark.schema.json is behind engine/settings/schema.ts. Run npm run docs and commit it.')
  process.exitCode = 1
}
