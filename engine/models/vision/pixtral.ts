/**
 * Pixtral's encoder: the patches of a whole batch in one sequence, with rotary positions by row and column, and a mask by which
 * each sees its own image alone. transformers: models/pixtral.
 */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import type { Images } from '../decoders/blueprint.ts'
import { gatedFeedForward } from '../decoders/feed-forward.ts'
import type { ImageOfSample } from '../images.ts'
import { layerCount, size } from '../schema.ts'
import type { SizeInPixels } from './image-scaling.ts'
import { patchesOf } from './patches.ts'
import { channels } from './towers.ts'

export const pixtralConfig = z.object({
  hidden_size: size.default(1_024),
  intermediate_size: size.default(4_096),
  num_hidden_layers: layerCount.default(24),
  num_attention_heads: size.default(16),
  num_channels: channels,
  image_size: size.default(1_024),
  patch_size: size.default(16),
})
export type PixtralConfig = z.infer<typeof pixtralConfig>

/**
 * PixtralImageProcessor: scaled down until the longest side is that of the tower's images, and up to whole squares of `merge`
 * patches a side. The processor ends each row of tokens with one more.
 */
export function imageOfPixtral(
  { height, width }: SizeInPixels,
  { image_size: longest, patch_size: patch }: PixtralConfig,
  merge: number,
): ImageOfSample {
  const ratio = Math.max(height / longest, width / longest, 1)
  const square = patch * merge
  const squares = (side: number) => Math.ceil(Math.floor(side / ratio) / square)
  const [rows, columns] = [squares(height), squares(width)]
  const images: Images = { tiles: 1, height: rows * square, width: columns * square, checkpointed: 'decoder' }
  return { images, tokens: rows * (columns + 1) }
}

/** The patches of every image: [b, n, h], handed to `project` while all layers' states are there. */
export function pixtral(
  ops: Builder,
  root: string,
  config: PixtralConfig,
  images: Images,
  project: (seen: Value) => Value,
): Value {
  const { hidden_size: hidden, intermediate_size: inner, num_attention_heads: heads } = config
  const { count } = patchesOf(images, config.patch_size)
  const norm = (name: string, x: Value) => ops.rmsNorm(name, x, { size: hidden, scalesInFloat32: false })
  const feedForward = gatedFeedForward({ hidden, inner })
  const pixels = ops.patches(count, config.num_channels * config.patch_size ** 2)
  return ops.frame(pixels, input => {
    const embedded = ops.local(
      ops.withInputGradients(ops.patchEmbedding(`${root}.patch_conv`, input, hidden, { bias: false })),
    )
    const placed = norm(`${root}.ln_pre`, ops.gathered(embedded))
    const table = ops.patchPositions(placed, hidden / heads, { isCast: true })
    const mask = ops.local(ops.maskAmongImages(placed))
    const seen = ops.layers(placed, `${root}.transformer.layers`, config.num_hidden_layers, (states, { name, index }) =>
      ops.block(
        states,
        x => {
          const attended = ops.frame(norm(`${name}.attention_norm`, x), normed => {
            const project = (part: string) => ops.linear(`${name}.attention.${part}`, normed, hidden, { bias: false })
            const [query, key, value] = [project('q_proj'), project('k_proj'), project('v_proj')]
            const [q, k] = [query, key].map(part => ops.rotary(part, table, heads)) as [Value, Value]
            const context = ops.attention(q, k, value, { heads, causal: false, dropout: 0, isUnpadded: true }, mask)
            return ops.linear(`${name}.attention.o_proj`, context, hidden, { bias: false })
          })
          const between = ops.residual(attended, x)
          const fed = ops.frame(norm(`${name}.ffn_norm`, between), normed =>
            feedForward(ops, { name: `${name}.feed_forward`, index, table: undefined }, normed),
          )
          return ops.residual(fed, between)
        },
        [...table, mask],
      ),
    )
    return project(seen)
  })
}
