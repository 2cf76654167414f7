/**
 * torchtune's cross-entropy in chunks of tokens (modules/loss/ce_chunked_output_loss.py, cross_entropy_loss.py): the output layer
 * makes 16-bit logits, and only one chunk of them at a time is float32.
 */
import type { TrainingSpec } from '../../config/spec.ts'
import { type Autograd, made } from '../autograd.ts'
import { elements, lastSize, type Tensor } from '../storage.ts'
import { matrixProduct } from './matrix-product.ts'

type Chunks = NonNullable<TrainingSpec['chunkedLoss']>

export function chunkedLoss(autograd: Autograd, name: string, x: Tensor, weight: Tensor, how: Chunks): Tensor {
  const [vocabulary = 1] = weight.shape
  const product = (part: Tensor) => chunkOfLogits(autograd, name, part, weight, vocabulary)
  const parts = chunksOf(autograd, x, how.count)
  // CEWithChunkedOutputLoss gets all chunks in a list; LinearCrossEntropyLoss makes each where it needs it.
  const together = how.outputLayer === 'before' ? parts.map(product) : undefined
  const losses = parts.map((part, index) => lossOf(autograd, together?.[index] ?? product(part)))
  if (together !== undefined) autograd.record('return', { reads: together, outputs: [] })
  const loss = autograd.tensor([], 'float32', losses, { batched: false })
  autograd.record('sum', { reads: losses, outputs: [loss], gradients: losses.map(made) })
  return loss
}

function chunksOf(autograd: Autograd, x: Tensor, count: number): Tensor[] {
  const [tokens = 1] = x.shape
  const parts = Array.from({ length: count }, () => ({
    ...x,
    shape: [tokens / count, lastSize(x)],
    edge: autograd.newEdge(),
  }))
  autograd.record('chunk', { reads: [x], outputs: parts, gradients: [made(x)] })
  return parts
}

function chunkOfLogits(autograd: Autograd, name: string, part: Tensor, weight: Tensor, vocabulary: number): Tensor {
  const [tokens = 1] = part.shape
  const logits = autograd.tensor([tokens, vocabulary], part.dtype, [part, weight])
  logits.storage.kind = 'logits'
  autograd.record(name, matrixProduct(part, weight, [], logits, lastSize(part)))
  return logits
}

/** torch: F.cross_entropy of the chunk in float32 keeps its log-probabilities; compiled, it keeps the 16-bit logits instead. */
function lossOf(autograd: Autograd, logits: Tensor): Tensor {
  const isCompiled = autograd.spec.compiled === true
  const wide = () => autograd.storage(elements(logits), 'float32', true, 'logits')
  const loss = autograd.tensor([], 'float32', [logits], { batched: false })
  autograd.record('cross_entropy', {
    reads: [logits],
    outputs: [loss],
    ...(isCompiled ? { saves: [logits] } : { saved: [wide()], scratch: [wide()], backwardScratch: [wide(), wide()] }),
    gradients: [made(logits)],
  })
  return loss
}
