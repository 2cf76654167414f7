/** What lies between two commits, file by file and line by line. */
import { owner } from './accounts.ts'
import type { Rest } from './rest.ts'

export interface Difference {
  readonly sha: string
  readonly filename: string
  readonly status: 'added' | 'removed' | 'modified' | 'renamed' | 'changed'
  readonly previous_filename?: string
  /** Unified hunks; missing where there are none, or too much to show. */
  readonly patch?: string
}

interface Comparison {
  readonly merge_base_commit: { readonly sha: string }
  /** The first 300. */
  readonly files: readonly { readonly filename: string; readonly patch?: string }[]
}

/** From the merge base to `head`, sorted by path. */
export async function difference(
  rest: Rest,
  fullName: string,
  base: string,
  head: string,
): Promise<readonly Difference[]> {
  const path = `/repos/${fullName}/compare/${base}...${head}`
  const { merge_base_commit: mergeBase, files } = await rest.json<Comparison>('GET', path, owner.token)
  const patches = new Map(files.map(({ filename, patch }) => [filename, patch]))
  const changed = compared(await entries(rest, fullName, mergeBase.sha), await entries(rest, fullName, head))
  return changed.map(file => {
    const patch = patches.get(file.filename)
    return patch === undefined ? file : { ...file, patch }
  })
}

/** Lines of the new side that a patch shows, and so the ones that can be commented on. */
export function shownLines(patch: string): ReadonlySet<number> {
  const shown = new Set<number>()
  let line = 0
  for (const text of patch.split('\n')) {
    const start = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(text)?.[1]
    if (start !== undefined) line = Number(start)
    else if (text.startsWith('+') || text.startsWith(' ')) shown.add(line++)
  }
  return shown
}

interface Entry {
  readonly path: string
  readonly sha: string
  readonly type: string
  readonly mode: string
}

/** Submodules too, by the SHA of their commit. */
async function entries(rest: Rest, fullName: string, sha: string): Promise<ReadonlyMap<string, Entry>> {
  const path = `/repos/${fullName}/git/trees/${sha}?recursive=1`
  const { tree } = await rest.json<{ tree: Entry[] }>('GET', path, owner.token)
  return new Map(tree.filter(({ type }) => type !== 'tree').map(entry => [entry.path, entry]))
}

function compared(before: ReadonlyMap<string, Entry>, after: ReadonlyMap<string, Entry>): Difference[] {
  const gone = new Map([...before].filter(([path]) => !after.has(path)))
  const changed: Difference[] = []
  for (const [filename, { sha, mode }] of after) {
    const earlier = before.get(filename)
    if (earlier?.sha === sha && earlier.mode === mode) continue
    const source = earlier === undefined ? [...gone].find(([, entry]) => entry.sha === sha)?.[0] : undefined
    if (source !== undefined) {
      gone.delete(source)
      changed.push({ sha, filename, status: 'renamed', previous_filename: source })
    } else changed.push({ sha, filename, status: statusOf(earlier, sha) })
  }
  for (const [filename, { sha }] of gone) changed.push({ sha, filename, status: 'removed' })
  return changed.sort((a, b) => (a.filename < b.filename ? -1 : 1))
}

/** GitHub calls a file of another mode or kind changed, and one of other contents modified. */
function statusOf(earlier: Entry | undefined, sha: string): Difference['status'] {
  if (earlier === undefined) return 'added'
  return earlier.sha === sha ? 'changed' : 'modified'
}
