/** How much the analysis of files may take, and what is said where one takes more. */
import type { Problem } from '../base/errors.ts'
import { SETTINGS_PATH } from '../config/fields/supplied.ts'
import { MAX_SLOWDOWN } from '../isolation/limited-process.ts'

export interface AnalysisLimits {
  /** Milliseconds of CPU time to read and judge one file, so that a busy machine takes nothing from a file. */
  readonly fileMillis: number
  /** V8's heap of the process that does it. */
  readonly heapMib: number
  /** Milliseconds of CPU time for all files of one analysis; infinite for no limit. */
  readonly totalMillis: number
}

/** A file with the largest model of the catalogue takes a tenth of this. */
export const defaultLimits: AnalysisLimits = { fileMillis: 2_000, heapMib: 256, totalMillis: 20_000 }

/** A history of a million events with whole stacks, which its process reads into memory at once. */
export const limitsOfSnapshots: Partial<AnalysisLimits> = { fileMillis: 30_000, heapMib: 1_792 }

/** What kept a file from being looked into. */
export type Excess = 'time' | 'stall' | 'memory' | 'total' | 'crash'

export function excessProblem(excess: Excess, file: string, limits: AnalysisLimits): Problem {
  const exclude = `add its path to ignore in ${SETTINGS_PATH}`
  switch (excess) {
    case 'time':
      return {
        code: 'analysis-time-limit',
        file,
        message: `Reading and estimating this file takes longer than the limit of ${limits.fileMillis / 1_000} s of CPU time`,
        fix: `Make it or the model that it names smaller or simpler, or ${exclude}.`,
      }
    case 'stall':
      return {
        code: 'analysis-stalled',
        file,
        message: `Reading and estimating this file did not end within ${(limits.fileMillis * MAX_SLOWDOWN) / 1_000} s, though it used less than the ${limits.fileMillis / 1_000} s of CPU time that it may take`,
        fix: `Try again when the machine has less to do; else this is a bug in MemoryMark, and you can ${exclude}.`,
      }
    case 'memory':
      return {
        code: 'analysis-memory-limit',
        file,
        message: `Reading and estimating this file takes more memory than the limit of ${limits.heapMib} MiB`,
        fix: `Make it or the model that it names smaller or simpler, or ${exclude}.`,
      }
    case 'total':
      return {
        code: 'analysis-total-limit',
        file,
        message: `The files before this one used up the ${limits.totalMillis / 1_000} s of CPU time that one analysis may take`,
        fix: `Make the files that take longest smaller, change fewer files at once, or ${exclude}.`,
      }
    case 'crash':
      return {
        code: 'analysis-crashed',
        file,
        message: 'The process that reads and estimates this file ended twice without an answer',
        fix: `Check that the machine has memory left; else this is a bug in MemoryMark, and you can ${exclude}.`,
      }
  }
}
