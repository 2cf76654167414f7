/** TOML, in which torchtitan keeps its settings. Other tools' TOML is not read. */

import { MAX_CONFIG_BYTES } from '../../base/limits.ts'
import { FieldReader } from '../fields/fields.ts'
import type { SuppliedFields } from '../fields/supplied.ts'
import { type Launched, notLaunched } from '../other-files/launched.ts'
import type { SourceFile } from '../reading.ts'
import { completed, tellLaunch, withLaunch, withUnreadSettings } from './completed.ts'
import { named, notOurs, type OpenConfig, type UnopenedFile } from './open-config.ts'
import { isTorchtitan } from './quick-look.ts'

export async function openToml(
  file: SourceFile,
  supplied: SuppliedFields,
  launched: Launched = notLaunched,
): Promise<OpenConfig | UnopenedFile> {
  if (!isTorchtitan(file.text) || (file.sizeBytes ?? file.text.length) > MAX_CONFIG_BYTES) return notOurs
  // The parser and the dialect are loaded when the first such file asks for them.
  const { tomlSection } = await import('../text/toml-section.ts')
  const { torchtitan } = await import('../dialects/torchtitan.ts')
  const document = tomlSection(file.text)
  if (document === undefined) return unparsed(file)
  const why = torchtitan.recognise(document)
  if (why === undefined) return notOurs
  const started = document.overridden(launched.fields)
  return {
    kind: 'open',
    dialect: torchtitan.name,
    why,
    ...named(supplied.model ?? torchtitan.modelField(started), undefined),
    launchers: launched.files,
    read: (found, reader = new FieldReader(file.path, supplied)) =>
      completed(found, supplied, reader, () => {
        tellLaunch(reader, launched)
        const own = started.afresh()
        const reading = withUnreadSettings(torchtitan.read(own, reader, found.lookUp, found.deepSpeed), own, torchtitan)
        return { reading: withLaunch(reading, launched), tool: torchtitan.name }
      }),
  }
}

/** Its lines say that it is torchtitan's, which cannot parse it either. */
async function unparsed({ path, text }: SourceFile): Promise<UnopenedFile> {
  const { tomlFault } = await import('../text/toml-text.ts')
  const { why, ...at } = tomlFault(text) ?? { why: 'its tables lie too deep in each other' }
  const fix = 'Correct the TOML there: torchtitan does not start with it.'
  return {
    kind: 'unreadable',
    problems: [{ code: 'not-toml', file: path, ...at, message: `Not valid TOML: ${why}`, fix }],
  }
}
