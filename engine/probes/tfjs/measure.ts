/** One trial: a fresh model, its training steps, the peak of those after the first. */
import * as tf from '@tensorflow/tfjs-core'
import type { Outcome } from '../trial.ts'
import { isAllocationFailure } from './allocation-failure.ts'
import { activate, type Backend } from './backend.ts'
import { BudgetExceeded } from './ledger.ts'
import type { Question } from './protocol.ts'
import { Training } from './step.ts'
import { supportOf, type TfjsOptimizer, UnsupportedOps } from './support.ts'

/**
 * Every failure of memory is an outcome; anything else throws. After an out-of-memory the backend still holds tensors of the
 * broken step: end the process.
 */
export async function measure(backend: Backend, question: Question): Promise<Outcome> {
  const support = supportOf(question.spec)
  if (support.kind === 'unsupported') return { kind: 'failed', problem: support.problem }
  await activate(backend)
  const { ledger, computes } = backend
  ledger.budgetBytes = computes ? question.budgetBytes : Number.POSITIVE_INFINITY
  try {
    const millis = run(backend, question, support.optimizer)
    const { peakBytes } = ledger
    if (peakBytes > question.budgetBytes) return { kind: 'out-of-memory', neededBytes: peakBytes }
    return { kind: 'fits', peakBytes, reservedBytes: peakBytes, ...(computes && timed(millis)) }
  } catch (error) {
    if (error instanceof UnsupportedOps) return { kind: 'failed', problem: error.problem }
    if (error instanceof BudgetExceeded || isAllocationFailure(String(error))) return { kind: 'out-of-memory' }
    throw error
  }
}

/** Milliseconds of every pass after the first; the ledger's peak is theirs. */
function run({ ledger, values }: Backend, question: Question, optimizer: TfjsOptimizer): number[] {
  const { spec, config, steps, pass } = question
  const training = new Training(spec, config, spec.microBatch, optimizer, values)
  const step = () => (pass === 'forward' ? training.forward() : training.step())
  step()
  ledger.resetPeak()
  const millis = Array.from({ length: steps - 1 }, () => {
    const start = tf.util.now()
    step()
    return tf.util.now() - start
  })
  training.dispose()
  return millis
}

function timed(millis: readonly number[]): { stepMillis: number; stepMillisSpread?: number } {
  const sorted = millis.toSorted((a, b) => a - b)
  const [least = 0, most = 0] = [sorted[0], sorted.at(-1)]
  const stepMillis = sorted[Math.floor(sorted.length / 2)] ?? 0
  return { stepMillis, ...(sorted.length > 1 && { stepMillisSpread: (most - least) / 2 }) }
}
