/**
 * Losses over embeddings of sentences, as sentence-transformers 6.0 computes them (base/losses/merged_forward.py, its losses and
 * modules/pooling.py). Embeddings are small beside what their tokens leave behind, so that of them only whole tensors are counted.
 */
import type { ModelConfig } from '../../models/architecture.ts'
import { assumedSentences, type SentenceLoss } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { made } from '../tape/autograd.ts'
import { forward } from '../tape/lowering.ts'
import { cast } from '../tape/ops/casts.ts'
import { frame } from '../tape/ops/frames.ts'
import { linear } from '../tape/ops/linears.ts'
import { crossEntropy } from '../tape/ops/loss.ts'
import { concatenate, elementwise, multiply } from '../tape/ops/primitives.ts'
import { elements, type Storage, type Tensor } from '../tape/storage.ts'
import type { Tape } from '../tape/tape.ts'
import { summed } from './log-probabilities.ts'
import type { Objective } from './objective.ts'

type Sentences = NonNullable<TrainingSpec['sentences']>

/** The first text of the samples, and then all others at once, each under autocast by itself; their tokens stay until the loss is known. */
export function sentenceLoss(tape: Tape, config: ModelConfig, spec: TrainingSpec): Objective {
  const { columns, loss, pooling = 'mean' }: Sentences = spec.sentences ?? assumedSentences
  const features: Tensor[] = []
  const others = columns - 1
  const embed = () =>
    tape.underAutocast(() => {
      const tokens = forward(tape, config, spec)
      const embedding = frame(tape, tokens, x => pooled(tape, x, pooling))
      features.push(tokens, embedding)
      return cast(tape, embedding, 'float32')
    })
  const [first, ...more] = columnsOf(tape, others)
  const anchors = embed()
  tape.batchInput = others === 1 ? more[0]! : tape.ofSequences(others, () => joined(tape, more))
  const candidates = tape.ofSequences(others, embed)
  tape.batchInput = first!
  const result = frame(tape, anchors, () => lossOf(tape, loss, anchors, candidates, others, spec.labels))
  tape.record('return', { reads: features, outputs: [] })
  return { loss: result, held: [] }
}

/** The ids of every column, which a batch has with their masks beside those of the first. */
function columnsOf(tape: Tape, others: number): readonly Tensor[] {
  const { batchInput: first, isPadded } = tape
  const more = Array.from({ length: others }, () => {
    if (isPadded) tape.batchTensor(first.shape, 'int64')
    return tape.batchTensor(first.shape, 'int64')
  })
  return [first, ...more]
}

function joined(tape: Tape, columns: readonly Tensor[]): Tensor {
  const [ids, mask] = [0, 1].map(() => tape.tensor(tape.batchInput.shape, 'int64', [])) as [Tensor, Tensor]
  tape.record('cat', { reads: columns, outputs: tape.isPadded ? [ids, mask] : [ids] })
  return ids
}

/** modules/pooling.py _forward_padded: the mask, widened to the size of the tokens' states, is saved in their type. */
function pooled(tape: Tape, tokens: Tensor, pooling: NonNullable<Sentences['pooling']>): Tensor {
  if (pooling === 'cls') return picked(tape, tokens)
  const mask = tape.tensor(tokens.shape, tokens.dtype, [])
  tape.record('to', { reads: [], outputs: [mask] })
  tape.locals.push(mask)
  if (pooling === 'max') return highest(tape, tokens)
  const seen = multiply(tape, tokens, mask)
  if (pooling === 'lasttoken') return picked(tape, seen)
  const sum = tape.tensor(tokens.shape.slice(1), tokens.dtype, [seen])
  tape.record('sum', { reads: [seen], outputs: [sum], gradients: [{ to: seen, passes: true }] })
  tape.locals.push(sum)
  const count = tape.tensor(sum.shape, sum.dtype, [])
  tape.record('clamp', { reads: [mask], outputs: [count] })
  const mean = elementwise(tape, 'div', sum, { saves: [count] })
  return elementwise(tape, 'cat', mean)
}

/** torch: `gather` saves what it reads from. */
function picked(tape: Tape, x: Tensor): Tensor {
  const output = tape.tensor(x.shape.slice(1), x.dtype, [x])
  tape.record('gather', { reads: [x], outputs: [output], saves: [x], gradients: [made(x)] })
  return output
}

/** `masked_fill` saves which tokens are padding, and `max` where the highest are. */
function highest(tape: Tape, tokens: Tensor): Tensor {
  const filled = tape.tensor(tokens.shape, tokens.dtype, [tokens])
  tape.record('masked_fill', {
    reads: [tokens],
    outputs: [filled],
    saved: [tape.storage(elements(tokens), 'bool', true)],
    gradients: [made(tokens)],
  })
  const output = tape.tensor(tokens.shape.slice(1), tokens.dtype, [filled])
  const places = tape.storage(elements(output), 'int64', true)
  tape.record('max', { reads: [filled], outputs: [output], saved: [places], gradients: [made(filled)] })
  return output
}

function lossOf(
  tape: Tape,
  loss: SentenceLoss,
  anchors: Tensor,
  candidates: Tensor,
  others: number,
  labels: number,
): Tensor {
  if (loss === 'softmax') return classified(tape, anchors, candidates, labels)
  const [left, right] = [normalised(tape, anchors), tape.ofSequences(others, () => normalised(tape, candidates))]
  if (loss === 'multiple-negatives-ranking') return comparedInBatch(tape, [left, right], others)
  if (loss !== 'cosent') return summed(tape, [elementwise(tape, 'mul', left, { saves: [left, right] }), right])
  const scores = tape.tensor([], 'float32', [left, right])
  tape.record('similarity', {
    reads: [left, right],
    outputs: [scores],
    saves: [left, right],
    gradients: [left, right].map(made),
  })
  return comparedInBatch(tape, [scores], 1)
}

/** torch: functional.normalize saves its input, and the quotient's divisor is a number a row. */
function normalised(tape: Tape, x: Tensor): Tensor {
  return elementwise(tape, 'normalize', x, { saves: [x] })
}

/**
 * The scores of each anchor with all candidates of the batch, or those of each pair less those of each other. They are scaled and
 * copied; `logsumexp` saves the copy, and goes through two of their size for its gradient.
 */
function comparedInBatch(tape: Tape, of: readonly Tensor[], others: number): Tensor {
  const scores = (): Storage => tape.maskOfBatch(Math.sqrt(others), 'float32')
  const loss = tape.tensor([], 'float32', of, { batched: false })
  tape.record('logsumexp', {
    reads: of,
    outputs: [loss],
    saves: of,
    saved: [scores()],
    scratch: [scores(), scores()],
    backwardScratch: [scores(), scores()],
    gradients: of.map(made),
    attendsAcrossBatch: true,
  })
  return loss
}

/** losses/softmax.py: a linear layer over both embeddings and their distance. */
function classified(tape: Tape, anchors: Tensor, candidates: Tensor, labels: number): Tensor {
  const distance = elementwise(tape, 'abs', elementwise(tape, 'sub', anchors), { saves: [anchors] })
  return crossEntropy(tape, linear(tape, 'classifier', concatenate(tape, [anchors, candidates, distance]), labels))
}
