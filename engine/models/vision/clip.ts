/** CLIP's image encoder up to the layer whose states LLaVA reads. transformers: CLIPVisionModel. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import type { Images } from '../decoders/blueprint.ts'
import { layerCount, size } from '../schema.ts'
import { encoderLayer, type Sequences } from './encoder-layer.ts'
import { patchesOf } from './patches.ts'
import { channels } from './towers.ts'

export const clipConfig = z.object({
  model_type: z.literal('clip_vision_model'),
  hidden_size: size.default(768),
  intermediate_size: size.default(3_072),
  num_hidden_layers: layerCount.default(12),
  num_attention_heads: size.default(12),
  num_channels: channels,
  image_size: size.default(224),
  patch_size: size.default(32),
})
type ClipConfig = z.infer<typeof clipConfig>

/** Patches of one image. */
export function clipPatches({ image_size: side, patch_size: patch }: ClipConfig): number {
  return Math.floor(side / patch) ** 2
}

/**
 * The patch states of every image after `layers` layers, without the class token: [b, n, h]. Later layers run but their
 * results are unused.
 */
export function clip(ops: Builder, root: string, config: ClipConfig, images: Images, layers: number): Value {
  const { hidden_size: hidden, image_size: side, patch_size: patch } = config
  const { count } = patchesOf({ tiles: images.tiles, checkpointed: 'decoder' }, patch, side)
  const pixels = ops.patches(count, config.num_channels * patch ** 2)
  const embedded = ops.withInputGradients(
    ops.patchEmbedding(`${root}.embeddings.patch_embedding`, pixels, hidden, { bias: false }),
  )
  const classes = new Array<string>(images.tiles).fill(`${root}.embeddings.class_embedding`)
  const tokens = ops.prependTokens(classes, embedded)
  const placed = ops.addPositions(`${root}.embeddings.position_embedding.weight`, tokens, clipPatches(config) + 1)
  const { tiles } = images
  // Each image with its class token.
  const sequences: Sequences = { tiles, tokens: tiles * (clipPatches(config) + 1) }
  const normed = ops.layerNorm(`${root}.pre_layrnorm`, placed)
  const seen = ops.layers(normed, `${root}.encoder.layers`, layers, (states, { name }) =>
    ops.block(states, input => layer(ops, config, sequences, name, input)),
  )
  for (let index = layers; index < config.num_hidden_layers; index++) {
    ops.idle(hidden, x => layer(ops, config, { tiles: 1, tokens: 1 }, `${root}.encoder.layers.${index}`, x))
  }
  ops.idle(hidden, x => ops.layerNorm(`${root}.post_layernorm`, x))
  return ops.leaving(seen, count)
}

function layer(ops: Builder, config: ClipConfig, sequences: Sequences, name: string, x: Value): Value {
  const quickGelu = (widened: Value) => ops.multiply(widened, ops.sigmoid(ops.scale(widened)))
  return encoderLayer(ops, config, quickGelu, sequences, name, x)
}
