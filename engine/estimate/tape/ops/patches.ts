/** Patches of images that are read beside text: how they come in, and how they get among the words. */
import type { RowsOfPatches } from '../../../program/ops/images.ts'
import { made } from '../autograd.ts'
import { convolution } from '../kernels/matrix-product.ts'
import { lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { cast, lowered } from './casts.ts'
import { embedding } from './linears.ts'
import { concatenate, elementwise, multiply } from './primitives.ts'
import { weightNamed } from './weights.ts'

export function patches(tape: Tape, count: number, features: number): Tensor {
  // transformers' image processors give float32, which the model casts to the type of its weights.
  if (tape.spec.images === undefined) return tape.tensor([count, features], tape.weightDtype, [])
  tape.batchPixels ??= tape.batchTensor([count, features], 'float32')
  return cast(tape, tape.batchPixels, tape.weightDtype)
}

export function pixelMask(tape: Tape, pixels: number): Tensor {
  if (tape.spec.images === undefined) return tape.tensor([pixels], 'int64', [])
  tape.batchPixelMask ??= tape.batchTensor([pixels], 'int64')
  return tape.batchPixelMask
}

export function maskAmongImages(tape: Tape, x: Tensor): Tensor {
  const [count = 0] = x.shape
  const storage = tape.maskOfBatch(tape.spec.attention === 'flash' ? 0 : count, x.dtype)
  const mask: Tensor = { ...x, storage, shape: [count, count], requiresGrad: false, edge: tape.newEdge() }
  tape.record('mask', { reads: [], outputs: [mask] })
  return mask
}

export function patchEmbedding(
  tape: Tape,
  name: string,
  x: Tensor,
  hidden: number,
  { bias }: { readonly bias: boolean },
): Tensor {
  // torch: `convolution`, whose kernel is its stride: a product of each patch with all filters.
  const weight = lowered(tape, weightNamed(tape, `${name}.weight`, [hidden, lastSize(x)]))
  const added = bias ? [lowered(tape, weightNamed(tape, `${name}.bias`, [hidden]))] : []
  const factor = lowered(tape, x)
  const output = tape.tensor([...x.shape.slice(0, -1), hidden], factor.dtype, [factor, weight, ...added])
  const product = convolution(factor, weight, added, output, lastSize(x))
  tape.record(name, { ...product, kernel: 'convolution' })
  return output
}

export function patchPositions(
  tape: Tape,
  x: Tensor,
  size: number,
  { isCast = false }: { readonly isCast?: boolean } = {},
): readonly [Tensor, Tensor] {
  const [count = 0] = x.shape
  const dtype = isCast ? x.dtype : 'float32'
  const tables = [0, 1].map(() => tape.tensor([count, size], dtype, [])) as [Tensor, Tensor]
  tape.record('rotary table', { reads: [], outputs: tables })
  return tables
}

export function amongWords(tape: Tape, words: Tensor, seen: Tensor): Tensor {
  // torch: derivatives.yaml `masked_scatter`: saves the mask, and fills it with zeros in the words' gradient.
  const [tokens = 0] = words.shape
  const output = tape.tensor(words.shape, words.dtype, [words, seen])
  const mask = tape.storage(tokens, 'bool', true)
  const gradients = [words, seen].map(made)
  tape.record('masked_scatter', { reads: [words, seen], outputs: [output], saved: [mask], gradients })
  return output
}

export function amongWordsByRow(tape: Tape, words: Tensor, seen: Tensor): Tensor {
  // transformers SmolVLMModel.inputs_merger: `index` saves where a row is, index_put_ and `where` the mask of the words.
  const [tokens = 0] = words.shape
  const [rows = 0] = seen.shape
  const chosen = tape.tensor(seen.shape, seen.dtype, [seen])
  const places = [0, 1].map(() => tape.storage(rows, 'int64', true))
  tape.record('index', { reads: [seen], outputs: [chosen], saved: places, gradients: [made(seen)] })
  const put = tape.tensor(words.shape, words.dtype, [chosen])
  const mask = tape.storage(tokens, 'bool', true)
  tape.record('index_put_', { reads: [chosen], outputs: [put], saved: [mask], gradients: [made(chosen)] })
  const output = tape.tensor(words.shape, words.dtype, [words, put])
  const gradients = [put, words].map(made)
  tape.record('where', { reads: [put, words], outputs: [output], gradients })
  return output
}

export function addedAmongWords(tape: Tape, states: Tensor, seen: Tensor): Tensor {
  // transformers Qwen3VLTextModel._deepstack_process: a clone, and index_put_ of what was there plus what was seen.
  const output = tape.tensor(states.shape, states.dtype, [states, seen])
  tape.record('index_put_', { reads: [states, seen], outputs: [output], gradients: [states, seen].map(made) })
  return output
}

export function averagedPatches(tape: Tape, x: Tensor, count: number): Tensor {
  // torch: derivatives.yaml `avg_pool2d` saves its input: transformers hands it a contiguous copy, features before pixels.
  const byFeature = elementwise(tape, 'clone', x)
  const output = tape.tensor([count, lastSize(x)], x.dtype, [byFeature])
  tape.record('avg_pool2d', { reads: [byFeature], outputs: [output], saves: [byFeature], gradients: [made(byFeature)] })
  return output
}

export function withNewlines(tape: Tape, name: string, x: Tensor, patches: RowsOfPatches): Tensor {
  // transformers LlavaNextModel.pack_image_features: the tiles' patches row by row, a slice of them, and a `cat` for the newlines, for
  // the whole image and for all images.
  const { ofTile, rows, columns, scaled } = patches
  const [count = 0, hidden = 0] = x.shape
  const newline = weightNamed(tape, name, [hidden])
  const part = (from: Tensor, patches: number): Tensor => {
    const view = { ...from, shape: [patches, hidden], edge: tape.newEdge() }
    tape.record('slice', { reads: [from], outputs: [view], gradients: [made(from)] })
    return view
  }
  const unpadded = part(elementwise(tape, 'clone', part(x, count - ofTile)), rows * columns)
  const tiles = scaled === undefined ? unpadded : interpolated(tape, unpadded, scaled.rows * scaled.columns)
  const lineCount = scaled?.rows ?? rows
  const lines = tape.tensor([lineCount * ((scaled?.columns ?? columns) + 1), hidden], x.dtype, [tiles, newline])
  const toTiles = { to: tiles, passes: true }
  tape.record('cat', { reads: [tiles, newline], outputs: [lines], gradients: [toTiles, made(newline)] })
  const whole = part(x, ofTile)
  const image = tape.tensor([ofTile + (lines.shape[0] ?? 0), hidden], x.dtype, [whole, lines])
  const gradients = [whole, lines].map(to => ({ to, passes: true }))
  tape.record('cat', { reads: [whole, lines], outputs: [image], gradients })
  return concatenate(tape, [image])
}

function interpolated(tape: Tape, x: Tensor, count: number): Tensor {
  // torch: derivatives.yaml `upsample_bilinear2d` saves sizes alone.
  const output = tape.tensor([count, lastSize(x)], x.dtype, [x])
  tape.record('upsample_bilinear2d', { reads: [x], outputs: [output], gradients: [made(x)] })
  return output
}

/** Corners of the square of positions that a patch lies in. */
const CORNERS = 4

export function lookedUpPositions(tape: Tape, name: string, x: Tensor, count: number): Tensor {
  const [patches = 0] = x.shape
  const ids = tape.tensor([patches], 'int64', [])
  tape.record('places', { reads: [], outputs: [ids] })
  return embedding(tape, name, ids, count, lastSize(x))
}

export function resampledPositions(tape: Tape, name: string, x: Tensor, count: number): Tensor {
  // transformers vision_utils.py get_vision_interpolation_indices_and_weights: float32 weights of four rows of the table a patch.
  const [patches = 0] = x.shape
  const ids = tape.tensor([patches, CORNERS], 'int64', [])
  const weights = tape.tensor([patches, CORNERS], 'float32', [])
  tape.record('interpolation', { reads: [], outputs: [ids, weights] })
  const corners = cast(tape, embedding(tape, name, ids, count, lastSize(x)), 'float32')
  const weighted = multiply(tape, corners, weights)
  const sum = tape.tensor(x.shape, 'float32', [weighted])
  tape.record('sum', { reads: [weighted], outputs: [sum], gradients: [{ to: weighted, passes: true }] })
  return cast(tape, sum, x.dtype)
}
