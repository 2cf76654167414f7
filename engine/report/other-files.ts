/**
 * The files that a config's figures depend on besides its own: its model's config.json, DeepSpeed's JSON, files that
 * pin library versions.
 */

import { isSameData } from '../base/same-data.ts'
import type { OtherFile } from '../config/reading.ts'
import type { LibraryVersions } from '../training/versions.ts'
import type { ConfigResult } from './schema.ts'

/** Whether two results depend on the same files with the same text, and on the same library versions. */
export function restOnSameFiles(a: ConfigResult | undefined, b: ConfigResult | undefined): boolean {
  return isSameData(filesOf(a), filesOf(b)) && isSameData(versionsOf(a), versionsOf(b))
}

/** `result` with the other files of `other`. */
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
