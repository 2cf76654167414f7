/** TOML, in which torchtitan keeps its settings: told and refused by name, as its commands are. Other tools' TOML is not read. */
import { unmodelledTools } from '../dialects/unmodelled-tools.ts'
import { MAX_CONFIG_BYTES } from '../document.ts'
import { FieldReader } from '../fields.ts'
import { plain } from '../quote.ts'
import type { SourceFile } from '../reading.ts'
import type { Field, Section } from '../section.ts'
import { nestedSection, typed } from '../shell/arguments.ts'
import type { SuppliedFields } from '../supplied.ts'
import { named, notOurs, type OpenConfig, type UnopenedFile } from './open-config.ts'
import { isTorchtitan } from './quick-look.ts'

export function openToml(file: SourceFile, supplied: SuppliedFields): OpenConfig | UnopenedFile {
  if (!isTorchtitan(file.text) || (file.sizeBytes ?? file.text.length) > MAX_CONFIG_BYTES) return notOurs
  const document = tablesIn(file.text)
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

/** Keys with a value on their own line, in their tables; what goes over several lines is left out. */
function tablesIn(text: string): Section {
  let table = ''
  const fields = text.split('\n').flatMap((written, index): Field[] => {
    const [, opened] = /^\s*\[([\w.-]{1,200})\]/.exec(written) ?? []
    if (opened !== undefined) table = `${opened}.`
    const [, before = '', key, value = ''] = /^(\s*([\w-]+)\s*=\s*)("[^"]*"|[^#\s]*)/.exec(written) ?? []
    if (key === undefined || value === '') return []
    const name = `${table}${key}`
    const at = { line: index + 1, column: before.length + 1 }
    return [{ key: name, name, value: typed(value.replaceAll('"', '')), at, source: plain(value) }]
  })
  return nestedSection(fields)
}
