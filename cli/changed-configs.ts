/**
 * For `check --base`: the configs that a change touches or affects and their base, found as the Action finds them on
 * GitHub.
 */
import type { AnalyzeOptions } from '../engine/analyze.ts'
import type { AffectedConfigs } from '../engine/change/affected-configs.ts'
import { isCandidatePath } from '../engine/config/candidate-path.ts'
import type { SourceFile } from '../engine/config/reading.ts'
import type { IsolatedEngine } from '../engine/isolated/engine.ts'
import { globsLeftOut, type RepositorySettings } from '../engine/settings/settings.ts'
import { readRegular } from './files.ts'
import { changeSince } from './git-change.ts'

export interface ChangedConfigs extends Omit<AffectedConfigs, 'files'> {
  /** Candidates by name, and configs that depend on changed files. */
  readonly files: readonly SourceFile[]
  readonly base: NonNullable<AnalyzeOptions['base']>
}

/** `base`: the branch or commit to compare with. @throws MemoryMarkError if git does not know it. */
export async function readChange(
  base: string,
  settings: RepositorySettings,
  engine: Pick<IsolatedEngine, 'affectedConfigs' | 'countPaths'>,
): Promise<ChangedConfigs> {
  const { paths, removed, list, before } = await changeSince(base)
  const counted = await engine.countPaths(paths.filter(isCandidatePath), settings)
  const own = await read(counted.paths)
  const { files, formerVersions, remarks } = await engine.affectedConfigs({ paths, removed, files: own }, settings, {
    list,
    read,
    readBefore: asked => textsOf(asked, before),
  })
  const leftOut = counted.isWithinLimits ? [] : [globsLeftOut]
  return { files: [...own, ...files], formerVersions, remarks: [...leftOut, ...remarks], base: before }
}

function read(paths: readonly string[]): Promise<readonly SourceFile[]> {
  return textsOf(paths, path => readRegular(path).catch(() => undefined))
}

async function textsOf(
  paths: readonly string[],
  textOf: (path: string) => Promise<string | undefined>,
): Promise<readonly SourceFile[]> {
  const files: SourceFile[] = []
  for (const path of paths) {
    const text = await textOf(path)
    if (text !== undefined) files.push({ path, text })
  }
  return files
}
