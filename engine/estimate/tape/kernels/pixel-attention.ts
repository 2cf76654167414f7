/** Attention over the pixels of an image, composed of products. ultralytics nn/modules/block.py Attention. */
import type { PixelAttentionShape } from '../../../program/ops/images.ts'
import { made } from '../autograd.ts'
import { lowered } from '../ops/casts.ts'
import { batchMatmul, elementwise } from '../ops/primitives.ts'
import { raisedSoftmax } from '../ops/softmax.ts'
import type { Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'

export function pixelAttention(tape: Tape, joined: Tensor, shape: PixelAttentionShape): [Tensor, Tensor] {
  const { heads, keySize, valueSize } = shape
  const [, y = 0, x = 0] = joined.shape
  const pixels = y * x
  const view = (size: number): Tensor => ({ ...joined, shape: [heads, size, pixels], edge: tape.newEdge() })
  const [query, key, value] = [view(keySize), view(keySize), view(valueSize)]
  tape.record('split', { reads: [joined], outputs: [query, key, value], gradients: [made(joined)] })
  const scores = elementwise(tape, 'mul', batchMatmul(tape, query, key, [heads, pixels, pixels]))
  const probabilities = lowered(tape, raisedSoftmax(tape, scores))
  const mixed = batchMatmul(tape, value, probabilities, [heads, valueSize, pixels])
  const asImage = (tensor: Tensor): Tensor => ({ ...tensor, shape: [heads * valueSize, y, x] })
  return [asImage(mixed), asImage(elementwise(tape, 'clone', value))]
}
