/** Where something stands in a file. */
import * as z from 'zod'

/** Position in a notebook: the number of the code cell and the line in it, both 1-based. */
export const cellPosition = z.object({ number: z.number().int().positive(), line: z.number().int().positive() })
export type CellPosition = z.infer<typeof cellPosition>

/** 1-based, as editors and GitHub count. */
export const position = z.object({
  line: z.number().int().positive(),
  column: z.number().int().positive(),
  /** Of a notebook, whose lines nobody counts. */
  cell: cellPosition.optional(),
})
export type Position = z.infer<typeof position>

export function sayCell({ number, line }: CellPosition): string {
  return `cell ${number}, line ${line}`
}

/** The position in words, for a sentence. */
export function sayPosition({ line, column, cell }: Position): string {
  return cell === undefined ? `line ${line}, column ${column}` : sayCell(cell)
}
