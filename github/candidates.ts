/** Selects changed files that may be training configs. */
import {
  type Globs,
  globsLeftOut,
  type IsolatedEngine,
  isCandidatePath,
  isLauncherPath,
  isPythonPath,
} from '../engine/index.ts'

const MAX_FILES = 500
/** The most scripts: a repository has many, and few of them train. */
const MAX_SCRIPTS = 200

export interface Candidates {
  readonly paths: readonly string[]
  readonly remarks: readonly string[]
}

/** Files that the team's settings include, as many as can be read. */
export async function selectCandidates(
  engine: Pick<IsolatedEngine, 'countPaths'>,
  changed: readonly string[],
  globs: Globs,
): Promise<Candidates> {
  const counted = await engine.countPaths(changed.filter(isCandidatePath), globs)
  const uncounted = counted.isWithinLimits ? [] : [globsLeftOut]
  const paths = withFewScripts(counted.paths)
  if (paths.length <= MAX_FILES) return { paths, remarks: uncounted }
  const remark = `Only the first ${MAX_FILES} of ${paths.length} possible training configs are checked. Narrow them down with the setting paths.`
  return { paths: paths.slice(0, MAX_FILES), remarks: [...uncounted, remark] }
}

/** In order. If there are too many scripts, drops those whose names do not suggest training. */
function withFewScripts(paths: readonly string[]): readonly string[] {
  const scripts = paths.filter(isScript)
  if (scripts.length <= MAX_SCRIPTS) return paths
  const sounding = scripts.filter(soundsLikeTraining)
  const others = scripts.filter(path => !soundsLikeTraining(path))
  const chosen = new Set([...sounding, ...others.slice(0, Math.max(0, MAX_SCRIPTS - sounding.length))])
  return paths.filter(path => !isScript(path) || chosen.has(path))
}

function isScript(path: string): boolean {
  return isPythonPath(path) || isLauncherPath(path)
}

function soundsLikeTraining(path: string): boolean {
  return /train|tun(?:e|ing)|sft|dpo|grpo|lora|unsloth|yolo|peft/i.test(path)
}
