/** Steps that every config shares before and after its dialect reads it. */

import { type LibraryVersions, versionedLibraries } from '../../training/versions.ts'
import type { Dialect } from '../dialect.ts'
import { withAllocatorSettings } from '../fields/allocator-settings.ts'
import type { FieldReader } from '../fields/fields.ts'
import { objectivesSaid, unreadMemorySettings, unreadSettings, withNamed } from '../fields/memory-settings.ts'
import { SETTINGS_PATH, type SuppliedFields } from '../fields/supplied.ts'
import type { AskedCard } from '../job/request.ts'
import type { Launched } from '../other-files/launched.ts'
import { type ChosenVersions, chosenVersions, concernedBy, versionSentences } from '../pinned/pinned-versions.ts'
import type { OtherFile, Reading } from '../reading.ts'
import type { Field, Section } from '../text/section.ts'
import type { Found } from './open-config.ts'

interface Allocating {
  readonly reading: Reading
  /** Where the config itself tells PyTorch's allocator something. */
  readonly variable?: Field | undefined
  /** The tool's name, where it turns expandable segments on itself. */
  readonly tool?: string | undefined
}

/** Reads a config with its dialect, and adds library versions, allocator settings, and the files that were opened. */
export function completed(
  { pinned, files, isTrainedBefore }: Found,
  supplied: SuppliedFields,
  reader: FieldReader,
  read: () => Allocating,
): Reading {
  const chosen = chosenVersions(pinned, supplied.versions)
  reader.versions = chosen.taken
  const { reading, variable, tool } = read()
  const allocating = withAllocatorSettings(withVersions(reading, chosen, reader), variable, reader, tool)
  const all = withFiles(withUnread(allocating, reader), files)
  return isTrainedBefore ? withOpenCode(all) : all
}

/** Before the config is read, so that the number of processes counts. */
export function tellLaunch(
  reader: FieldReader,
  { gpus, visible, assumptions, told = [] }: Pick<Launched, 'gpus' | 'visible' | 'assumptions' | 'told'>,
): void {
  reader.launched = { gpus }
  reader.visible = visible
  reader.toldByLaunch = told
  for (const sentence of assumptions) reader.assume(sentence)
}

/** Code that is not read may set more than was read: the verdict then only warns. */
export function withOpenCode(reading: Reading): Reading {
  return reading.kind === 'training-config' ? { ...reading, assumesCode: true } : reading
}

export function withAskedCard(reading: Reading, card: AskedCard | undefined): Reading {
  return reading.kind === 'training-config' && card !== undefined ? { ...reading, askedCard: card } : reading
}

export function withLaunch(reading: Reading, { isUnclear, card }: Launched): Reading {
  return withAskedCard(isUnclear ? withOpenCode(reading) : reading, card)
}

/** What looks like a setting of memory and was not read, in any format. */
export function withUnreadSettings(reading: Reading, document: Section, { withoutBearing }: Dialect): Reading {
  if (reading.kind !== 'training-config') return reading
  const { spec } = reading
  const objectives = spec.method === undefined ? objectivesSaid(document, spec) : []
  const unread = unreadSettings([...objectives, ...unreadMemorySettings(document, spec, withoutBearing)])
  return withNamed(reading, unread)
}

/** `supplied` wins over what the repository pins. */
function withVersions(reading: Reading, chosen: ChosenVersions, { dependsOnTrl }: FieldReader): Reading {
  if (reading.kind !== 'training-config') return reading
  const concerns = concernedBy(reading.spec, reading.model.config, dependsOnTrl)
  const taken: LibraryVersions = {}
  for (const library of versionedLibraries) {
    const version = chosen.taken[library]
    if (version !== undefined && concerns(library)) taken[library] = version
  }
  // What the tool itself takes for granted wins.
  const versions = { ...taken, ...reading.spec.versions }
  const spec = Object.keys(versions).length === 0 ? reading.spec : { ...reading.spec, versions }
  return {
    ...reading,
    spec,
    assumptions: [...reading.assumptions, ...versionSentences(chosen, spec.loop, concerns)],
  }
}

/** Settings that do not apply to this tool's configs are reported, not ignored. */
function withUnread(reading: Reading, { unread }: FieldReader): Reading {
  if (reading.kind !== 'training-config' || unread.length === 0) return reading
  const sentence = `${SETTINGS_PATH} supplies ${unread.join(', ')}, which do not apply to ${reading.dialect} configs.`
  return { ...reading, assumptions: [...reading.assumptions, sentence] }
}

function withFiles(reading: Reading, files: readonly OtherFile[]): Reading {
  if (reading.kind === 'not-a-training-config' || files.length === 0) return reading
  return { ...reading, otherFiles: files }
}
