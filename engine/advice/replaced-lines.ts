/** What a change of a text comes to, line by line: lines that are replaced, and lines that are added beside one. */

import type { ReplacedLine } from '../report/advised-levers.ts'
import { linesOf } from '../report/changed-lines.ts'
import { isSameData } from '../same-data.ts'

/** Lines that one place may gain. */
const MAX_ADDED = 12

/** Of one change. */
const MAX_LINES = 20

/** Undefined where that cannot be told line by line. Added lines come with the one before which they stand; at the end, after it. */
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

/** The text with its lines replaced; every line keeps its end, and an added one gets that of the line beside it. */
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
