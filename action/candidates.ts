/** Which of the changed files may be training configs and are worth a request each. */
import { matchesGlob } from 'node:path'
import { isCandidatePath } from '../engine/index.ts'

/** A job's token has 1,000 requests an hour for the whole repository, and each file costs one. */
export const MAX_FILES = 500

export interface Candidates {
  readonly paths: readonly string[]
  readonly remarks: readonly string[]
}

/** `globs` empty takes every candidate. */
export function selectCandidates(changed: readonly string[], globs: readonly string[]): Candidates {
  const named = changed.filter(path => globs.length === 0 || globs.some(glob => matchesGlob(path, glob)))
  const paths = named.filter(isCandidatePath)
  if (paths.length <= MAX_FILES) return { paths, remarks: [] }
  const remark = `Only the first ${MAX_FILES} of ${paths.length} files that may be training configs are checked. Narrow them with the input paths.`
  return { paths: paths.slice(0, MAX_FILES), remarks: [remark] }
}
