/**
 * Adds a model to the catalogue: `npm run add-model -- <owner/name> <config.json> [--source "where the file is from"]`. Of the
 * config.json it keeps what the schema of its family reads. Says how many parameters the model has, to be compared with its card.
 */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { specOf } from '../engine/config/adjusted-spec.ts'
import { Footprint } from '../engine/estimate/footprint.ts'
import { catalogueRows, describeModel, modelIds } from '../engine/models/catalogue.ts'
import { type ConfigJson, readConfigJson } from '../engine/models/config-json.ts'
import { root } from './bundles.ts'
import { catalogueText, withModel } from './catalogue-rows.ts'

const { values, positionals } = parseArgs({ options: { source: { type: 'string' } }, allowPositionals: true })
const [id = '', file = ''] = positionals
const why =
  positionals.length === 2 ? await add(id, file, values.source) : 'it takes an id and the path of its config.json'
if (why !== undefined) {
  console.error(
    `Nothing was added: ${why}.\nnpm run add-model -- <owner/name> <config.json> [--source "where the file is from"]`,
  )
  process.exitCode = 1
}

/** Returns why nothing was added, if so. */
async function add(id: string, file: string, source?: string): Promise<string | undefined> {
  if (!/^[\w.-]+\/[\w.-]+$/.test(id)) return `"${id}" is not an id of the Hub, such as Qwen/Qwen3-8B`
  if (modelIds.some(known => known.toLowerCase() === id.toLowerCase())) return `${id} is in the catalogue already`
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return `${file} cannot be opened`
  const read = readConfigJson(text)
  if (read.kind !== 'config') return `${file} ${whyNot(read)}`
  const rows = withModel(catalogueRows, { id, ...read, source })
  await writeFile(path.join(root, 'engine/models/catalogue.json'), catalogueText(rows))
  const { parameterCount } = new Footprint(specOf(describeModel(id, read.config)), read.config)
  console.log(`Added ${id}: ${parameterCount.toLocaleString('en-US')} parameters. Compare them with its card.`)
  return undefined
}

function whyNot(read: Exclude<ConfigJson, { kind: 'config' }>): string {
  switch (read.kind) {
    case 'unsupported':
      return `is of an architecture that has no file in engine/models yet: ${read.architecture}`
    case 'not-a-model':
      return 'does not say what kind of model it is (model_type)'
    case 'invalid':
      return `cannot be read: ${read.why}`
  }
}
