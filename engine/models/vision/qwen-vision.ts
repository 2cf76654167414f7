/**
 * The vision towers of Qwen 2 VL and 2.5 VL: patches of images of any size in one sequence, with rotary positions by
 * row and column. They attend within their image, and in most layers of 2.5 within a window; squares of patches are
 * merged into tokens. transformers: models/{qwen2_vl,qwen2_5_vl}.
 */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import type { Images } from '../decoders/blueprint.ts'
import { gatedFeedForward } from '../decoders/feed-forward.ts'
import { layerCount, layerList, size, someLayers } from '../schema.ts'
import { patchesOf } from './patches.ts'
import { merged, qwenAttention } from './qwen-attention.ts'
import { channels, voxels } from './towers.ts'

const qwenVision = {
  depth: layerCount.default(32),
  num_heads: size.default(16),
  in_channels: channels,
  patch_size: size.default(14),
  spatial_merge_size: size.default(2),
  temporal_patch_size: size.default(2),
}

export const qwen2VisionConfig = z.object({
  ...qwenVision,
  embed_dim: size.default(1_280),
  hidden_size: size.default(3_584),
  mlp_ratio: z.number().min(0.1).max(100).default(4),
})
export const qwen25VisionConfig = z.object({
  ...qwenVision,
  hidden_size: size.default(3_584),
  intermediate_size: size.default(3_420),
  out_hidden_size: size.default(3_584),
  /** Pixels of a window's side. */
  window_size: size.default(112),
  fullatt_block_indexes: layerList(someLayers).default([7, 15, 23, 31]),
})

export function qwen2Vision(
  ops: Builder,
  root: string,
  config: z.infer<typeof qwen2VisionConfig>,
  images: Images,
): Value {
  const { embed_dim: hidden, num_heads: heads } = config
  const inner = Math.floor(hidden * config.mlp_ratio)
  const { count } = patchesOf(images, config.patch_size)
  const embedded = ops.withInputGradients(
    ops.patchEmbedding(`${root}.patch_embed.proj`, ops.patches(count, voxels(config)), hidden, { bias: false }),
  )
  const table = ops.patchPositions(embedded, hidden / heads)
  const seen = ops.layers(embedded, `${root}.blocks`, config.depth, (states, { name }) =>
    ops.block(
      states,
      input => {
        const attended = ops.frame(ops.layerNorm(`${name}.norm1`, input), normed =>
          qwenAttention(ops, `${name}.attn`, normed, { heads, hidden, table, patches: count, parts: images.tiles }),
        )
        const between = ops.residual(attended, input)
        const fed = ops.frame(ops.layerNorm(`${name}.norm2`, between), normed => {
          const widened = ops.linear(`${name}.mlp.fc1`, normed, inner)
          const activated = ops.multiply(widened, ops.sigmoid(ops.scale(widened)))
          return ops.linear(`${name}.mlp.fc2`, activated, hidden)
        })
        return ops.residual(fed, between)
      },
      table,
    ),
  )
  const normed = ops.layerNorm(`${root}.merger.ln_q`, seen)
  const square = config.spatial_merge_size ** 2
  const sizes = { words: count / square, inside: hidden * square, outside: config.hidden_size }
  return ops.concatenate([merged(ops, [`${root}.merger.mlp.0`, `${root}.merger.mlp.2`], normed, sizes)])
}

export function qwen25Vision(
  ops: Builder,
  root: string,
  config: z.infer<typeof qwen25VisionConfig>,
  images: Images,
): Value {
  const { hidden_size: hidden, num_heads: heads, intermediate_size: inner } = config
  const { count, rows, columns } = patchesOf(images, config.patch_size)
  const side = Math.floor(config.window_size / config.patch_size)
  const windows = images.tiles * Math.ceil(rows / side) * Math.ceil(columns / side)
  const embedded = ops.withInputGradients(
    ops.patchEmbedding(`${root}.patch_embed.proj`, ops.patches(count, voxels(config)), hidden, { bias: false }),
  )
  const table = ops.patchPositions(embedded, hidden / heads)
  const kinds = Array.from({ length: config.depth }, (_, index) =>
    config.fullatt_block_indexes.includes(index) ? 'whole' : 'windows',
  )
  const feedForward = gatedFeedForward({ hidden, inner, bias: true })
  const norm = (name: string, x: Value) => ops.rmsNorm(name, x, { size: hidden, scalesInFloat32: false })
  // Patches are reordered window by window, and back into image order at the end.
  const seen = ops.layers(ops.gathered(embedded), `${root}.blocks`, kinds, (states, { name, index }) => {
    const parts = kinds[index] === 'whole' ? images.tiles : windows
    return ops.block(
      states,
      input => {
        const attended = ops.frame(norm(`${name}.norm1`, input), normed =>
          qwenAttention(ops, `${name}.attn`, normed, { heads, hidden, table, patches: count, parts }),
        )
        const between = ops.residual(attended, input)
        const fed = ops.frame(norm(`${name}.norm2`, between), normed =>
          feedForward(ops, { name: `${name}.mlp`, index, table: undefined }, normed),
        )
        return ops.residual(fed, between)
      },
      table,
    )
  })
  const square = config.spatial_merge_size ** 2
  const sizes = { words: count / square, inside: hidden * square, outside: config.out_hidden_size }
  const fitted = merged(ops, [`${root}.merger.mlp.0`, `${root}.merger.mlp.2`], norm(`${root}.merger.ln_q`, seen), sizes)
  return ops.concatenate([ops.gathered(fitted)])
}
