/** InternViT, the vision tower of InternVL, for its weights only. transformers: models/internvl. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import { layerCount, size } from '../schema.ts'
import { channels, idleRmsNorm, patches, table, tower } from './towers.ts'

/** Written as one number or as height and width. */
const sides = z.union([size.transform(side => [side, side] as const), z.tuple([size, size])])

export const internVitConfig = z.object({
  hidden_size: size.default(1_024),
  intermediate_size: size.default(4_096),
  num_hidden_layers: layerCount.default(24),
  num_channels: channels,
  attention_bias: z.boolean().default(false),
  use_qk_norm: z.boolean().default(false),
  norm_type: z.enum(['layer_norm', 'rms_norm']).default('layer_norm'),
  image_size: sides.default([448, 448]),
  patch_size: sides.default([14, 14]),
  use_mask_token: z.boolean().default(false),
  use_absolute_position_embeddings: z.boolean().default(true),
  use_mean_pooling: z.boolean().default(true),
})

export function internVit(ops: Builder, root: string, config: z.infer<typeof internVitConfig>): void {
  const { hidden_size: hidden, intermediate_size: inner, image_size: image, patch_size: patch } = config
  const embeddings = `${root}.embeddings`
  table(ops, `${embeddings}.cls_token`, 1, hidden)
  if (config.use_mask_token) table(ops, `${embeddings}.mask_token`, 1, hidden)
  patches(ops, `${embeddings}.patch_embeddings.projection`, hidden, config.num_channels * patch[0] * patch[1], {
    bias: true,
  })
  const count = Math.floor(image[0] / patch[0]) * Math.floor(image[1] / patch[1])
  if (config.use_absolute_position_embeddings) table(ops, `${embeddings}.position_embeddings`, count + 1, hidden)
  const layers = `${root}.encoder.layer`
  tower(ops, layers, config.num_hidden_layers, hidden, {
    norms: ['layernorm_before', 'layernorm_after'],
    normKind: config.norm_type === 'rms_norm' ? 'rms' : 'layer',
    linears: [
      ['attention.q_proj', hidden, hidden, config.attention_bias],
      ['attention.k_proj', hidden, hidden, config.attention_bias],
      ['attention.v_proj', hidden, hidden, config.attention_bias],
      ['attention.projection_layer', hidden, hidden],
      ['mlp.fc1', hidden, inner],
      ['mlp.fc2', inner, hidden],
    ],
    bias: true,
  })
  for (let index = 0; index < config.num_hidden_layers; index++) {
    const name = `${layers}.${index}`
    for (const factor of ['lambda_1', 'lambda_2']) ops.idle(hidden, x => ops.layerScale(`${name}.${factor}`, x))
    if (!config.use_qk_norm) continue
    for (const norm of ['q_norm', 'k_norm']) idleRmsNorm(ops, `${name}.attention.${norm}`, hidden)
  }
  if (!config.use_mean_pooling) ops.idle(hidden, x => ops.layerNorm(`${root}.layernorm`, x))
}
