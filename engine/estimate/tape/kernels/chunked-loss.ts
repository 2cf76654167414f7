/**
 * torchtune's cross-entropy in chunks of tokens (modules/loss/ce_chunked_output_loss.py, cross_entropy_loss.py): the output layer
 * makes 16-bit logits, and only one chunk of them at a time is float32.
 */
import type { TrainingSpec } from '../../../training/spec.ts'
import { made } from '../autograd.ts'
import { elements, lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { matrixProduct } from './matrix-product.ts'

type Chunks = NonNullable<TrainingSpec['chunkedLoss']>

export function chunkedLoss(tape: Tape, name: string, x: Tensor, weight: Tensor, how: Chunks): Tensor {
  const [vocabulary = 1] = weight.shape
  const product = (part: Tensor) => chunkOfLogits(tape, name, part, weight, vocabulary)
  const parts = chunksOf(tape, x, how.count)
  // CEWithChunkedOutputLoss gets all chunks in a list; LinearCrossEntropyLoss makes each where it needs it.
  const together = how.outputLayer === 'before' ? parts.map(product) : undefined
  const losses = parts.map((part, index) => lossOf(tape, together?.[index] ?? product(part)))
  if (together !== undefined) tape.record('return', { reads: together, outputs: [] })
  const loss = tape.tensor([], 'float32', losses, { batched: false })
  tape.record('sum', { reads: losses, outputs: [loss], gradients: losses.map(made) })
  return loss
}

function chunksOf(tape: Tape, x: Tensor, count: number): Tensor[] {
  const [tokens = 1] = x.shape
  const parts = Array.from({ length: count }, () => ({
    ...x,
    shape: [tokens / count, lastSize(x)],
    edge: tape.newEdge(),
  }))
  tape.record('chunk', { reads: [x], outputs: parts, gradients: [made(x)] })
  return parts
}

function chunkOfLogits(tape: Tape, name: string, part: Tensor, weight: Tensor, vocabulary: number): Tensor {
  const [tokens = 1] = part.shape
  const logits = tape.tensor([tokens, vocabulary], part.dtype, [part, weight])
  logits.storage.kind = 'logits'
  tape.record(name, matrixProduct(part, weight, [], logits, lastSize(part)))
  return logits
}

/** torch: F.cross_entropy of the chunk in float32 keeps its log-probabilities; compiled, it keeps the 16-bit logits instead. */
function lossOf(tape: Tape, logits: Tensor): Tensor {
  const isCompiled = tape.spec.compiled === true
  const wide = () => tape.storage(elements(logits), 'float32', true, 'logits')
  const loss = tape.tensor([], 'float32', [logits], { batched: false })
  tape.record('cross_entropy', {
    reads: [logits],
    outputs: [loss],
    ...(isCompiled ? { saves: [logits] } : { saved: [wide()], scratch: [wide()], backwardScratch: [wide(), wide()] }),
    gradients: [made(logits)],
  })
  return loss
}
