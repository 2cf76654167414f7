/**
 * SigLIP over tiles of an image, each patch with a position looked up for its tile, and squares of patches merged into
 * tokens. transformers: models/{idefics3,smolvlm}.
 */
import type * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import type { Images } from '../decoders/blueprint.ts'
import { size } from '../schema.ts'
import { encoderLayer } from './encoder-layer.ts'
import { patchesOf } from './patches.ts'
import { channels, siglipConfig } from './towers.ts'

export const idefics3VisionConfig = siglipConfig.omit({ vision_use_head: true }).extend({
  hidden_size: size.default(1_152),
  num_attention_heads: size.default(16),
  num_channels: channels,
  patch_size: size.default(32),
})
type Idefics3Vision = z.infer<typeof idefics3VisionConfig>

/** Patches on a side of a tile. */
export function tileSide({ image_size: side, patch_size: patch }: Idefics3Vision): number {
  return Math.floor(side / patch)
}

/** Squares of `merge`² patches, side by side: [b, n, merge²·h]. */
export function idefics3Vision(
  ops: Builder,
  root: string,
  config: Idefics3Vision,
  { tiles }: Images,
  merge: number,
): Value {
  const { hidden_size: hidden, image_size: side, patch_size: patch } = config
  const { count } = patchesOf({ tiles, checkpointed: 'decoder' }, patch, side)
  // Tiles that are padding are left out, which copies the others and their mask.
  const pixels = ops.gathered(ops.patches(count, config.num_channels * patch ** 2))
  const mask = ops.gathered(ops.pixelMask(tiles * side ** 2))
  return ops.frame(pixels, input => {
    ops.local(mask)
    const embedded = ops.patchEmbedding(`${root}.embeddings.patch_embedding`, input, hidden, { bias: true })
    const places = ops.lookedUpPositions(`${root}.embeddings.position_embedding`, embedded, tileSide(config) ** 2)
    const placed = ops.withInputGradients(ops.add(embedded, places))
    const seen = ops.layers(placed, `${root}.encoder.layers`, config.num_hidden_layers, (states, { name }) =>
      ops.block(states, x => encoderLayer(ops, config, y => ops.gelu(y), { tiles, tokens: count }, name, x)),
    )
    // Rows of a square are brought together, then its columns: a copy each.
    const shuffled = ops.gathered(ops.gathered(ops.layerNorm(`${root}.post_layernorm`, seen)))
    return ops.inRows(shuffled, count / merge ** 2)
  })
}
