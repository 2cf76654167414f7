/** The vision tower of GLM 4.1 V and 4.6 V, for its weights only. transformers: models/glm4v. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import { layerCount, size } from '../schema.ts'
import { channels, idleLinear, idleRmsNorm, patches, table, tower, voxels } from './towers.ts'

export const glmVisionConfig = z.object({
  depth: layerCount.default(24),
  hidden_size: size.default(1_536),
  out_hidden_size: size.default(4_096),
  intermediate_size: size.default(13_696),
  attention_bias: z.boolean().default(false),
  in_channels: channels,
  image_size: size.default(336),
  patch_size: size.default(14),
  spatial_merge_size: size.default(2),
  temporal_patch_size: size.default(2),
})

/** A block's feed-forward is as wide as what leaves the tower; the width that the config names is that of the last one. */
export function glmVision(ops: Builder, root: string, config: z.infer<typeof glmVisionConfig>): void {
  const { hidden_size: hidden, out_hidden_size: outside, intermediate_size: inner } = config
  table(ops, `${root}.embeddings.position_embedding`, Math.floor(config.image_size / config.patch_size) ** 2, hidden)
  patches(ops, `${root}.patch_embed.proj`, hidden, voxels(config), { bias: true })
  tower(ops, `${root}.blocks`, config.depth, hidden, {
    norms: ['norm1', 'norm2'],
    normKind: 'rms',
    linears: [
      ['attn.qkv', hidden, 3 * hidden, config.attention_bias],
      ['attn.proj', hidden, hidden],
      ['mlp.gate_proj', hidden, outside],
      ['mlp.up_proj', hidden, outside],
      ['mlp.down_proj', outside, hidden],
    ],
    bias: false,
  })
  idleRmsNorm(ops, `${root}.post_conv_layernorm`, hidden)
  idleRmsNorm(ops, `${root}.post_layernorm`, hidden)
  patches(ops, `${root}.downsample`, outside, hidden * config.spatial_merge_size ** 2, { bias: true })
  const merger = `${root}.merger`
  ops.idle(outside, x => ops.layerNorm(`${merger}.post_projection_norm`, x))
  idleLinear(ops, `${merger}.proj`, outside, outside, false)
  idleLinear(ops, `${merger}.gate_proj`, outside, inner, false)
  idleLinear(ops, `${merger}.up_proj`, outside, inner, false)
  idleLinear(ops, `${merger}.down_proj`, inner, outside, false)
}
