/** SigLIP's encoder of square images of one size. transformers: SiglipVisionModel. */
import type * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import type { Images } from '../decoders/blueprint.ts'
import { size } from '../schema.ts'
import { encoderLayer } from './encoder-layer.ts'
import { patchesOf } from './patches.ts'
import { siglipConfig, siglipHead } from './towers.ts'

export const runningSiglipConfig = siglipConfig.extend({ num_attention_heads: size.default(12) })
type SiglipConfig = z.infer<typeof runningSiglipConfig>

/** The patches of every image: [b, n, h]. `normsLast`: whether what is read went through the norm behind the layers. */
export function siglip(
  ops: Builder,
  root: string,
  config: SiglipConfig,
  { tiles }: Images,
  { normsLast = true } = {},
): Value {
  const { hidden_size: hidden, image_size: side, patch_size: patch } = config
  const { count } = patchesOf({ tiles, checkpointed: 'decoder' }, patch, side)
  const positions = count / tiles
  const pixels = ops.patches(count, config.num_channels * patch ** 2)
  const embedded = ops.withInputGradients(
    ops.patchEmbedding(`${root}.embeddings.patch_embedding`, pixels, hidden, { bias: true }),
  )
  const placed = ops.add(
    embedded,
    ops.constantEmbedding(`${root}.embeddings.position_embedding`, positions, hidden, positions),
  )
  const seen = ops.layers(placed, `${root}.encoder.layers`, config.num_hidden_layers, (states, { name }) =>
    ops.block(states, input => encoderLayer(ops, config, x => ops.gelu(x), { tiles, tokens: count }, name, input)),
  )
  if (config.vision_use_head) siglipHead(ops, root, config)
  const norm = (x: Value) => ops.layerNorm(`${root}.post_layernorm`, x)
  if (normsLast) return norm(seen)
  ops.idle(hidden, norm)
  return seen
}
