/** DeepSpeed's settings in a file of their own, which a training config names: found where the tools look, read as configs are. */
import { posix } from 'node:path'
import type { Problem } from '../../base/errors.ts'
import { MAX_CONFIG_BYTES } from '../../base/limits.ts'
import type { SourceFile } from '../reading.ts'
import { firstFile, isPlausibleName, placesInProject, type Sources } from '../sources.ts'
import { parseFile } from '../text/document.ts'
import type { Section } from '../text/section.ts'

export type DeepSpeedFile =
  | { readonly kind: 'read'; readonly path: string; readonly settings: Section }
  /** `why`: what is wrong with it, a clause that does not quote the file, which may be private. */
  | { readonly kind: 'unusable'; readonly path: string; readonly why: string }
  /** None that can be read, at any of these paths. */
  | { readonly kind: 'not-found'; readonly lookedAt: readonly string[] }
  /** Nothing outside the repository is opened. */
  | { readonly kind: 'outside' }
  /** The config names no such file, or there is no repository to search. */
  | { readonly kind: 'not-looked-for' }

export const notLookedFor: DeepSpeedFile = { kind: 'not-looked-for' }

/** `configPath`: the path of the config that names the file. */
export async function findDeepSpeedFile(
  name: string | undefined,
  sources: Pick<Sources, 'readFile'>,
  configPath: string,
): Promise<DeepSpeedFile> {
  if (name === undefined || name === '' || sources.readFile === undefined || !isPlausibleName(name)) return notLookedFor
  const lookedAt = isForeign(name) ? [] : placesInProject(name, configPath).filter(path => isInside(path, configPath))
  if (lookedAt.length === 0) return { kind: 'outside' }
  const found = await firstFile(lookedAt, sources)
  return found === undefined ? { kind: 'not-found', lookedAt } : settingsIn(found)
}

/** An absolute path, an address or a path of Windows. */
function isForeign(name: string): boolean {
  return name.startsWith('/') || name.includes('\\') || /^[a-z][\w+.-]*:/i.test(name)
}

/** Below the root, or, for a config that the command line was given from elsewhere, in that config's own folder. */
function isInside(path: string, configPath: string): boolean {
  return !climbs(path) || !climbs(posix.relative(posix.dirname(configPath), path))
}

function climbs(path: string): boolean {
  return path === '..' || path.startsWith('../')
}

function settingsIn(file: SourceFile): DeepSpeedFile {
  const { path } = file
  const parsed = parseFile(file)
  // DeepSpeed refuses a key that stands twice (`dict_raise_error_on_duplicate_keys`).
  const problem = parsed.kind === 'unreadable' ? parsed.problems[0] : parsed.repeated[0]
  if (parsed.kind === 'unreadable' || problem) return { kind: 'unusable', path, why: unreadableBecause(problem) }
  const [settings, ...others] = parsed.mappings
  if (settings === undefined || others.length > 0) return { kind: 'unusable', path, why: 'is not a single mapping' }
  // accelerate's DeepSpeedPlugin does not start without it.
  if (settings.at('zero_optimization') === undefined) {
    return { kind: 'unusable', path, why: 'has no zero_optimization' }
  }
  return { kind: 'read', path, settings: settings.writtenIn(path) }
}

function unreadableBecause(problem: Problem | undefined): string {
  if (problem?.code === 'file-too-large') return `is larger than the limit of ${MAX_CONFIG_BYTES / 1_000} kB`
  return problem?.line === undefined ? 'cannot be parsed' : `cannot be parsed at line ${problem.line}`
}
