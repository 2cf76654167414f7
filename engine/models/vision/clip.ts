/** CLIP's encoder of images, for the weights that it is. transformers: CLIPVisionModel. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import { layerCount, size } from '../schema.ts'
import { channels, patches, table, tower } from './towers.ts'

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

export function clip(ops: Builder, root: string, config: z.infer<typeof clipConfig>): void {
  const { hidden_size: hidden, intermediate_size: inner, patch_size: patch } = config
  table(ops, `${root}.embeddings.class_embedding`, 1, hidden)
  patches(ops, `${root}.embeddings.patch_embedding`, hidden, config.num_channels * patch ** 2)
  table(ops, `${root}.embeddings.position_embedding`, Math.floor(config.image_size / patch) ** 2 + 1, hidden)
  for (const norm of ['pre_layrnorm', 'post_layernorm']) ops.idle(hidden, x => ops.layerNorm(`${root}.${norm}`, x))
  const projections = ['q_proj', 'k_proj', 'v_proj', 'out_proj'].map(
    part => [`self_attn.${part}`, hidden, hidden] as const,
  )
  tower(ops, `${root}.encoder.layers`, config.num_hidden_layers, hidden, {
    norms: ['layer_norm1', 'layer_norm2'],
    normKind: 'layer',
    linears: [...projections, ['mlp.fc1', hidden, inner], ['mlp.fc2', inner, hidden]],
    bias: true,
  })
}
