/** Attention over the pixels of an image, composed of products. ultralytics nn/modules/block.py Attention. */
import type { PixelAttentionShape } from '../../models/ops.ts'
import { type Autograd, made } from '../autograd.ts'
import type { Tensor } from '../storage.ts'

export function pixelAttention(autograd: Autograd, joined: Tensor, shape: PixelAttentionShape): [Tensor, Tensor] {
  const { heads, keySize, valueSize } = shape
  const [, y = 0, x = 0] = joined.shape
  const pixels = y * x
  const view = (size: number): Tensor => ({ ...joined, shape: [heads, size, pixels], edge: autograd.newEdge() })
  const [query, key, value] = [view(keySize), view(keySize), view(valueSize)]
  autograd.record('split', { reads: [joined], outputs: [query, key, value], gradients: [made(joined)] })
  const scores = autograd.elementwise('mul', autograd.batchMatmul(query, key, [heads, pixels, pixels]))
  const probabilities = autograd.lowered(softmax(autograd, scores))
  const mixed = autograd.batchMatmul(value, probabilities, [heads, valueSize, pixels])
  const asImage = (tensor: Tensor): Tensor => ({ ...tensor, shape: [heads * valueSize, y, x] })
  return [asImage(mixed), asImage(autograd.elementwise('clone', value))]
}

/** torch: autocast_mode.h has softmax among what is computed in float32; from 16 bits CUDA's kernel goes there at once. */
export function softmax(autograd: Autograd, x: Tensor): Tensor {
  const output = autograd.tensor(x.shape, autograd.autocastDtype === undefined ? x.dtype : 'float32', [x])
  autograd.record('softmax', { reads: [x], outputs: [output], saves: [output], gradients: [made(x)] })
  return output
}
