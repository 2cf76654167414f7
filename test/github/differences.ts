/** What lies between two commits, file by file and line by line. */
import { owner } from './accounts.ts'
import type { Rest } from './rest.ts'

export interface Difference {
  readonly sha: string
  readonly filename: string
  readonly status: 'added' | 'removed' | 'modified' | 'renamed'
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
  const changed = compared(await blobs(rest, fullName, mergeBase.sha), await blobs(rest, fullName, head))
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

async function blobs(rest: Rest, fullName: string, sha: string): Promise<ReadonlyMap<string, string>> {
  const path = `/repos/${fullName}/git/trees/${sha}?recursive=1`
  const { tree } = await rest.json<{ tree: { path: string; sha: string; type: string }[] }>('GET', path, owner.token)
  return new Map(tree.filter(({ type }) => type === 'blob').map(entry => [entry.path, entry.sha]))
}

function compared(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): Difference[] {
  const gone = new Map([...before].filter(([path]) => !after.has(path)))
  const changed: Difference[] = []
  for (const [filename, sha] of after) {
    if (before.get(filename) === sha) continue
    const source = before.has(filename) ? undefined : [...gone].find(([, goneSha]) => goneSha === sha)?.[0]
    if (source === undefined) changed.push({ sha, filename, status: before.has(filename) ? 'modified' : 'added' })
    else {
      gone.delete(source)
      changed.push({ sha, filename, status: 'renamed', previous_filename: source })
    }
  }
  for (const [filename, sha] of gone) changed.push({ sha, filename, status: 'removed' })
  return changed.sort((a, b) => (a.filename < b.filename ? -1 : 1))
}
