/** What a worker's answer comes to when it is no result. */
import { MemoryMarkError } from '../errors.ts'
import type { Outcome } from './trial.ts'
import type { Answer } from './worker.ts'

type Unanswered = Exclude<Answer<never>, { kind: 'done' }>

/** A failure is never a search signal: only out of memory is, and the worker names that itself. */
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
          fix: 'Read the Python traceback; the config may ask for something that this machine or model lacks.',
        },
      }
    case 'died':
      return {
        kind: 'failed',
        problem: {
          code: 'worker-died',
          message: answer.message.slice(0, 2_000),
          fix: "Look into the machine's log: the host may be out of memory, or the driver may have failed.",
        },
      }
  }
}

/** For what a machine must have before any trial. */
export function unavailable(engine: string, why: string): MemoryMarkError {
  return new MemoryMarkError({
    code: 'engine-unavailable',
    field: '--engine',
    message: `the ${engine} engine cannot run here: ${why.slice(0, 1_500)}`,
    fix: 'Run `memorymark doctor` for what this machine has and what to install.',
  })
}
