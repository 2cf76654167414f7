/** A suggestion on lines of a file, as a job carries it. */
import * as z from 'zod'

const line = z.int().positive()

export const suggestion = z.object({
  path: z.string().min(1).max(4_096),
  lines: z.object({ first: line, last: line }),
  /** Markdown. */
  body: z.string().max(65_536),
  /** Identifies the suggestion. */
  marker: z.string().max(100),
})
export type Suggestion = z.infer<typeof suggestion>
