/** TOML, in which torchtitan keeps its settings: told and refused by name, as its commands are. Other tools' TOML is not read. */
import { unmodelledTools } from '../dialects/unmodelled-tools.ts'
import { MAX_CONFIG_BYTES } from '../document.ts'
import { FieldReader } from '../fields.ts'
import { plain } from '../quote.ts'
import type { Position, SourceFile } from '../reading.ts'
import type { Field, Section } from '../section.ts'
import { nestedSection, typed } from '../shell/arguments.ts'
import type { SuppliedFields } from '../supplied.ts'
import { named, notOurs, type OpenConfig, type UnopenedFile } from './open-config.ts'
import { isTorchtitan } from './quick-look.ts'

export async function openToml(file: SourceFile, supplied: SuppliedFields): Promise<OpenConfig | UnopenedFile> {
  if (!isTorchtitan(file.text) || (file.sizeBytes ?? file.text.length) > MAX_CONFIG_BYTES) return notOurs
  const document = await askedKeysIn(file.text)
  for (const dialect of unmodelledTools) {
    const why = dialect.recognise(document)
    if (why === undefined) continue
    return {
      kind: 'open',
      dialect: dialect.name,
      why,
      ...named(supplied.model, undefined),
      read: ({ lookUp, deepSpeed }, reader = new FieldReader(file.path, supplied)) =>
        dialect.read(document, reader, lookUp, deepSpeed),
    }
  }
  return notOurs
}

/** By which torchtitan's settings are known. */
const askedKeys = [
  ['model', 'flavor'],
  ['training', 'local_batch_size'],
  ['training', 'batch_size'],
] as const

/** None for invalid TOML. */
async function askedKeysIn(text: string): Promise<Section> {
  // The parser is loaded when the first such file asks for it.
  const { parsedToml, tableOf } = await import('../pinned/toml-file.ts')
  const top = parsedToml(text) ?? {}
  return nestedSection(
    askedKeys.flatMap(([table, key]): Field[] => {
      const value = tableOf(top[table])[key]
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return []
      const [name, written] = [`${table}.${key}`, String(value)]
      return [{ key: name, name, value: typed(written), at: placeOfValue(key, text), source: plain(written) }]
    }),
  )
}

/** Where the first key of that name has its value: the parser tells no places. */
function placeOfValue(key: string, text: string): Position {
  const upToValue = new RegExp(`^[ \\t]*${key}[ \\t]*=[ \\t]*`, 'm').exec(text)
  const lines = text.slice(0, upToValue ? upToValue.index + upToValue[0].length : 0).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}
