/** Files of keys: YAML, JSON and TOML. */
import type { Problem } from '../../base/errors.ts'
import { dialects } from '../dialects.ts'
import { allocatorVariable } from '../fields/allocator-settings.ts'
import { FieldReader } from '../fields/fields.ts'
import { lengthsSaid, shardingSaid, unreadSettings, withNamed } from '../fields/memory-settings.ts'
import { addModel, type SuppliedFields } from '../fields/supplied.ts'
import { whyPart } from '../other-files/composed-part.ts'
import { withUndeclared } from '../other-files/find-launched.ts'
import { type Launched, notLaunched } from '../other-files/launched.ts'
import type { LoadingScript, NotModelled } from '../other-files/loading-script.ts'
import { whyRecord } from '../other-files/run-record.ts'
import { isPythonPath } from '../python/quick-look.ts'
import type { Reading, SourceFile } from '../reading.ts'
import { isLauncherPath } from '../shell/quick-look.ts'
import { parseFile } from '../text/document.ts'
import { completed, tellLaunch, withLaunch, withUnreadSettings } from './completed.ts'
import { named, notOurs, type OpenConfig, type Unopened } from './open-config.ts'
import { mayBeTrainingConfig } from './quick-look.ts'

/** The first document and the first dialect that recognises it, in the order in which they stand. Scripts and launchers are none. */
export function openConfig(
  file: SourceFile,
  supplied: SuppliedFields = {},
  launched: Launched = notLaunched,
): OpenConfig | Unopened {
  if (isPythonPath(file.path) || isLauncherPath(file.path) || !mayBeTrainingConfig(file)) return notOurs
  const parsed = parseFile(file)
  if (parsed.kind === 'unreadable') return parsed
  for (const document of parsed.mappings) {
    for (const dialect of dialects) {
      const why = dialect.recognise(document)
      if (why === undefined) continue
      const record = whyRecord(document, file.path)
      if (record !== undefined) return { kind: 'not-a-training-config', why: record }
      const started = document.overridden(launched.fields)
      const part = whyPart(started, file.path, supplied.model ?? dialect.modelField(started))
      if (part !== undefined) return { kind: 'not-a-training-config', why: part }
      return {
        kind: 'open',
        dialect: dialect.name,
        why,
        ...named(supplied.model ?? dialect.modelField(started), dialect.deepSpeedField?.(started)),
        launchers: launched.files,
        mayBeLoaded: dialect.mayBeLoaded?.(document) ?? false,
        namesClasses: dialect.namesClasses?.(document) ?? false,
        classField: dialect.classField?.(document),
        read: (found, reader = new FieldReader(file.path, supplied)) => {
          const tool = dialect.expandsSegments && dialect.name
          const variable = file.text.includes('_ALLOC_CONF') ? allocatorVariable(document) : undefined
          return completed(found, supplied, reader, () => {
            tellLaunch(reader, launched)
            tellRepeated(reader, parsed.repeated)
            const own = started.afresh()
            const reading = withUnreadSettings(dialect.read(own, reader, found.lookUp, found.deepSpeed), own, dialect)
            return { reading: withLaunch(reading, launched), variable, tool }
          })
        },
      }
    }
  }
  return notOurs
}

/** A file of keys, read as the script that loads it makes of them. */
export function loadedConfig(
  { file: script, script: opened, sentence, isUnclear }: LoadingScript,
  file: SourceFile,
  supplied: SuppliedFields,
  launched: Launched,
): OpenConfig {
  const files = [...launched.files, ...(script === undefined ? [] : [script])]
  const told = withUndeclared(
    { ...launched, ...(isUnclear && { isUnclear }), assumptions: [sentence, ...launched.assumptions], files },
    opened.undeclared,
  )
  return {
    kind: 'open',
    dialect: opened.dialect,
    why: opened.why,
    ...named(supplied.model ?? opened.model, opened.deepSpeed),
    launchers: told.files,
    read: (found, reader = new FieldReader(file.path, supplied)) =>
      completed(found, supplied, reader, () => {
        tellLaunch(reader, told)
        const reading = withUnreadSaid(opened.read(reader, found.lookUp, found.deepSpeed), file, launched)
        return { reading: withLaunch(reading, told) }
      }),
  }
}

/** The launcher may divide by what the file says and the script does not read, and the script cut to a length in ways that are not followed. */
function withUnreadSaid(reading: Reading, file: SourceFile, { fields }: Launched): Reading {
  if (reading.kind !== 'training-config') return reading
  const { sharding, sequenceLength } = reading.spec
  const parsed = parseFile(file)
  const mappings = parsed.kind === 'unreadable' ? [] : parsed.mappings
  const said = mappings.flatMap(document => [
    ...(sharding === undefined ? shardingSaid(document.overridden(fields)) : []),
    ...lengthsSaid(document, sequenceLength),
  ])
  return withNamed(reading, unreadSettings(said))
}

/** A config whose code trains what is not known: like that code, it is no training config where the layers are its own. */
export function notModelledConfig(
  opened: OpenConfig,
  { path }: SourceFile,
  supplied: SuppliedFields,
  { why, hasOwnLayers }: NotModelled,
): OpenConfig {
  return {
    ...opened,
    read: (found, reader = new FieldReader(path, supplied)) =>
      completed(found, supplied, reader, () => {
        if (hasOwnLayers) {
          const none = `Its model is none of a library: ${why}. ${addModel}`
          return { reading: { kind: 'not-a-training-config', why: none } }
        }
        reader.refuse(opened.classField, 'model-not-modelled', `The model cannot be determined: ${why}`, addModel)
        return { reading: { kind: 'unreadable', problems: reader.problems } }
      }),
  }
}

function tellRepeated(reader: FieldReader, repeated: readonly Problem[]): void {
  for (const { message, line } of repeated.slice(0, MAX_REPEATED))
    reader.assume(`${message}: the last counts (line ${line}).`)
}

/** Keys set twice that are told. */
const MAX_REPEATED = 3
