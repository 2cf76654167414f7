/** Which of the changed files may be training configs and are worth a request each. */
import { isCandidatePath, isCounted, type RepositorySettings } from '../engine/index.ts'

/** A job's token has 1,000 requests an hour for the whole repository, and each file costs one. */
const MAX_FILES = 500

export interface Candidates {
  readonly paths: readonly string[]
  readonly remarks: readonly string[]
}

export function selectCandidates(
  changed: readonly string[],
  wanted: Pick<RepositorySettings, 'paths' | 'ignore'>,
): Candidates {
  const paths = changed.filter(path => isCandidatePath(path) && isCounted(path, wanted))
  if (paths.length <= MAX_FILES) return { paths, remarks: [] }
  const remark = `Only the first ${MAX_FILES} of ${paths.length} possible training configs are checked. Narrow them down with the input paths.`
  return { paths: paths.slice(0, MAX_FILES), remarks: [remark] }
}
