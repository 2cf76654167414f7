/**
 * Everything that can be reported as wrong, in one shape: what, where, what to do.
 * A Problem is data (it travels in the report); MemoryMarkError carries one through a throw.
 */
import * as z from 'zod'

/** Of a notebook: its cell among those of code, and the line in it, both 1-based. */
export const cellPosition = z.object({ number: z.number().int().positive(), line: z.number().int().positive() })
export type CellPosition = z.infer<typeof cellPosition>

export function sayCell({ number, line }: CellPosition): string {
  return `cell ${number}, line ${line}`
}

/** As sentences name a place in a file. */
export function sayPosition({ line, column, cell }: PlaceInFile): string {
  return cell === undefined ? `line ${line}, column ${column}` : sayCell(cell)
}

interface PlaceInFile {
  readonly line: number
  readonly column: number
  readonly cell?: CellPosition | undefined
}

export const problem = z.object({
  /** Stable id, so that a policy or a test can name it without quoting the text. */
  code: z.string().max(60),
  /** What is wrong, in one sentence, without a full stop. Untrusted parts are quoted, never formatted. */
  message: z.string().max(2_000),
  /** What to do about it, in one sentence. */
  fix: z.string().max(2_000),
  file: z.string().max(4_096).optional(),
  /** 1-based. */
  line: z.number().int().positive().optional(),
  /** 1-based. */
  column: z.number().int().positive().optional(),
  cell: cellPosition.optional(),
  /** The key as the config writes it, e.g. `training.per_device_train_batch_size`. */
  field: z.string().max(500).optional(),
})
export type Problem = z.infer<typeof problem>

/** An error that the user can fix. Anything else thrown is our own bug and keeps its stack. */
export class MemoryMarkError extends Error {
  readonly problem: Problem
  constructor(problem: Problem, options?: ErrorOptions) {
    super(`${formatWhere(problem)}${problem.message}. ${problem.fix}`, options)
    this.name = 'MemoryMarkError'
    this.problem = problem
  }
}

/** `configs/a.yaml:12:3 (batch_size): `, `--gpu: ` or nothing. */
export function formatWhere({ file, line, column, cell, field }: Problem): string {
  const written = [file, line, line && column].filter(part => part !== undefined).join(':')
  const place = cell === undefined ? written : [file, sayCell(cell)].filter(part => part !== undefined).join(', ')
  const where = place && field ? `${place} (${field})` : place || field
  return where ? `${where}: ` : ''
}

/** Longer than any name that is known. */
const MAX_NAME_CHARACTERS = 100

/** The closest of `known` to `given` within two edits, for "did you mean". */
export function closest(given: string, known: readonly string[]): string | undefined {
  if (given.length > MAX_NAME_CHARACTERS) return undefined
  const limit = Math.min(2, Math.floor(given.length / 3))
  let best: { word: string; distance: number } | undefined
  for (const word of known) {
    if (Math.abs(word.length - given.length) > limit) continue
    const distance = editDistance(given.toLowerCase(), word.toLowerCase())
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { word, distance }
  }
  return best?.word
}

/** Levenshtein distance, in time proportional to the product of both lengths. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      current.push(Math.min(previous[j]! + 1, current[j - 1]! + 1, substitution))
    }
    previous = current
  }
  return previous[b.length]!
}
