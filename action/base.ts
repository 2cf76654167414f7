/** What a file held before the change that is looked at. */
import type { AnalyzeOptions } from '../engine/index.ts'
import type { ChangedFiles } from './changed-files.ts'
import { fetchText } from './contents.ts'
import type { Subject } from './event.ts'
import type { GitHub } from './github.ts'
import type { Repository } from './repository.ts'

/** Undefined where the subject is no change. `changed` is asked only when a config's base is. */
export function baseOf(
  github: GitHub,
  repository: Repository,
  subject: Subject,
  changed: () => Promise<Pick<ChangedFiles, 'formerPaths'>>,
): AnalyzeOptions['base'] {
  if (subject.kind === 'tree') return undefined
  return async path => {
    const { formerPaths } = await changed()
    return fetchText(github, repository, subject.baseSha, formerPaths.get(path) ?? path)
  }
}
