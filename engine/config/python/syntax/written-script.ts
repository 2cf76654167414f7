/** Scripts that a notebook writes with `%%writefile`, and starts in a later cell. */
import { posix } from 'node:path'
import { jsonStrings } from './json-strings.ts'

/** In JSON. */
const writes = /^(?:\\n|\s)*%%(?:writefile|file)\s+(-a\s+|--append\s+)?([^\s"'\\]+)\s*(?:\\n|$)/

/**
 * The notebook in which only the cell that writes the script is left, as Python, and all else is blank: of the same length, so that
 * every place in it is one in the notebook. Undefined where no cell writes it, or several do.
 */
export function withWrittenScript(json: string, script: string): string | undefined {
  const sources: { readonly cell: number; readonly from: number; readonly to: number }[] = []
  const writing: { readonly cell: number; readonly from: number }[] = []
  for (const { path, from, to } of jsonStrings(json)) {
    const [top, cell, key] = path
    if (top !== 'cells' || typeof cell !== 'number' || key !== 'source') continue
    const isFirst = sources.at(-1)?.cell !== cell
    sources.push({ cell, from, to })
    const [, appends, name] = (isFirst && writes.exec(json.slice(from, to))) || []
    if (name === undefined || !isSame(name, script)) continue
    if (appends !== undefined) return undefined
    writing.push({ cell, from: json.indexOf('%%', from) })
  }
  const [only] = writing
  if (only === undefined || writing.length > 1) return undefined
  const parts: string[] = []
  let end = 0
  const replace = (from: number, by: string) => {
    parts.push(json.slice(end, from), by)
    end = from + by.length
  }
  for (const { cell, from, to } of sources) {
    if (cell !== only.cell) replace(from, ' '.repeat(to - from))
    else if (only.from >= from && only.from < to) replace(only.from, '#')
  }
  return parts.join('') + json.slice(end)
}

/** `/content/train.py` is `train.py` of a notebook that runs in that folder. */
function isSame(written: string, started: string): boolean {
  const [one, other] = [posix.normalize(written), posix.normalize(started)]
  const endsIn = (path: string, end: string) => path.startsWith('/') && path.endsWith(`/${end}`)
  return one === other || endsIn(one, other) || endsIn(other, one)
}
