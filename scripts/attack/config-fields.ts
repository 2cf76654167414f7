/** Each field of each tool's configs, as the configs of bench/configs/training and examples/configs write them. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../bundles.ts'
import { fieldsOf, withHostileValues } from './fields.ts'
import type { HostileInput } from './input.ts'

const folders = ['bench/configs/training', 'examples/configs']

export function fieldsOfConfigs(): readonly HostileInput[] {
  const seen = new Set<string>()
  return configs().flatMap(({ tool, file, text }) =>
    fieldsOf(text).flatMap(field => {
      const key = `${tool} ${field.name}`
      if (seen.has(key)) return []
      seen.add(key)
      return withHostileValues(text, field, seen.size).map(
        (hostile): HostileInput => ({
          kind: 'files',
          name: `${tool}, ${hostile.name}`,
          filesIn: folder => ({ [`${folder}/${file}`]: hostile.text }),
        }),
      )
    }),
  )
}

function configs() {
  return folders.flatMap(folder =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && !entry.name.endsWith('.py'))
      .map(entry => path.join(entry.parentPath, entry.name))
      .toSorted()
      .map(file => ({
        tool: path.basename(path.dirname(file)),
        file: path.basename(file),
        text: readFileSync(file, 'utf8'),
      })),
  )
}
