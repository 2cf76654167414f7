/** A check that is begun is completed, whatever happens in between. */
import { MemoryMarkError } from '../engine/index.ts'
import { updateCheck } from './check.ts'
import type { Work } from './github.ts'

/** Runs `job` on a check that is in progress; its error ends the check in words and goes on to the log. */
export async function finishing(work: Work, checkRunId: number, job: () => Promise<void>): Promise<void> {
  try {
    await job()
  } catch (error) {
    const output = {
      title: 'MemoryMark could not finish',
      summary: `${wordsFor(error)} Re-run this check to try again.`,
    }
    await updateCheck(work, checkRunId, { status: 'completed', conclusion: 'failure', output })
    throw error
  }
}

function wordsFor(error: unknown): string {
  if (error instanceof MemoryMarkError) return `${error.problem.message}. ${error.problem.fix}`
  return 'Something went wrong on our side, and the log of the bot says what.'
}
