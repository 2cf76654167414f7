/**
 * `node:path` for the browser, which has none: the functions of its `posix` that the engine calls, with Node's own results.
 * The build of the playground puts this file in its place.
 */

function normalized(path: string): string {
  const isRooted = isAbsolute(path)
  const kept: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') kept.push(part)
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop()
    else if (!isRooted) kept.push('..')
  }
  const folders = kept.join('/')
  if (isRooted) return `/${folders}${folders !== '' && path.endsWith('/') ? '/' : ''}`
  if (folders === '') return path.endsWith('/') ? './' : '.'
  return path.endsWith('/') ? `${folders}/` : folders
}

function join(...parts: readonly string[]): string {
  const path = parts.filter(part => part !== '').join('/')
  return path === '' ? '.' : normalized(path)
}

/** Where the last part starts, and where it ends: slashes after it do not count. */
function lastPart(path: string): readonly [start: number, end: number] {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end--
  return [path.lastIndexOf('/', end - 1) + 1, end]
}

function basename(path: string): string {
  const [start, end] = lastPart(path)
  return end === 0 ? '' : path.slice(start, end)
}

function dirname(path: string): string {
  const [start, end] = lastPart(path)
  const slash = end === 0 ? -1 : start - 1
  if (slash < 1) return path.startsWith('/') ? '/' : '.'
  // Node, like POSIX, leaves two slashes at the start of a path alone.
  return slash === 1 && path.startsWith('//') ? '//' : path.slice(0, slash)
}

/** Of two relative paths: the browser has no working folder, and none of ours leads out of the repository. */
function relative(from: string, to: string): string {
  const [a, b] = [from, to].map(path =>
    normalized(path)
      .split('/')
      .filter(part => part !== '' && part !== '.'),
  )
  if (a === undefined || b === undefined) return ''
  let shared = 0
  while (shared < Math.min(a.length, b.length) && a[shared] === b[shared]) shared++
  return [...a.slice(shared).map(() => '..'), ...b.slice(shared)].join('/')
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/')
}

export const posix = { normalize: normalized, join, basename, dirname, relative, isAbsolute }
