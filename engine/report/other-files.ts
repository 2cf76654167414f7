/** The files besides its own text that a config's figures rest on: its model's config.json, DeepSpeed's settings. */
import { isDeepStrictEqual } from 'node:util'
import type { OtherFile } from '../config/reading.ts'
import type { ConfigResult } from './schema.ts'

/** Whether two results rest on the same files, and on the same text of each. */
export function restOnSameFiles(a: ConfigResult | undefined, b: ConfigResult | undefined): boolean {
  return isDeepStrictEqual(filesOf(a), filesOf(b))
}

/** The result as if it had been read beside what the other was. */
export function restingOn(result: ConfigResult, other: ConfigResult | undefined): ConfigResult {
  const { otherFiles: _, ...rest } = result
  return { ...rest, ...(other?.otherFiles && { otherFiles: other.otherFiles }) }
}

function filesOf(result: ConfigResult | undefined): readonly OtherFile[] {
  return (result?.otherFiles ?? []).toSorted((a, b) => (a.path < b.path ? -1 : 1))
}
