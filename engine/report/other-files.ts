/** What a config's figures rest on besides its own text: its model's config.json, DeepSpeed's settings, its libraries' versions. */

import type { OtherFile } from '../config/reading.ts'
import type { LibraryVersions } from '../config/versions.ts'
import { isSameData } from '../same-data.ts'
import type { ConfigResult } from './schema.ts'

/** Whether two results rest on the same files, on the same text of each, and on the same versions of libraries. */
export function restOnSameFiles(a: ConfigResult | undefined, b: ConfigResult | undefined): boolean {
  return isSameData(filesOf(a), filesOf(b)) && isSameData(versionsOf(a), versionsOf(b))
}

/** The result as if it had been read beside what the other was. */
export function restingOn(result: ConfigResult, other: ConfigResult | undefined): ConfigResult {
  const { otherFiles: _, ...rest } = result
  return { ...rest, ...(other?.otherFiles && { otherFiles: other.otherFiles }) }
}

function filesOf(result: ConfigResult | undefined): readonly OtherFile[] {
  return (result?.otherFiles ?? []).toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

function versionsOf(result: ConfigResult | undefined): LibraryVersions {
  return (result?.status === 'analysed' && result.spec.versions) || {}
}
