/** InternViT, the vision tower of InternVL: a ViT whose branches are scaled feature by feature. transformers: models/internvl. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import type { Images } from '../decoders/blueprint.ts'
import { layerCount, size } from '../schema.ts'
import { attendingWithin } from './patches.ts'
import { channels, table } from './towers.ts'

/** Written as one number or as height and width. */
const sides = z.union([size.transform(side => [side, side] as const), z.tuple([size, size])])

export const internVitConfig = z.object({
  hidden_size: size.default(1_024),
  intermediate_size: size.default(4_096),
  num_hidden_layers: layerCount.default(24),
  num_attention_heads: size.default(16),
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

type InternVit = z.infer<typeof internVitConfig>

/** Patches in the rows and columns of a tile. */
export function internVitGrid({ image_size: image, patch_size: patch }: InternVit) {
  return { rows: Math.floor(image[0] / patch[0]), columns: Math.floor(image[1] / patch[1]) }
}

/** The patches of every tile, without its class token: [b, n, h]. */
export function internVit(ops: Builder, root: string, config: InternVit, { tiles }: Images): Value {
  const { hidden_size: hidden, patch_size: patch } = config
  const embeddings = `${root}.embeddings`
  const { rows, columns } = internVitGrid(config)
  const count = rows * columns
  if (config.use_mask_token) table(ops, `${embeddings}.mask_token`, 1, hidden)
  const pixels = ops.patches(tiles * count, config.num_channels * patch[0] * patch[1])
  const embedded = ops.withInputGradients(
    ops.patchEmbedding(`${embeddings}.patch_embeddings.projection`, pixels, hidden, { bias: true }),
  )
  const tokens = ops.prependTokens(new Array<string>(tiles).fill(`${embeddings}.cls_token`), embedded)
  const placed = config.use_absolute_position_embeddings
    ? ops.addPositions(`${embeddings}.position_embeddings`, tokens, count + 1)
    : tokens
  const seen = ops.layers(placed, `${root}.encoder.layer`, config.num_hidden_layers, (states, { name }) =>
    ops.block(states, input => layer(ops, config, tiles, name, input)),
  )
  const normed = config.use_mean_pooling ? seen : ops.layerNorm(`${root}.layernorm`, seen)
  return ops.leaving(normed, tiles * count)
}

function layer(ops: Builder, config: InternVit, tiles: number, name: string, x: Value): Value {
  const { hidden_size: hidden, intermediate_size: inner } = config
  const norm = (part: string, states: Value) =>
    config.norm_type === 'rms_norm'
      ? ops.rmsNorm(`${name}.${part}`, states, { size: hidden, scalesInFloat32: false })
      : ops.layerNorm(`${name}.${part}`, states)
  const attended = ops.frame(norm('layernorm_before', x), normed =>
    attention(ops, config, tiles, `${name}.attention`, normed),
  )
  const between = ops.residual(ops.layerScale(`${name}.lambda_1`, attended), x)
  const fed = ops.frame(norm('layernorm_after', between), normed => {
    const widened = ops.gelu(ops.linear(`${name}.mlp.fc1`, normed, inner))
    return ops.linear(`${name}.mlp.fc2`, widened, hidden)
  })
  return ops.residual(ops.layerScale(`${name}.lambda_2`, fed), between)
}

function attention(ops: Builder, config: InternVit, tiles: number, name: string, x: Value): Value {
  const { hidden_size: hidden, num_attention_heads: heads } = config
  const { rows, columns } = internVitGrid(config)
  const project = (part: string) => ops.linear(`${name}.${part}_proj`, x, hidden, { bias: config.attention_bias })
  const normed = (part: string, states: Value) =>
    config.use_qk_norm ? ops.rmsNorm(`${name}.${part}_norm`, states, { size: hidden, scalesInFloat32: false }) : states
  const [query, key, value] = [project('q'), project('k'), project('v')]
  const states = [normed('q', query), normed('k', key), value] as const
  const context = attendingWithin(ops, states, tiles * (rows * columns + 1), {
    heads,
    parts: tiles,
    castsSoftmax: false,
  })
  return ops.linear(`${name}.projection_layer`, context, hidden)
}
