/** A text in which keys are set, and places in it. */
import type { Position } from '../../base/position.ts'

export interface Edited {
  readonly path: string
  readonly text: string
  /** The offset of the micro-batch, if it is written: keys are added beside it. */
  readonly anchor: number | undefined
}

/** Of a 1-based position; a byte order mark counts as no column. */
export function offsetOf(text: string, { line, column }: Position): number | undefined {
  let start = text.startsWith('\uFEFF') ? 1 : 0
  for (let passed = 1; passed < line; passed++) {
    const end = text.indexOf('\n', start)
    if (end < 0) return undefined
    start = end + 1
  }
  return start + column - 1
}

export function spliced(text: string, from: number, to: number, piece: string): string {
  return text.slice(0, from) + piece + text.slice(to)
}
