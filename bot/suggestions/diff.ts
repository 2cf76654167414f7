/** The lines of a file on which a review can comment: those in GitHub's diff. */
import type { LineRange } from '../../engine/index.ts'

const hunkHeader = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/gm

/** The hunks of a unified diff, by the lines of the new file, context included. */
export function shownLines(patch: string): LineRange[] {
  return Array.from(patch.matchAll(hunkHeader), ([, start = '', count = '1']) => ({
    first: Number(start),
    last: Number(start) + Number(count) - 1,
  })).filter(({ first, last }) => last >= first)
}

/** A comment on several lines must lie within one hunk. */
export function isShown({ first, last }: LineRange, patch: string): boolean {
  return shownLines(patch).some(hunk => hunk.first <= first && last <= hunk.last)
}
