/** Configs that take values from others of the repository, as NeMo RL's do: `defaults` names them. */
import { posix } from 'node:path'
import { MAX_PARENTS, parentsOf } from '../dialects/nemo-rl/parents.ts'
import { nemoRl } from '../dialects/nemo-rl.ts'
import { allocatorVariable } from '../fields/allocator-settings.ts'
import { FieldReader } from '../fields/fields.ts'
import type { SuppliedFields } from '../fields/supplied.ts'
import { findLaunched } from '../other-files/find-launched.ts'
import type { SourceFile } from '../reading.ts'
import { firstFile, isPlausibleName, placesFromLauncher, type Sources } from '../sources.ts'
import { parseFile } from '../text/document.ts'
import { allOf, quote } from '../text/quote.ts'
import { type Field, Section } from '../text/section.ts'
import { completed, tellLaunch, withLaunch, withUnreadSettings } from './completed.ts'
import { named, type OpenConfig } from './open-config.ts'

/** Undefined for what is none, and where no parent is there. `searched` notes no files. */
export async function openInherited(
  file: SourceFile,
  sources: Sources,
  supplied: SuppliedFields,
  searched: Sources,
): Promise<OpenConfig | undefined> {
  const own = firstMapping(file)
  if (own === undefined || parentsOf(own).length === 0) return undefined
  const found: Found = { paths: [], absent: [] }
  const base = await parentsUnder(own, file.path, sources, found)
  if (found.paths.length === 0) return undefined
  const why = nemoRl.recognise(withoutParents(own, found.absent).over(base))
  if (why === undefined) return undefined
  const launched = await findLaunched(file.path, searched)
  const whole = () => Section.of([]).overridden(launched.fields).over(withoutParents(own, found.absent).over(base))
  return {
    kind: 'open',
    dialect: nemoRl.name,
    why,
    ...named(supplied.model ?? nemoRl.modelField(whole()), undefined),
    launchers: launched.files,
    read: (known, reader = new FieldReader(file.path, supplied)) =>
      completed(known, supplied, reader, () => {
        tellLaunch(reader, launched)
        reader.assume(`It takes what it does not say from ${allOf(found.paths.map(quote))} (defaults).`)
        const document = whole()
        const reading = withUnreadSettings(
          nemoRl.read(document, reader, known.lookUp, known.deepSpeed),
          document,
          nemoRl,
        )
        return { reading: withLaunch(reading, launched), variable: allocatorVariable(document) }
      }),
  }
}

interface Found {
  readonly paths: string[]
  /** As written, of files that are not there. */
  readonly absent: string[]
}

/** What the parents of a config say, of which later ones win. */
async function parentsUnder(own: Section, path: string, sources: Sources, found: Found): Promise<Section> {
  let base = Section.of([])
  for (const name of parentsOf(own)) {
    const places = name.startsWith('/') ? placesFromLauncher(name, path) : [posix.join(posix.dirname(path), name)]
    const within = places.filter(place => !place.startsWith('..'))
    const parent =
      found.paths.length < MAX_PARENTS && isPlausibleName(name) ? await firstFile(within, sources) : undefined
    const mapping = parent && firstMapping(parent)
    if (parent === undefined || mapping === undefined || found.paths.includes(parent.path)) {
      found.absent.push(name)
      continue
    }
    found.paths.push(parent.path)
    const grandparents = await parentsUnder(mapping, parent.path, sources, found)
    base = withoutParents(mapping.writtenIn(parent.path), []).over(grandparents).over(base)
  }
  return base
}

function firstMapping(file: SourceFile): Section | undefined {
  const parsed = parseFile(file)
  return parsed.kind === 'unreadable' ? undefined : parsed.mappings[0]
}

/** With those parents alone that are not there. */
function withoutParents(section: Section, absent: readonly string[]): Section {
  const fields = [...section.fields.values()].flatMap((field): Field[] => {
    if (field.key !== 'defaults') return [field]
    const { at, source } = field
    const items = absent.map(text => ({ kind: 'text' as const, text, at, source }))
    return absent.length === 0 ? [] : [{ ...field, value: { kind: 'list', items } }]
  })
  return Section.of(fields)
}
