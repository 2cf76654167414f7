/** The loss of extractive question answering. */
import { frame } from '../tape/ops/frames.ts'
import { crossEntropy } from '../tape/ops/loss.ts'
import { gathered, split } from '../tape/ops/shapes.ts'
import { markLogits, type Storage, type Tensor } from '../tape/storage.ts'
import type { Tape } from '../tape/tape.ts'
import { summed } from './log-probabilities.ts'

export interface AnswerSpanLoss {
  readonly loss: Tensor
  /** Scores of the first token and of the last, which the model returns in place of its logits. */
  readonly scores: readonly Storage[]
}

/**
 * transformers models/bert BertForQuestionAnswering and loss_utils.py ForQuestionAnsweringLoss: a cross-entropy over all tokens of a
 * contiguous copy of each of the two columns.
 */
export function answerSpanLoss(tape: Tape, logits: Tensor): AnswerSpanLoss {
  const scores: Storage[] = []
  const loss = frame(tape, markLogits(logits), input => {
    const columns = split(tape, input, [1, 1]).map(column => markLogits(gathered(tape, column)))
    scores.push(...columns.map(({ storage }) => storage))
    return summed(
      tape,
      columns.map(column => crossEntropy(tape, column)),
    )
  })
  return { loss, scores }
}
