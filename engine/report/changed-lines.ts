/** The lines of a file that a change replaces, one for one. */
import * as z from 'zod'

/** In characters. A longer line is not shown. */
const MAX_CHARACTERS = 500

const text = z.string().max(MAX_CHARACTERS)
export const changedLine = z.object({ line: z.int().positive(), before: text, after: text })
export type ChangedLine = z.infer<typeof changedLine>

/** `before` and `after` must have equally many lines. */
export function changedLines({ before, after }: { readonly before: string; readonly after: string }): ChangedLine[] {
  const old = linesOf(before)
  return linesOf(after).flatMap((line, index) => {
    const was = old[index] ?? ''
    return line === was ? [] : [{ line: index + 1, before: was, after: line }]
  })
}

/** The lines without their line ends. */
export function linesOf(text: string): string[] {
  return text.split(/\r?\n/)
}
