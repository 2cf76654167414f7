/** What it means when a worker's answer is not a result. */
import { MemoryMarkError, type Problem } from '../base/errors.ts'
import type { Outcome, Trial } from './trial.ts'
import type { Answer } from './worker.ts'

type Unanswered = Exclude<Answer<never>, { kind: 'done' }>

/**
 * The outcome for an answer that is not a result. It never counts as out of memory, which the worker reports itself.
 */
export function outcomeOf(answer: Unanswered, log: ((text: string) => void) | undefined): Outcome {
  switch (answer.kind) {
    case 'timed-out':
      return answer
    case 'failed':
      log?.(answer.traceback)
      return {
        kind: 'failed',
        problem: {
          code: 'step-failed',
          message: `the training step failed in Python: ${answer.message}`.slice(0, 2_000),
          fix: 'Read the Python traceback; the config may need something that this machine or model lacks.',
        },
      }
    case 'died':
      return {
        kind: 'failed',
        problem: {
          code: 'worker-died',
          message: answer.message.slice(0, 2_000),
          fix: "Check the machine's log: the host may be out of memory, or the driver may have failed.",
        },
      }
  }
}

/** The problem to report for the trial that ended a sweep. */
export function brokenTrialProblem({ microBatch, outcome }: Trial): Problem {
  switch (outcome.kind) {
    case 'failed':
      return { ...outcome.problem, message: `batch ${microBatch}: ${outcome.problem.message}`.slice(0, 2_000) }
    case 'timed-out':
      return {
        code: 'trial-timed-out',
        message: `batch ${microBatch} took longer than ${Math.round(outcome.afterMillis / 1_000)} s`,
        fix: 'Check whether another job is using the device, or sweep a smaller model.',
      }
    case 'fits':
    case 'out-of-memory':
      throw new Error(`a sweep does not break off over an outcome like ${outcome.kind}`)
  }
}

/** The error for a requirement that the machine does not meet. */
export function unavailable(engine: string, why: string): MemoryMarkError {
  return new MemoryMarkError({
    code: 'engine-unavailable',
    field: '--engine',
    message: `the ${engine} engine cannot run here: ${why.slice(0, 1_500)}`,
    fix: 'Run `memorymark doctor` to see what this machine has and what to install.',
  })
}
