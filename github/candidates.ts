/** Which of the changed files may be training configs and are read. */
import { isCandidatePath, isCounted, type RepositorySettings } from '../engine/index.ts'

const MAX_FILES = 500

export interface Candidates {
  readonly paths: readonly string[]
  readonly remarks: readonly string[]
}

/** Those that the team wants looked at, and not more than can be read. */
export function selectCandidates(
  changed: readonly string[],
  wanted: Pick<RepositorySettings, 'paths' | 'ignore'>,
): Candidates {
  const paths = changed.filter(path => isCandidatePath(path) && isCounted(path, wanted))
  if (paths.length <= MAX_FILES) return { paths, remarks: [] }
  const remark = `Only the first ${MAX_FILES} of ${paths.length} possible training configs are checked. Narrow them down with the setting paths.`
  return { paths: paths.slice(0, MAX_FILES), remarks: [remark] }
}
