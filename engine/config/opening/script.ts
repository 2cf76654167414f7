/** A script or a notebook in which a training was found, with what starts it. */
import { FieldReader } from '../fields/fields.ts'
import type { SuppliedFields } from '../fields/supplied.ts'
import { withUndeclared } from '../other-files/find-launched.ts'
import type { Launched } from '../other-files/launched.ts'
import type { Opened } from '../python/script.ts'
import type { Reading, ReadTraining, SourceFile } from '../reading.ts'
import { completed, tellLaunch, withLaunch } from './completed.ts'
import { named, type OpenConfig, type UnopenedFile } from './open-config.ts'

export function scriptConfig(
  opened: Opened,
  { path }: SourceFile,
  supplied: SuppliedFields,
  launched: Launched,
): OpenConfig | Exclude<Opened, { kind: 'open' }> {
  if (opened.kind !== 'open') return withoutCallers(opened)
  const { dialect, why, training } = opened
  const told = withUndeclared({ ...launched, card: launched.card ?? opened.card }, opened.undeclared)
  return {
    kind: 'open',
    dialect,
    why,
    ...named(supplied.model ?? opened.model, opened.deepSpeed),
    read: (found, reader = new FieldReader(path, supplied)) => {
      const read = () => {
        tellLaunch(reader, told)
        const reading = opened.read(reader, found.lookUp, found.deepSpeed)
        return { reading: withLaunch(reading, told) }
      }
      return ofTraining(completed(found, supplied, reader, read), training)
    },
    launchers: launched.files,
  }
}

/** Without what matters to the search for callers alone. */
export function withoutCallers({
  asksCallers: _,
  composesRead: __,
  because: ___,
  hasOwnLayers: ____,
  ...reading
}: Exclude<Opened, { kind: 'open' }>): UnopenedFile {
  return reading
}

/** Of a launcher that starts one alone, there is no choice to name. */
export function ofTraining(reading: Reading, training: ReadTraining | undefined): Reading {
  return reading.kind === 'not-a-training-config' || training === undefined ? reading : { ...reading, training }
}
