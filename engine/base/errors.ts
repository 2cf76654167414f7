/**
 * The one shape of everything reported as wrong: what, where, what to do. A Problem is data and travels in the report;
 * MemoryMarkError throws one.
 */
import * as z from 'zod'
import { cellPosition, sayCell } from './position.ts'

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

/** The problem's place as a prefix: `configs/a.yaml:12:3 (batch_size): `, `--gpu: ` or nothing. */
export function formatWhere({ file, line, column, cell, field }: Problem): string {
  const written = [file, line, line && column].filter(part => part !== undefined).join(':')
  const place = cell === undefined ? written : [file, sayCell(cell)].filter(part => part !== undefined).join(', ')
  const where = place && field ? `${place} (${field})` : place || field
  return where ? `${where}: ` : ''
}
