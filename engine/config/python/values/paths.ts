/** Paths that a script builds from its own: `Path(__file__).parent / "config.yaml"`. They are relative to the repository's root. */
import { posix } from 'node:path'
import type { Value } from './values.ts'

/** The folder of a path; unknown above the repository's root. */
export function folderOf(path: Value): Value | undefined {
  if (path.kind !== 'text') return path.kind === 'open' ? path : undefined
  const text = posix.dirname(path.text)
  return path.text === '.' || path.text === '/' || text.startsWith('..') ? undefined : { ...path, text }
}

/** What pathlib's `parent` and `parents` are. */
export function pathAttribute(path: Value, name: string): Value | undefined {
  if (name === 'parent') return folderOf(path)
  if (name !== 'parents') return undefined
  const items: Value[] = []
  for (let above = folderOf(path); above !== undefined && items.length < MAX_LEVELS; above = folderOf(above))
    items.push(above)
  return { ...path, kind: 'list', items }
}

const MAX_LEVELS = 20
