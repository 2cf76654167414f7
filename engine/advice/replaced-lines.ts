/** The difference between two texts as replaced and added lines. */

import { isSameData } from '../base/same-data.ts'
import type { ReplacedLine } from '../report/advised-levers.ts'
import { linesOf } from '../report/changed-lines.ts'

/** The most lines added in one place. */
const MAX_ADDED = 12

/** The most lines of one change. */
const MAX_LINES = 20

/**
 * Undefined if the difference cannot be expressed line by line. Added lines come together with the line that they
 * precede, or at the end with the last line.
 */
export function replacedLines(before: string, after: string): readonly ReplacedLine[] | undefined {
  const [old, changed] = [linesOf(before), linesOf(after)]
  const replaced: ReplacedLine[] = []
  let at = 0
  for (const [index, line] of old.entries()) {
    const same = changed.slice(at, at + MAX_ADDED + 1).indexOf(line)
    const end = at + Math.max(same, 0) + 1
    if (same !== 0) replaced.push({ line: index + 1, before: line, after: changed.slice(at, end) })
    at = end
  }
  const rest = changed.slice(at)
  const last = old.at(-1) ?? ''
  if (rest.length > 0) {
    const whole = replaced.at(-1)?.line === old.length ? replaced.pop() : undefined
    replaced.push({ line: old.length, before: last, after: [...(whole?.after ?? [last]), ...rest] })
  }
  const isTold =
    replaced.length <= MAX_LINES && replaced.every(each => each.after.length > 0 && each.after.length <= MAX_ADDED + 1)
  return isTold && isSameData(linesOf(withLines(before, replaced)), changed) ? replaced : undefined
}

/** The text with its lines replaced. Line ends are kept; an added line gets that of its neighbour. */
export function withLines(before: string, replaced: readonly ReplacedLine[]): string {
  const byLine = new Map(replaced.map(each => [each.line, each.after]))
  const usual = before.includes('\r\n') ? '\r\n' : '\n'
  return before
    .split(/(?<=\n)/)
    .concat(before.endsWith('\n') ? [''] : [])
    .map((written, index) => {
      const after = byLine.get(index + 1)
      if (after === undefined) return written
      const end = /\r?\n$/.exec(written)?.[0] ?? ''
      return after.join(end || usual) + end
    })
    .join('')
}
